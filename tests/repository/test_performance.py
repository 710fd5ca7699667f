"""The scripts of performance/ work: in a short run each prints the rows that its docstring promises."""

import json
import re
import tempfile
from contextlib import closing

import pytest

from sandboxes import Pool, SandboxUnavailable, open_sandbox
from support.docker_engines import IMAGE, require_image, why_not
from support.languages import require_languages
from support.metric_and_command import DATA, ROOT, python
from support.published_records import read
from support.requirements import require_file, unavailable

pytestmark = pytest.mark.slow

FOLDER = ROOT / "performance"
HUMANEVAL = "HumanEval.jsonl.gz"
LANGUAGES = ("python", "java", "go")
QUICK_LANGUAGES = ("cpp", "rust", "java", "typescript")
FIGURE = r"\s+[\d.]+"
MODES = ("baseline", "bare", "shared", "separate", "restricted")
CONTAINERS = ("docker", "docker separate", "docker run")
COUNTS = ("own descriptors", "guests' descriptors", "processes", "mounts", "guests' MB", "temporary files")
# Patterns of lines that each script prints, in their order.
ROWS = {
    "throughput.py": [
        r"\d+ CPUs, Python [\d.]+, \w+; samples per second, medians of 1 rounds",
        *(rf"{workload}\s+{mode}{FIGURE * 3}\b.*" for workload in ("humaneval", "trivial") for mode in MODES),
        r"one call with one candidate: [\d.]+ ms \(≤ 15\)",
    ],
    "memory.py": [
        r"\d+ CPUs, Python [\d.]+, \w+",
        *(
            rf"{name} +{samples} samples: +-?[\d.]+ MB \(≤ {most}\) above \d+ MB, in \d+ s"
            for name, samples, most in (
                ("compute", 400, 150),
                ("evaluate_stream", 40, 250),
                ("code-eval run", 40, 250),
                ("evaluate_stream", 400, 250),
                ("code-eval run", 400, 250),
            )
        ),
    ],
    "cold_start.py": [
        r"\d+ CPUs, Python [\d.]+, \w+; medians of 1 rounds",
        *(
            rf"{name} +[\d.]+ s +[\d.]+ of (?:python|typer --help)"
            for name in (
                "python",
                "typer --help",
                "code-eval --help",
                "code-eval run --help",
                "code-eval run",
                "import sandboxes",
                "import code_tasks",
                "import evaluate",
                "evaluate.load",
                "first compute",
                "second compute",
                "first verdict",
            )
        ),
        r"code-eval --help: [+-][\d.]+ s beside a command of typer \(≤ 0.3\)",
        r"first verdict: [\d.]+ s after the start of the pool \(≤ 0.5\)",
    ],
    "program_costs.py": [
        r"\d+ CPUs, Python [\d.]+, \w+; the best of 1 rounds of 40 programs",
        *(
            rf"{name} +{process} +[\d.]+ ms +[\d.]+ page faults"
            for name, process in (
                ("bare", "loops and programs"),
                ("bare", "all"),
                ("shared", "caller"),
                ("shared", "supervisors"),
                ("shared", "fork servers, shared"),
                ("shared", "programs"),
                ("shared", "all"),
                ("separate", "caller"),
                ("separate", "supervisors"),
                ("separate", "fork servers, tests"),
                ("separate", "fork servers, candidate"),
                ("separate", "programs"),
                ("separate", "all"),
            )
        ),
    ],
    "interpreters.py": [
        r"\d{4}-\d\d-\d\d, medians and ranges of 1 rounds",
        r"\| Python \| humaneval, shared \| humaneval, separate \| trivial, shared \| trivial, separate \|",
        r"\| [\d.]+, (one executable|in a shared library)( \| [\d.]+ \([\d.]+ to [\d.]+\)){4} \|",
    ],
    "cache.py": [
        r"\d+ CPUs, Python [\d.]+, \w+; 20 samples",
        r"different, first run [\d.]+ s, second [\d.]+ s: [\d.]+ % \(≤ 5\)",
        r"  20 from a cache of \d+ MB",
        r"copies of 2: [\d.]+ s, with 18 not run",
        r"for each sample, reading its text [\d.]+ µs \(≤ 50\), its key [\d.]+ µs",
    ],
    "cases.py": [
        r"\d+ CPUs, Python [\d.]+, \w+; programs per second, medians of 1 rounds, \d+ workers",
        *(rf"{count} cases: ours [\d.]+; an interpreter for each case [\d.]+; ratios [\d.]+" for count in (10, 100)),
    ],
    "humaneval_x.py": [
        row
        for language in LANGUAGES
        for kind, outcome in (("solutions", "passed"), ("stubs", "failed"))
        for row in (
            rf"{language} {kind}: 2 in [\d.]+ s with \d+ workers: 2 {outcome}",
            r"    compiled and ran for [\d.]+ s, used [\d.]+ s of CPU time",
        )
    ],
    "quick_builds.py": [
        r"\d+ CPUs, Python [\d.]+, \w+; plain and quick builds, medians of 1 rounds, \d+ workers",
        *(
            rf"{language} +2 programs:{FIGURE} and{FIGURE} per second, ×{FIGURE};"
            rf"{FIGURE} and{FIGURE} ms of CPU time, ×{FIGURE}"
            for language in QUICK_LANGUAGES
        ),
    ],
    "restricted_humaneval.py": [
        r"\| arguments \| pass \| what the others break \|",
        r"\| default \| 0 of 2 \| import of a module that is not in `allowed_imports` \(.*\) \|",
        r"\| `allowed_imports=\[...\]`, `allow_underscore_variable_names=True` \| 2 of 2 \| none \|",
        r'\| `policy="strict"` \| 0 of 2 \| import of a module .* \|',
        r'\| `policy="strict"`, `allowed_imports=\[...\]` \| 2 of 2 \| none \|',
    ],
    "solver_overhead.py": [
        r"runner +[\d.]+ ms of CPU per attempt, and [\d.]+ ms in fsync",
        r"grading +\d+ candidates/s through the runner, \d+ by run_all: [\d.]+ of it",
    ],
    "ray_overhead.py": [
        r"\d+ CPUs, Python [\d.]+, \w+; 4 programs, \d+ at once, 1 rounds",
        r"  this machine +[\d.]+ s   cluster +[\d.]+ s   ratio [\d.]+",
        r"median ratio [\d.]+ \(at most 1.15\)",
        # A difference of two times. Noise can make it negative in so short a run.
        *(rf"head_seconds_per_{name} +-?[\d.]+ ms" for name in ("batch", "program", "actor")),
        *(rf"{name}{FIGURE} s" for name in ("seconds_per_program", "actor_start_seconds")),
    ],
    "cluster_model.py": [
        r"10,000,000 programs, nodes of 16 CPUs; measured on \d+ CPUs, .*",
        *(rf"\| {nodes} \|(?: [-\d,.]+ \|){{5}} (?:head|workers) \|" for nodes in (8, 32, 64, 125, 250, 500, "1,000")),
        r"the head (?:becomes the limit at \d+ nodes|does not become the limit)",
    ],
    "sessions.py": [
        r"\d+ CPUs, Python [\d.]+, \w+; 2 sessions, 2 calls of each kind",
        rf"interpreter{FIGURE} ms",
        *(
            rf"{kind} *{FIGURE} ms{FIGURE} of an interpreter"
            for kind in ("open", "first cell", "cell", "command", "shell", "write", "read", "close")
        ),
        r"a session: [\d.]+ processes, [\d.]+ with cells, [\d.]+ MB",
    ],
    "soak.py": [
        r" programs  per second +" + " +".join(COUNTS),
        *(rf" +{programs}{FIGURE * 7}" for programs in (20, 40)),
        "all verdicts were right, and nothing grew",
    ],
    "cluster_soak.py": [
        r" programs  per second  two attempts +own descriptors .*",
        *(rf" +{programs}{FIGURE * 6}" for programs in (60, 120)),
        "all verdicts were right, and nothing grew",
    ],
    "server_load.py": [
        r"\d+ CPUs, Python [\d.]+, \w+; 8 clients, 2 workers",
        r" requests  per second    pool  ratio +processes .*",
        *(rf" +{requests}{FIGURE * 9}" for requests in (30, 60)),
        r"\d+ answered, \d+ gone before the answer, 0 told to come back",
        r"waiting: p50 \d+ ms, p90 \d+ ms, p99 \d+ ms, p100 \d+ ms",
        r"CPU time of a program: [\d.]+ ms in the server and its workers, [\d.]+ ms in the pool",
        r"ratio to the pool: median [\d.]+ \(≥ 0.6\)",
        "all verdicts were right, and nothing grew",
    ],
}
PROGRAMS = [["def f(): return 2", "assert f() == 2"], ["def f(): return 3", "assert f() == 2, 'not two'"]]


@pytest.fixture(scope="module")
def sandbox_here():
    """Skip tests if the kernel lacks a layer, because throughput.py measures with all layers."""
    try:
        with closing(Pool(open_sandbox("subprocess", isolation="strict"))) as pool:
            pool.preflight()
    except (NotImplementedError, SandboxUnavailable) as error:
        unavailable(str(error))


@pytest.fixture(scope="module")
def short_run(sandbox_here, tmp_path_factory):
    """Provide a short run of all_figures.py: (finished process, text of its report)."""
    for name in (HUMANEVAL, *(f"humaneval_x_{language}.jsonl.gz" for language in LANGUAGES)):
        read(name)
    for name in ("cpp", "rust", "java", "js"):
        require_file(DATA / "benchmarks" / f"humanevalpack_{name}.jsonl")
    folder = tmp_path_factory.mktemp("figures")
    options = ["--short"] if why_not() else ["--short", "--docker-image", IMAGE]
    # soak.py counts the temporary files, and Ray's sockets need a short path.
    with tempfile.TemporaryDirectory(prefix="figures-") as temporary:
        done = python(FOLDER / "all_figures.py", DATA, folder, *options, timeout=900, TMPDIR=temporary)
    return done, (folder / "report.md").read_text(encoding="utf-8")


@pytest.fixture
def section(short_run):
    """Return a function that returns a script's section of the report."""
    sections = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", short_run[1], re.MULTILINE | re.DOTALL))
    return sections.__getitem__


def lines_in_order(patterns, text):
    """Return the patterns that match no line of a text after the line of the pattern before."""
    lines = iter(text.splitlines())
    return [pattern for pattern in patterns if not any(re.fullmatch(pattern, line.rstrip()) for line in lines)]


@pytest.fixture(scope="module")
def compilers():
    """Skip tests if a compiled language is not installed."""
    require_languages(*LANGUAGES[1:], *QUICK_LANGUAGES)


@pytest.mark.parametrize("script", ROWS)
def test_rows(script, section, request):
    """A script's short form ends with status 0 and prints the rows that its docstring promises."""
    if script in ("humaneval_x.py", "quick_builds.py"):
        request.getfixturevalue("compilers")
    text = section(script)
    assert ": status 0 after " in text, text
    assert lines_in_order(ROWS[script], text) == [], text


def test_every_script_is_run():
    """Every script of the folder has its rows here. Two scripts are run by throughput.py, and one script runs all."""
    scripts = {path.name for path in FOLDER.glob("*.py") if "__main__" in path.read_text(encoding="utf-8")}
    assert scripts == {*ROWS, "bare_loop.py", "code_eval_way.py", "all_figures.py"}


def test_programs_that_are_not_built(compilers):
    """quick_builds.py measures programs that do not compile, and names a language that it has none of."""
    options = [DATA, "--short", "--rounds", "1", "--broken", "--languages"]
    done = python(FOLDER / "quick_builds.py", *options, "rust")
    assert done.returncode == 0, done.stdout + done.stderr
    assert lines_in_order([rf"rust +2 programs:{FIGURE} and{FIGURE} per second, .*"], done.stdout) == []
    refused = python(FOLDER / "quick_builds.py", *options, "scala")
    assert (refused.returncode, refused.stderr.splitlines()[-1]) == (
        2,
        "quick_builds.py: error: --broken has no programs in scala; choose from cpp, rust, java, typescript",
    )


@pytest.mark.parametrize("name", ["date", "commit", "CPU", "cores", "load before", "kernel", "Python"])
def test_report_names_the_conditions(name, short_run):
    """The report begins with the date and the machine."""
    assert re.search(rf"^\| {name} \| \S.* \|$", short_run[1].partition("\n## ")[0], re.MULTILINE)


def test_report_names_no_folder(short_run):
    """The report can be published: its commands name files without their folders."""
    assert str(DATA) not in short_run[1]
    assert "`python performance/cache.py HumanEval.jsonl.gz " in short_run[1]


def test_a_script_that_fails(tmp_path, monkeypatch, capsys):
    """If a script fails, the command continues, ends with status 1, and has the error in its report."""
    monkeypatch.syspath_prepend(FOLDER)
    import all_figures

    missing = ["cluster_model.py", tmp_path / "missing.json"]
    monkeypatch.setattr(all_figures, "commands", lambda *_: [missing, ["cluster_model.py", "--help"]])
    monkeypatch.setattr("sys.argv", ["all_figures.py", str(DATA), str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        all_figures.main()
    assert ended.value.code == 1
    assert re.findall(r"status (\d) after", capsys.readouterr().out) == ["1", "0"]
    assert "FileNotFoundError" in (tmp_path / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("script", "options", "answer"),
    [
        ("bare_loop.py", ["-I", "-S"], {"failed": 1}),
        ("code_eval_way.py", [], {"results": ["passed", "failed: not two"]}),
    ],
)
def test_other_ways(script, options, answer, tmp_path):
    """The loops that ours is compared with run the programs of a file, and print their seconds and the failures."""
    (tmp_path / "programs.json").write_text(json.dumps(PROGRAMS))
    done = python(*options, FOLDER / script, tmp_path / "programs.json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed.pop("seconds") > 0
    assert printed == answer


def test_containers_are_measured(section):
    """With --docker-image throughput.py prints rows for warm containers, and for a container per sample."""
    require_image()
    rows = [rf"{workload}\s+{mode}{FIGURE * 3}\b.*" for workload in ("humaneval", "trivial") for mode in CONTAINERS]
    assert lines_in_order(rows, section("throughput.py")) == []
