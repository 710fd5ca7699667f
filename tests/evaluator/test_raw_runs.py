"""Raw runs through an `Evaluator`: refused runs, languages and commands, coroutines, and no reuse."""

import asyncio
import os

import pytest

from sandboxes import EvalConfig, Evaluator, Limits, Outcome, RawRun, RunStopped, SandboxUnavailable, Task, Verdict
from sandboxes.raw_runs.programs import raw_program, raw_result
from sandboxes.raw_runs.raw_run import MAX_INPUT_BYTES
from support.languages import language_pool
from support.observers import all_gone
from support.raw_runs import execute

SLOW = Limits(wall_seconds=20.0)


@pytest.fixture(scope="module")
def config():
    """Return a configuration with languages that are on every machine."""
    return EvalConfig.from_options({"languages": ["python", "bash"], "timeout": 20})


@pytest.fixture(scope="module")
def pool(config):
    """Return the pool of the configuration's evaluators."""
    with Evaluator(config) as evaluator:
        yield evaluator.pool(config.tasks.all_languages)


@pytest.fixture(scope="module")
def c_pool():
    """Return a pool for programs in C."""
    return language_pool("c")


REFUSED = {
    "neither": (ValueError, "either a source or an argv", {"source": None}),
    "both": (ValueError, "either a source or an argv", {"argv": ["ls"]}),
    "no words": (ValueError, "argv must have a word", {"source": None, "argv": []}),
    "one text as words": (TypeError, "argv must be a list", {"source": None, "argv": "ls -l"}),
    "word that is no text": (TypeError, "arguments must hold texts", {"arguments": [1]}),
    "NUL in a word": (ValueError, "arguments: .* NUL", {"arguments": ["a\0b"]}),
    "surrogate in a word": (ValueError, "arguments: .* surrogate", {"arguments": ["\udc80"]}),
    "source of bytes": (TypeError, "source must be a text", {"source": b"x"}),
    "unknown language": (ValueError, "unknown language 'cobol'", {"language": "cobol"}),
    "stdin of text": (TypeError, "stdin must be bytes", {"stdin": "x"}),
    "absolute name": (ValueError, "files: '/etc/x'", {"files": {"/etc/x": b""}}),
    "name above": (ValueError, r"files: 'a/\.\./\.\./x'", {"files": {"a/../../x": b""}}),
    "dot": (ValueError, r"files: '\./x'", {"files": {"./x": b""}}),
    "empty name": (ValueError, "files: ''", {"files": {"": b""}}),
    "folder": (ValueError, "files: 'a/'", {"files": {"a/": b""}}),
    "NUL in a name": (ValueError, "files: .* NUL", {"files": {"a\0": b""}}),
    "long part": (ValueError, "files: 'xxx", {"files": {"x" * 256: b""}}),
    "long name": (ValueError, "files: 'xxx", {"files": {"/".join(["x" * 200] * 6): b""}}),
    "deep name": (ValueError, "files: 'x/x", {"files": {"x/" * 32 + "x": b""}}),
    "the sandbox's own name": (ValueError, r"files: '\.stdin'", {"files": {".stdin": b""}}),
    "file and folder": (ValueError, "files: 'a' can't be a file and the folder", {"files": {"a": b"", "a/b": b""}}),
    "file of text": (TypeError, "files: 'a' must have bytes", {"files": {"a": "x"}}),
    "list of files": (TypeError, "files must be a dict", {"files": ["a"]}),
    "too many files": (ValueError, "files has 1001 names", {"files": {str(n): b"" for n in range(1001)}}),
    "fetched name above": (ValueError, r"fetch: '\.\./x'", {"fetch": ["../x"]}),
    "fetched text": (TypeError, "fetch must be a list", {"fetch": "x"}),
    "variable without a name": (ValueError, "env: ", {"env": {"": "x"}}),
    "variable with =": (ValueError, "env: ", {"env": {"a=b": "x"}}),
    "surrogate in a variable": (ValueError, "env: .* surrogate", {"env": {"a": "\ud800"}}),
    "variable that is no text": (TypeError, "env must hold strings", {"env": {"a": 1}}),
    "too many bytes": (ValueError, "have 16777217 bytes together", {"stdin": bytes(MAX_INPUT_BYTES)}),
    "too many words": (ValueError, "have .* bytes together", {"env": {"a": "x" * (1 << 20)}}),
    "limits": (TypeError, "limits must be Limits", {"limits": 3}),
    "kept bytes": (ValueError, "kept_bytes must be at most", {"kept_bytes": 1 << 30}),
}


@pytest.mark.parametrize(("error", "message", "fields"), REFUSED.values(), ids=REFUSED)
def test_an_invalid_run_is_refused(error, message, fields):
    """An invalid field is one error, which names the field and the value."""
    with pytest.raises(error, match=message):
        RawRun(**{"source": "x", **fields})


@pytest.mark.parametrize("name", ["candidate.py", "candidate.py/x"])
def test_the_name_of_the_source_is_taken(config, name):
    """A file can't have the name of the program's own source, nor be below it."""
    with Evaluator(config) as evaluator, pytest.raises(ValueError, match="candidate.py"):
        evaluator.execute(RawRun("print(1)", files={name: b""}))


def test_a_policy_refuses_commands_and_other_languages():
    """The sandbox "restricted" runs Python sources under its policy, and refuses all other raw runs."""
    with Evaluator(EvalConfig.from_options({"sandbox": "restricted", "timeout": 20})) as evaluator:
        assert evaluator.execute(RawRun("print(sum(range(4)))")).run.stdout == b"6\n"
        refused = evaluator.execute(RawRun("import os\nos.system('id')")).run
        assert (refused.exit_status, refused.stdout) == (1, b"")
        with pytest.raises(ValueError, match="Python sources only, no argv"):
            evaluator.execute(RawRun(argv=["id"]))
        with pytest.raises(ValueError, match="runs Python only, not bash"):
            evaluator.execute(RawRun("id", language="bash"))


def test_a_command_runs(pool):
    """An argv is run as it is, without a shell, with its own files and input."""
    ended = execute(
        pool, argv=["./start", "$HOME"], files={"start": b"#!/usr/bin/env bash\necho $1; cat; exit 5"}, stdin=b"\xff"
    ).run
    assert (ended.exit_status, ended.stdout) == (5, b"$HOME\n\xff")


@pytest.mark.parametrize(
    ("argv", "files", "status"),
    [(["no-such"], {}, 127), (["./no-such"], {}, 127), (["./d"], {"d/x": b""}, 126), (["./x"], {"x": b"?"}, 126)],
)
def test_a_command_that_cant_be_run_ends_as_in_a_shell(pool, argv, files, status):
    """A command that is not there has status 127, and another one that can't be run 126, with a message."""
    ended = execute(pool, argv=argv, files=files).run
    assert ended.exit_status == status
    assert ended.stderr.startswith(argv[0].encode() + b": ")


def test_too_many_words_are_the_runs_own_affair(pool):
    """A command that the system refuses, because its words are too long, has status 126."""
    ended = execute(pool, argv=["true", "x" * (1 << 18)]).run
    assert (ended.exit_status, ended.stderr) == (126, b"true: Argument list too long\n")


@pytest.mark.languages("c")
def test_the_compiler_has_a_result_of_its_own(c_pool):
    """A program that is compiled has two results, and takes its arguments and its files."""
    source = (
        '#include <stdio.h>\n#include "more.h"\nint main(int c, char **v) { printf("%s %d", v[1], MORE); return 3; }'
    )
    files = {"more.h": b"#define MORE 5\n"}
    result = execute(c_pool, source, language="c", arguments=["a b"], files=files)
    assert (result.compile.exit_status, result.run.exit_status, result.run.stdout) == (0, 3, b"a b 5")
    assert result.compile.wall_seconds > 0


@pytest.mark.languages("c")
def test_a_program_that_does_not_compile_is_not_run(c_pool):
    """A compiler's error has its status and its messages, and there is no run and no file."""
    result = execute(c_pool, "int main( {", language="c", fetch=["out"])
    assert result.compile.exit_status == 1
    assert b"error:" in result.compile.stderr
    assert (result.run, dict(result.files)) == (None, {})


@pytest.mark.languages("c")
def test_the_compilers_limits_are_its_own(c_pool):
    """A compiler that exceeds its limits has that limit, and there is no run."""
    # A million statements take the compiler seconds, also where the clock is looked at late.
    tens = "".join(f"#define T{n} {f'T{n - 1} ' * 10}\n" for n in range(1, 7))
    code = f"#define T0 x++;\n{tens}int main() {{ int x = 0; T6 return x; }}"
    result = execute(c_pool, code, language="c", compile_limits=Limits(wall_seconds=0.05))
    assert (result.compile.limit, result.run) == (Outcome.TIMED_OUT, None)


def test_a_script_of_another_language_gets_arguments(pool):
    """A source that is not compiled has no result of a compiler."""
    result = execute(pool, "echo $1; exit 6", language="bash", arguments=["x"])
    assert (result.compile, result.run.exit_status, result.run.stdout) == (None, 6, b"x\n")


def test_coroutines_share_the_queue_with_tasks(config):
    """`execute_async` and `run_async` run side by side, and each gets its own result."""

    async def run():
        async with Evaluator(config) as evaluator:
            task = Task("assert f() == 1", ["def f(): return 1"])
            runs = [evaluator.execute_async(RawRun(f"print({number})", limits=SLOW)) for number in range(20)]
            bash = evaluator.execute_async(RawRun("echo 1", language="bash", limits=SLOW))
            return await asyncio.gather(evaluator.run_async(task), *runs, bash, evaluator.run_async(task))

    first, *results, bash, last = asyncio.run(run())
    assert first.passed and last.passed
    assert [int(result.run.stdout) for result in results] == [*range(20)]
    assert bash.run.stdout == b"1\n"


def test_a_cancelled_run_ends(config):
    """If the waiting coroutine is cancelled, the program ends at once, and those behind it run."""
    argv = ["python3", "-c", "import time; time.sleep(600)", "cancelled-raw-run"]
    hour = Limits(wall_seconds=3600)

    async def run():
        async with Evaluator(config) as evaluator:
            hangs = [asyncio.ensure_future(evaluator.execute_async(RawRun(argv=argv, limits=hour))) for _ in range(4)]
            behind = [asyncio.ensure_future(evaluator.execute_async(RawRun("print(1)"))) for _ in range(20)]
            await asyncio.sleep(1)
            for task in hangs:
                task.cancel()
            await asyncio.gather(*hangs, return_exceptions=True)
            return await asyncio.wait_for(asyncio.gather(*behind), 60)

    assert {result.run.stdout for result in asyncio.run(run())} == {b"1\n"}
    assert all_gone("cancelled-raw-run")


def test_a_language_of_no_configuration_is_refused(config):
    """A coroutine can't run a language that the open evaluator has not looked for."""

    async def run():
        async with Evaluator(config) as evaluator:
            await evaluator.execute_async(RawRun("fn main() {}", language="rust"))

    with pytest.raises(ValueError, match="'rust' is not one of the configuration's, which are bash, python"):
        asyncio.run(run())


def test_coroutines_need_an_open_evaluator(config):
    """`execute_async` outside of `async with` is an error that says so."""
    with pytest.raises(RuntimeError, match="use it in `async with`"):
        asyncio.run(Evaluator(config).execute_async(RawRun("")))


def test_should_stop_ends_it(config):
    """A run ends soon after `should_stop` has returned True."""
    with Evaluator(config) as evaluator, pytest.raises(RunStopped):
        evaluator.execute(RawRun("while True: pass", limits=Limits(wall_seconds=3600)), should_stop=lambda: True)


def test_nothing_is_reused(tmp_path):
    """A raw run runs each time, whatever cache, dedupe and repeats say, and it runs once."""
    options = {"cache_dir": str(tmp_path), "dedupe": True, "repeats": 3, "timeout": 20}
    source = "import os\nprint(os.urandom(8).hex())"

    async def run():
        async with Evaluator(EvalConfig.from_options(options)) as evaluator:
            return await asyncio.gather(*(evaluator.execute_async(RawRun(source)) for _ in range(8)))

    outputs = [result.run.stdout for result in asyncio.run(run())]
    assert len({*outputs}) == 8
    assert not any(os.scandir(tmp_path))


def test_a_broken_sandbox_is_no_result():
    """The error of a sandbox is raised, and no result claims anything."""
    with pytest.raises(SandboxUnavailable, match="broke"):
        raw_result(SandboxUnavailable("it broke"))


def test_a_guest_without_memory_is_the_runs_limit():
    """A verdict that no guest could give, because the run used up all memory, is a limit of the run."""
    result = raw_result(Verdict(Outcome.OUT_OF_MEMORY, "used all the memory"))
    assert (result.run.limit, result.run.exit_status) == (Outcome.OUT_OF_MEMORY, None)


def test_the_plan_is_shared(pool):
    """Runs with equal limits have one plan, so that a guest reads it once."""
    programs = [raw_program(RawRun(source, files={"x": b"y"}), pool.sandbox) for source in ("a", "b")]
    assert programs[0].tests is programs[1].tests
