"""The command `code-eval`: `run`, `doctor`, and how commands end."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import uuid

import pytest

from sandboxes.languages.registry import LANGUAGES
from sandboxes.workers.canaries import CANARIES
from support.metric_and_command import PROBLEM, ROOT, SECONDS, code_eval, environment, lines_of, results_of
from support.observers import all_gone, processes_with, runs, wait_until

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples"
RIGHT, WRONG = "    return a + b\n", "    return a * b\n"


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    """Provide a finished run on the examples, and the results that it wrote."""
    output = tmp_path_factory.mktemp("examples") / "results.jsonl"
    arguments = ["run", EXAMPLES / "samples.jsonl", "--problems", EXAMPLES / "problems.jsonl", "--output", output]
    done = code_eval(*arguments, "-k", 1, "-k", 3)
    assert done.returncode == 0, done.stderr
    return done, results_of(output)


def test_examples_outcomes(examples):
    """The examples end as their own page says."""
    outcomes = {}
    for record in examples[1]:
        outcomes.setdefault(record["task_id"], []).append(record["outcome"])
    assert outcomes == json.loads((EXAMPLES / "expected.json").read_text())


def test_examples_report(examples):
    """The command prints each pass@k in percent with its error, and how many samples ended in each way."""
    rows = [line.split() for line in examples[0].stdout.splitlines()]
    assert ["pass@1", *"43.1 ± 6.6 % (95 % interval 31.4 to 55.3)".split()] in rows
    assert ["pass@3", *"82.9 ± 7.7 % (95 % interval 66.7 to 92.9)".split()] in rows
    assert ["±:", *"standard error of the mean over tasks; intervals: bootstrap over tasks".split()] in rows
    assert all(
        [*outcome.split(), count] in rows for outcome, count in (("passed", "27"), ("timed out", "2"), ("crashed", "1"))
    )


def test_output_keeps_the_samples(examples):
    """The results are the samples, in their order and with their fields."""
    samples = lines_of(EXAMPLES / "samples.jsonl")
    assert [{name: record[name] for name in samples[0]} for record in examples[1]] == samples


def test_output_order_of_mixed_tasks(files, tmp_path):
    """Results are in the samples' order even if tasks alternate."""
    problems = [{**PROBLEM, "task_id": f"t/{number}"} for number in range(3)]
    samples = [{"task_id": f"t/{place % 3}", "completion": f"    return a + b  # {place}\n"} for place in range(9)]
    arguments = files(samples, problems)
    assert code_eval(*arguments, "--output", tmp_path / "results.jsonl").returncode == 0
    results = results_of(tmp_path / "results.jsonl")
    assert [{name: record[name] for name in ("task_id", "completion")} for record in results] == samples


def test_output_is_whole(files, tmp_path):
    """Beside the results no other file is left in their folder."""
    arguments = files([RIGHT])
    code_eval(*arguments, "--output", tmp_path / "out.jsonl")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "problems.jsonl", "samples.jsonl"]


def test_local_dataset(files, tmp_path):
    """--dataset takes a folder that `datasets.load_dataset` reads."""
    _, samples, *_ = files([RIGHT, WRONG])
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "test.jsonl").write_text(json.dumps(PROBLEM) + "\n")
    done = code_eval("run", samples, "--dataset", tmp_path / "set", "-k", 1)
    assert done.returncode == 0, done.stderr
    assert ["pass@1", "50.0", "%"] in [line.split() for line in done.stdout.splitlines()]


@pytest.mark.parametrize("both", [True, False])
def test_problems_or_dataset(files, both):
    """Both of --problems and --dataset together, or neither of them, are an error that names the two."""
    _, samples, *problems = files([RIGHT])
    done = code_eval("run", samples, *([*problems, "--dataset", "x"] if both else []))
    assert done.returncode == 2
    assert "either --problems FILE or --dataset NAME" in done.stderr


# If this program ran, the command would not end. A command that ends has not run it.
NEVER_ENDS = "    return 0\nwhile True:\n    pass\n"


def test_bad_lines(files, tmp_path):
    """All bad lines are reported with file and line, nothing is run or written, and the status is not 0."""
    runs = {"task_id": "t/0", "completion": NEVER_ENDS}
    arguments = files([runs, {"task_id": "t/9", "completion": ""}, runs, {"task_id": "t/0"}])
    done = code_eval(*arguments, "--timeout", 10 * SECONDS, "--output", tmp_path / "results.jsonl")
    assert done.returncode == 2
    assert [line.partition(": ")[0] for line in done.stderr.splitlines()] == [f"{arguments[1]}:{n}" for n in (2, 4)]
    assert not (tmp_path / "results.jsonl").exists()


@pytest.mark.parametrize("which", ["samples", "problems"])
def test_missing_file(files, tmp_path, which):
    """A missing file is an error that names it, without a traceback."""
    arguments = files([RIGHT])
    (tmp_path / f"{which}.jsonl").unlink()
    done = code_eval(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"can't read {tmp_path / which}.jsonl: ")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sandbox", "dokcer"], "unknown sandbox 'dokcer'; choose one of subprocess"),
        (["--timeout", "-1"], "not -1.0"),
        (["--timeout", "nan"], "not nan"),
        (["--timeout", "soon"], "'--timeout'"),
        (["-k", "0"], "'-k'"),
        (["--num-workers", "0"], "'--num-workers'"),
        (["--on-sandbox-error", "x"], "--on-sandbox-error must be one of raise, exclude, not 'x'"),
        (["--grading", "x"], "--grading must be one of shared, separate, auto, not 'x'"),
        (["--isolation", "x"], "--isolation must be one of auto, strict, off, not 'x'"),
        (["--memory-mb", "0"], "'--memory-mb'"),
        (["--read-only-path", "/nowhere"], "there is no '/nowhere'"),
        (["--preload", "nothing_of_that_name"], "no module 'nothing_of_that_name'"),
    ],
    ids=str,
)
def test_options_that_cannot_be_right(files, options, said):
    """An invalid option is an error that names it, with status 2 and no traceback."""
    done = code_eval(*files([RIGHT]), *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("output", "reason"), [("nowhere/results.jsonl", "there is no folder {}/nowhere"), (".", "it is a directory")]
)
def test_unwritable_output(files, tmp_path, output, reason):
    """Results that can't be written are an error that names the file and the reason, with status 2."""
    done = code_eval(*files([RIGHT]), "--output", tmp_path / output)
    assert (done.returncode, done.stderr) == (2, f"can't write {tmp_path / output}: {reason.format(tmp_path)}\n")


@pytest.mark.parametrize("more", [[], ["--format", "csv"]], ids=str)
def test_the_working_folder_is_no_output(files, more):
    """The working folder, whose path has no name, is an error like that of every other folder."""
    done = code_eval(*files([RIGHT]), "--output", ".", *more)
    assert (done.returncode, done.stderr) == (2, "can't write .: it is a directory\n")


def test_a_warning_is_one_line(files):
    """A warning is a line of its own, without the place in the code that Python names."""
    done = code_eval(*files([RIGHT]), "--cache-dir", "/proc/none")
    reason = "No such file or directory; the run goes on without it"
    assert done.stderr.splitlines()[0] == f"warning: the cache of results in /proc/none can't be used: {reason}"


@pytest.mark.parametrize("arguments", [["--version"], ["run", "--help"], []], ids=str)
def test_a_full_disk_below_stdout(files, arguments):
    """A report that can't be written is an error in one line, with status 2."""
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "code_tasks.cli", *(arguments or files([RIGHT]))]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment(), cwd=ROOT)
    assert (done.returncode, done.stderr) == (2, "can't write to stdout or a file: No space left on device\n")


def test_unwritable_output_is_found_before_the_run(files, tmp_path):
    """Results that can't be written are found out before the samples run, not hours later."""
    options = ["--timeout", 10 * SECONDS, "--output", tmp_path / "nowhere" / "results.jsonl"]
    assert code_eval(*files([NEVER_ENDS]), *options).returncode == 2


def test_help_lists_every_option():
    """`run --help` lists every option."""
    listed = re.findall(r"(?<!\S)--?[a-z][a-z-]*", code_eval("run", "--help").stdout)
    options = {"--problems", "--dataset", "--split", "-k", "--timeout", "--num-workers", "--sandbox", "--output"}
    options |= {"--on-sandbox-error", "--grading", "--memory-mb", "--isolation"}
    options |= {"--network", "--read-only-path", "--preload"}
    assert options <= set(listed)


def test_help_lists_every_command():
    """`--help` lists every command."""
    rows = [line.split()[1:2] for line in code_eval("--help").stdout.splitlines()]
    assert [command for command in ("run", "doctor") if [command] not in rows] == []


def test_doctor():
    """`doctor` prints the active layers and every canary's outcome, and its status is 0 if nothing is wrong."""
    done = code_eval("doctor")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert ["on", "rlimits"] in [row[:2] for row in rows]
    assert all([*canary.name.split(), *canary.outcome.label.split()] in rows for canary in CANARIES)


@pytest.mark.slow
@pytest.mark.languages
def test_doctor_of_languages():
    """`doctor --languages` has each language's version and a canary that passes, or what to install."""
    done = code_eval("doctor", "--languages")
    assert done.returncode == 0, done.stderr
    for language in LANGUAGES.values():
        [line] = [line for line in done.stdout.splitlines() if line.startswith(f"  {language.label:<14}")]
        assert re.search(r"\bpassed .*\d|not run: .* (Debian's package|install python3)", line), line


def test_doctor_of_an_unknown_sandbox():
    """`doctor` with an unknown sandbox names the known ones."""
    done = code_eval("doctor", "--sandbox", "dokcer")
    assert done.returncode == 2
    assert "unknown sandbox 'dokcer'; choose one of subprocess" in done.stderr


ESCAPES = "\033[2J\033]0;title\007\x9b31m\r\u202e"


@pytest.mark.parametrize(
    "completion",
    [
        f"    raise ValueError({ESCAPES!r})\n",
        f"    return 0\nclass Error(Exception):\n    pass\nError.__name__ = {ESCAPES!r}\nraise Error\n",
        f"    return 0\nprint({ESCAPES!r})\nraise SystemExit({ESCAPES!r})\n",
        f"    return 0\n{ESCAPES}\n",
    ],
    ids=["message", "class name", "exit", "source"],
)
def test_terminal_escapes(files, completion):
    """A candidate's terminal escape codes don't reach the terminal."""
    done = code_eval(*files([completion]))
    assert done.returncode == 0, done.stderr
    assert "failing tasks" in done.stdout
    said = done.stdout + done.stderr
    assert [char for char in "\033\007\x9b\r\u202e" if char in said] == []


def test_terminal_escapes_in_a_task_id(files):
    """A task_id's terminal escape codes don't reach the terminal."""
    done = code_eval(*files([WRONG], [{**PROBLEM, "task_id": ESCAPES}], task_id=ESCAPES), "-k", 2)
    said = done.stdout + done.stderr
    assert "pass@2" in said
    assert [char for char in "\033\007\x9b\r\u202e" if char in said] == []


def test_text_that_is_no_text(files, tmp_path):
    """A lone surrogate in a completion fails that sample, and comes back as it was."""
    completions = [RIGHT, "    return '\ud800'\n"]
    done = code_eval(*files(completions), "--output", tmp_path / "results.jsonl")
    assert done.returncode == 0, done.stderr
    results = results_of(tmp_path / "results.jsonl")
    assert [(each["completion"], each["passed"]) for each in results] == [(RIGHT, True), (completions[1], False)]


@pytest.fixture
def temporary():
    """Provide an empty folder for temporary files that every user may enter."""
    with tempfile.TemporaryDirectory(prefix="tmp-of-tests-") as path:
        os.chmod(path, 0o755)
        yield path


def test_interrupt(files, temporary, tmp_path):
    """Ctrl-C ends a run soon, and leaves neither a process nor a folder nor half of a file."""
    output = tmp_path / "results.jsonl"
    begun = f"begun-{uuid.uuid4()}"
    sleeps = f"    return 0\nimport subprocess\nsubprocess.run([{begun!r}, '1000'], executable='sleep')\n"
    command = [sys.executable, "-m", "code_tasks.cli", *files([sleeps] * 4), "--timeout", 1000, "--output", output]
    process = subprocess.Popen(
        [str(each) for each in command],
        cwd=ROOT,
        env=environment(TMPDIR=temporary),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

    try:
        assert wait_until(lambda: runs(begun), SECONDS)
        assert processes_with(temporary)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode != 0
    assert "Traceback" not in said
    assert all_gone(temporary)
    assert all_gone(begun)
    assert (os.listdir(temporary), output.exists()) == ([], False)
