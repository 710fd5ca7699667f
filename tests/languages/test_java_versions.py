"""The versions of Java are languages: each program has the language and library of the version that it names."""

from contextlib import closing

import pytest

from sandboxes import Limits, Outcome, Pool, SandboxUnavailable, open_sandbox
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import ALIASES, VARIANTS, probe_version
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.options import TaskOptions
from sandboxes.tasks.task import Task
from support.docker_engines import TRIXIE_IMAGE as IMAGE
from support.docker_engines import WITH_DOCKER, require_image
from support.language_programs import PROGRAMS
from support.languages import language_pool
from support.observers import passes
from support.requirements import WALL_SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.languages]

LIMITS = Limits(wall_seconds=WALL_SECONDS)
JAVA = PROGRAMS["java"]
SHAPES = (
    "sealed interface Shape permits Square, Circle {}\nrecord Square(int side) implements Shape {}\n"
    "record Circle(int radius) implements Shape {}\nclass Solution {\n    static int add(int a, int b) {\n"
    "        Shape shape = new Square(a);\n        BODY\n    }\n}\n"
)
NEW = {
    "java17": SHAPES.replace("BODY", "return shape instanceof Square square ? square.side() + b : b;"),
    "java21": SHAPES.replace(
        "BODY", "return switch (shape) { case Square(int side) -> side + b; case Circle circle -> b; };"
    ),
}
LIBRARY = "import java.util.*;\nclass Solution { static int add(int a, int b) { return List.of(a).getFirst() + b; } }\n"
JUNIT = (
    "import org.junit.*;\npublic class SumTest {\n    @Test public void sums() { Assert.assertEquals(5, "
    "Solution.add(2, 3)); }\n    @Test public void zeros() { Assert.assertEquals(1, Solution.add(0, 1)); }\n}\n"
)
HERE = ("subprocess", "java17")
everywhere = pytest.mark.parametrize(
    ("backend", "language"),
    [
        pytest.param(*HERE, id="subprocess-java17"),
        *(pytest.param("docker", name, id=f"docker-{name}", marks=WITH_DOCKER.marks) for name in NEW),
    ],
    indirect=["backend"],
)


@pytest.fixture(scope="module")
def backend(request):
    """Return the name of a backend, which has its image."""
    if request.param == "docker":
        require_image(IMAGE)
    return request.param


@pytest.fixture(scope="module")
def pools():
    """Return a function (backend, language) -> a pool that has the language."""
    with closing(Pool(open_sandbox("docker", image=IMAGE, pull="never"))) as containers:
        yield lambda backend, language: containers if backend == "docker" else language_pool(language)


@everywhere
def test_a_program_has_the_language_of_its_version(pools, backend, language):
    """A candidate that uses what its version brought passes its tests."""
    passes(pools(backend, language).run_all([build_program(language, NEW[language], JAVA.tests, LIMITS)], 1)[0])


@everywhere
def test_the_version_is_told(pools, backend, language):
    """The version that the sandbox reports is that of a JDK of the version, or of a newer one."""
    version = probe_version(pools(backend, language), language)
    assert int(version.removeprefix("javac ").split(".")[0]) >= int(language.removeprefix("java"))


@pytest.mark.parametrize("backend", ["subprocess", WITH_DOCKER], indirect=True)
@pytest.mark.parametrize("source", [NEW["java21"], LIBRARY], ids=["language", "library"])
def test_what_is_newer_is_refused(pools, backend, source):
    """A candidate that uses Java 21's language or library is no program in Java 17, also for a JDK 21."""
    [verdict] = pools(backend, "java17").run_all([build_program("java17", source, JAVA.tests, LIMITS)], 1)
    assert verdict.outcome is Outcome.COMPILE_ERROR


@pytest.mark.docker
def test_the_library_of_a_version():
    """A candidate may use what the library of its version has."""
    require_image(IMAGE)
    with closing(Pool(open_sandbox("docker", image=IMAGE, pull="never"))) as pool:
        passes(pool.run_all([build_program("java21", LIBRARY, JAVA.tests, LIMITS)], 1)[0])


@everywhere
@pytest.mark.parametrize("kind", ["wrong", "failing", "leaving", "hungry", "broken"])
def test_other_candidates_have_their_outcomes(pools, backend, language, kind):
    """A candidate that is wrong, fails, leaves, has no memory left or does not compile has Java's outcome."""
    expected = {
        "wrong": Outcome.FAILED,
        "failing": Outcome.FAILED,
        "leaving": Outcome.EXITED,
        "hungry": Outcome.OUT_OF_MEMORY,
        "broken": Outcome.COMPILE_ERROR,
    }
    limits = Limits(wall_seconds=WALL_SECONDS, memory_bytes=256 << 20)
    program = build_program(language, getattr(JAVA, kind), JAVA.tests, limits)
    assert pools(backend, language).run_all([program], 1)[0].outcome is expected[kind]


@everywhere
def test_a_program_on_inputs(pools, backend, language):
    """A complete program reads each input and is judged by its output."""
    task = Task([{"input": "2", "output": "4"}], [JAVA.doubling])
    batch = ProgramBatch.assemble([task], TaskOptions.checked(language=language), LIMITS, "shared")
    passes(pools(backend, language).run_all(batch.programs, 1)[0])


def test_tests_of_junit(pools):
    """Tests of JUnit run in each version, with a result for each."""
    [verdict] = pools(*HERE).run_all([build_program("java17", JAVA.add, JUNIT, LIMITS)], 1)
    passes(verdict)
    assert len(verdict.tests) == 2


def test_a_version_that_is_missing_is_named():
    """The error for a version that no JDK has names Debian's package."""
    with closing(Pool(open_sandbox("subprocess", env={"PATH": "/nowhere"}))) as pool:
        with pytest.raises(SandboxUnavailable, match="java21 programs need javac.*openjdk-21-jdk-headless"):
            probe_version(pool, "java21")


def test_names():
    """The versions are variants of Java, without other names."""
    assert {name for name, language in VARIANTS.items() if language == "java"} == set(NEW)
    assert not {alias for alias, name in ALIASES.items() if name in NEW}
