"""Programs of other languages in containers: through the metric, in one call, and with incomplete images."""

import pytest

from sandboxes import Limits, Pool, SandboxUnavailable, open_sandbox
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import LANGUAGES, probe_version
from sandboxes.tasks.options import with_mounts
from support.docker_engines import IMAGE, LANGUAGES_IMAGE, require_image
from support.language_programs import PROGRAMS
from support.languages import require_languages
from support.metric_and_command import RIGHT, TESTS, WRONG, load_metric
from support.observers import passes
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

CONTAINERS = {"sandbox": "docker", "image": LANGUAGES_IMAGE, "pull": "never", "timeout": WALL_SECONDS, "k": 1}


@pytest.fixture(scope="module", autouse=True)
def engine():
    """Return the machine's engine, with both images."""
    for image in (IMAGE, LANGUAGES_IMAGE):
        require_image(image)


@pytest.fixture(scope="module")
def metric():
    """Return the metric, as evaluate loads it."""
    return load_metric()


def outcomes(results):
    """Return the outcome of each candidate, task by task."""
    return [[result["outcome"] for _, result in results[task]] for task in sorted(results)]


def test_one_language_of_all_tasks(metric):
    """`compute` scores candidates in Java in containers of an image."""
    java = PROGRAMS["java"]
    candidates = [java.add, java.wrong, java.broken]
    pass_at_k, results = metric.compute(
        predictions=[candidates], references=[java.tests], language="java", **CONTAINERS
    )
    assert pass_at_k == {"pass@1": pytest.approx(1 / 3)}
    assert outcomes(results) == [["passed", "failed", "compile_error"]]
    assert "container" in results[0][0][1]["isolation"]


@pytest.mark.languages("go")  # Go's tools are this machine's.
def test_several_languages_in_one_call(metric):
    """Each task's candidates have their own language, including Python, in the same containers."""
    names = ["bash", "c", "go", "java", "javascript", "sql"]
    predictions = [[RIGHT, WRONG], *([PROGRAMS[name].add, PROGRAMS[name].wrong] for name in names)]
    references = [TESTS, *(PROGRAMS[name].tests for name in names)]
    pass_at_k, results = metric.compute(
        predictions=predictions, references=references, languages=["python", *names], **CONTAINERS
    )
    assert pass_at_k == {"pass@1": 0.5}
    assert outcomes(results) == [["passed", "failed"]] * len(references)


def test_cases_in_another_language(metric):
    """Programs of another language are run on inputs in containers too."""
    cases = [{"input": str(number), "output": str(2 * number)} for number in (2, 3)]
    _, results = metric.compute(
        predictions=[[PROGRAMS["rust"].doubling, PROGRAMS["rust"].doubling.replace("2 *", "3 *")]],
        references=[cases],
        language="rust",
        **CONTAINERS,
    )
    assert outcomes(results) == [["passed", "failed"]]


@pytest.mark.parametrize("name", ["java", "rust"])
def test_what_an_image_lacks_is_named(name):
    """The error for a command that the image lacks names another image and Debian's package."""
    pool = Pool(open_sandbox("docker", image=IMAGE, pull="never"))
    wanted = f'choose an image that has it, such as "{LANGUAGES[name].image}", or Debian with {LANGUAGES[name].package}'
    try:
        with pytest.raises(SandboxUnavailable, match=wanted):
            probe_version(pool, name)
    finally:
        pool.close()


@pytest.mark.languages("go")
def test_go_s_tools_are_this_machine_s():
    """The error says where Go has to be if a container does not see it."""
    pool = Pool(open_sandbox("docker", image=IMAGE, pull="never"))
    try:
        with pytest.raises(SandboxUnavailable, match="golang-go here; containers have to be on this machine too"):
            probe_version(pool, "go")
    finally:
        pool.close()


def test_compiled_packages_can_t_be_written():
    """A candidate can't change the packages that later programs in Go are linked with."""
    require_languages("go")
    sandbox = with_mounts(open_sandbox("docker", image=LANGUAGES_IMAGE, pull="never"), {"go"})
    pool = Pool(sandbox)
    folders = [path for path, _ in sandbox.container.volumes]
    command = f"for each in {' '.join(folders)}; do touch $each/left $each/* && exit 1; done"
    limits = Limits(wall_seconds=WALL_SECONDS)
    try:
        passes(pool.run_all([build_program("bash", f"{command} 2>/dev/null\n:", "", limits)], 1)[0])
        passes(pool.run_all([build_program("go", PROGRAMS["go"].add, PROGRAMS["go"].tests, limits)], 1)[0])
    finally:
        pool.close()


def test_small_containers_can_compile():
    """Compilers have enough room in containers of programs with little memory."""
    pool = Pool(open_sandbox("docker", image=LANGUAGES_IMAGE, pull="never", memory_mb=128))
    limits = Limits(wall_seconds=WALL_SECONDS, memory_bytes=128 << 20)
    sources = [(name, PROGRAMS[name].add, PROGRAMS[name].tests) for name in ("java", "cpp", "rust", "typescript")]
    try:
        for verdict in pool.run_all([build_program(*source, limits) for source in sources], 1):
            passes(verdict)
    finally:
        pool.close()
