"""Quick builds: they build what the plain builds build, and change no verdict."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sandboxes import Limits, Outcome, Pool, open_sandbox
from sandboxes.backends.host_state import QUICK_FOLDERS
from sandboxes.languages import java
from sandboxes.languages.compilers import cpp_headers
from sandboxes.languages.compilers.archived_classes import JAR
from sandboxes.languages.compilers.jvm_driver import DRIVER_FILE
from sandboxes.languages.compilers.quick_builds import QUICK_FILE, REFUSED_STATUS, refusing
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import required_paths
from support.language_programs import PROGRAMS
from support.languages import language_pool, require_languages
from support.metric_and_command import ROOT
from support.observers import passes
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

LIMITS = Limits(wall_seconds=WALL_SECONDS)
HEADER = "#include <cstdlib>\n"
QUICK_LANGUAGES = ("cpp", "rust", "java", "typescript")
KINDS = ("add", "wrong", "broken", "failing", "leaving")
# The compilers of Scala and Kotlin take seconds.
QUICK_PROGRAMS = [
    *((language, kind) for language in (*QUICK_LANGUAGES, "clojure") for kind in KINDS),
    *((language, kind) for language in ("scala", "kotlin") for kind in ("add", "broken")),
]
BROKEN_FILES = [
    *(
        (name, content)
        for name in ("cpp", "java", "typescript", "rust")
        for content in ("nothing", "half", "head and zeros")
    ),
    ("scala", "half"),
]
# What only the plain build or run of a language reads, and the outcome of a program with neither.
PLAIN_ONLY = {
    "cpp": ("code_eval_token.cpp", Outcome.COMPILE_ERROR),
    "rust": ("code_eval_token.c", Outcome.COMPILE_ERROR),
    "typescript": ("code_eval_transpile.js", Outcome.COMPILE_ERROR),
    "scala": (DRIVER_FILE, Outcome.COMPILE_ERROR),
    "clojure": ("code_eval_driver.clj", Outcome.FAILED),
}
WITH_LIST = "#include <algorithm>\n#include <list>\n"
SUM_ELSEWHERE = 'extern "C" { fn sum(a: i32) -> i32; }\n'
# Candidates that are not built.
NOT_BUILT = {
    ("cpp", "a name that is not there"): HEADER + "int add(int a, int b) { return a + c; }",
    ("cpp", "no semicolon"): HEADER + "int add(int a, int b) { return a + b }",
    ("cpp", "another type"): HEADER + "const char *add(int a, int b) { return a + b; }",
    ("cpp", "a directive"): HEADER + "#error no sum\n",
    ("cpp", "an assertion"): HEADER + 'static_assert(false, "no sum");\n',
    ("cpp", "no function of the tests"): HEADER + "int sum(int a, int b) { return a + b; }",
    ("cpp", "an open bracket"): HEADER + "int add(int a, int b) { return a + b;",
    ("cpp", "no such header"): HEADER + "#include <sums.h>\n",
    ("cpp", "a forgotten header"): "#include <cstdio>\nint add(int a, int b) { return std::max(a + b, 0); }",
    ("cpp", "an error in a header"): WITH_LIST + "void add(std::list<int> l) { std::sort(l.begin(), l.end()); }",
    ("cpp", "a function without a body"): HEADER + "int add(int a, int b);",
    ("java", "a name that is not there"): "class Solution { static int add(int a, int b) { return a + c; } }",
    ("java", "no semicolon"): "class Solution { static int add(int a, int b) { return a + b } }",
    ("java", "no function of the tests"): "class Solution {}",
    ("rust", "a name that is not there"): "fn add(a: i32, b: i32) -> i32 { a + c }",
    ("rust", "another type"): 'fn add(a: i32, b: i32) -> i32 { "a" }',
    ("rust", "a value that is moved"): "fn add(a: i32, b: i32) -> i32 { let v = vec![a]; drop(v); v[0] + b }",
    ("rust", "no function of the tests"): "fn sum(a: i32, b: i32) -> i32 { a + b }",
    ("rust", "no semicolon"): "fn add(a: i32, b: i32) -> i32 { let c = a + b c }",
    ("rust", "no such library"): "extern crate sums;\nfn add(a: i32, b: i32) -> i32 { a + b }",
    ("rust", "a function without a body"): SUM_ELSEWHERE + "fn add(a: i32, b: i32) -> i32 { unsafe { sum(a + b) } }",
}
# Those whose message may be another one in the plain build.
IN_DOUBT = {
    ("cpp", "an open bracket"),
    ("cpp", "no such header"),
    ("cpp", "an error in a header"),
    ("cpp", "a function without a body"),
    ("rust", "no semicolon"),
    ("rust", "no such library"),
    ("rust", "a function without a body"),
}

OWN, ABOUT_TOOLS, OTHERS = "Box.java:2: error: no sum", "Error occurred during initialization of VM", "no such file"
# What a quick build writes and its status, and then the status and the message of what may refuse.
BUILDS = {
    "built": ("a warning", 0, 0, ""),
    "an error in the program": (OWN, 1, REFUSED_STATUS, f"{OWN}\n"),
    "an error of the tools beside one": (f"{ABOUT_TOOLS}\n{OWN}", 1, 1, ""),
    "another error": (OTHERS, 1, 1, ""),
    "an end by a signal": ("", 137, 1, ""),
}


def changed(program, **files):
    """Return a program with other texts in its files. A file whose text is None is not there."""
    content = json.loads(program.candidate)
    content["files"].update(files)
    content["files"] = {path: text for path, text in content["files"].items() if text is not None}
    return replace(program, candidate=json.dumps(content))


def moved(program, folder, other):
    """Return a program that finds what is prepared for it in another folder."""
    files = json.loads(program.candidate)["files"]
    return changed(program, **{path: text.replace(str(folder), str(other)) for path, text in files.items()})


def build(language, candidate, tests):
    """Return a program whose C++ headers are compiled now, and the path of what is prepared for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpp_headers, "PROGRAMS_BEFORE", 1)
        patch.setattr(cpp_headers, "MAX_SETS", 1000)
        patch.setattr(cpp_headers, "_seen", Counter())
        program = build_program(language, candidate, tests, LIMITS)
    return program, json.loads(program.candidate)["files"][QUICK_FILE].strip()


def without_warm_compiler(program):
    """Return a program that its own build builds, even if a compiler stays."""
    plan = json.loads(program.tests, object_hook=lambda part: {name: part[name] for name in part if name != "warm"})
    return replace(program, tests=json.dumps(plan))


def pool_for(languages, paths=(), **options):
    """Return a pool whose programs see what languages need, and other paths."""
    require_languages(*languages)
    return Pool(open_sandbox("subprocess", read_only_paths=[*required_paths(languages), *paths], **options))


@pytest.fixture(scope="module")
def pool():
    """Return a pool for programs in each language that has quick builds."""
    return language_pool(*dict.fromkeys(language for language, _ in QUICK_PROGRAMS))


def sources_of(language):
    """Return the candidates of a language by kind, as far as its quick builds build them."""
    first = HEADER if language == "cpp" else ""
    return {kind: first + getattr(PROGRAMS[language], kind) for kind in KINDS}


@pytest.mark.parametrize("language", PLAIN_ONLY)
def test_the_quick_build_is_whole(pool, language):
    """A program passes with what is prepared alone."""
    file, outcome = PLAIN_ONLY[language]
    program, _ = build(language, sources_of(language)["add"], PROGRAMS[language].tests)
    quick = changed(program, **{file: None})
    with_quick, with_neither = pool.run_all([quick, changed(quick, **{QUICK_FILE: "\n"})], 1)
    passes(with_quick)
    assert with_neither.outcome is outcome


@pytest.mark.parametrize(("language", "kind"), QUICK_PROGRAMS)
def test_verdicts_are_those_of_the_plain_build(pool, language, kind):
    """A program has the same outcome, and the compiler's message the same text, with and without the quick build."""
    program, _ = build(language, sources_of(language)[kind], PROGRAMS[language].tests)
    quick, plain = pool.run_all([program, changed(program, **{QUICK_FILE: "\n"})], 1)
    assert quick.outcome is plain.outcome
    if quick.outcome is Outcome.COMPILE_ERROR:
        assert (quick.detail, quick.exception_message) == (plain.detail, plain.exception_message)


@pytest.mark.parametrize(("language", "name"), NOT_BUILT)
def test_messages_are_those_of_the_plain_build(pool, language, name):
    """The message about a program that is not built is the plain build's."""
    program = without_warm_compiler(build(language, NOT_BUILT[language, name], PROGRAMS[language].tests)[0])
    quick, plain = pool.run_all([program, changed(program, **{QUICK_FILE: "\n"})], 1)
    assert (quick.outcome, quick.detail) == (plain.outcome, plain.detail)
    assert plain.outcome is Outcome.COMPILE_ERROR


@pytest.mark.parametrize(("language", "name"), [key for key in NOT_BUILT if key[0] in PLAIN_ONLY])
def test_only_in_doubt_is_the_plain_build_made(pool, language, name):
    """A program that is not built is built a second time only if its message may be another one then."""
    file = PLAIN_ONLY[language][0]
    program, _ = build(language, NOT_BUILT[language, name], PROGRAMS[language].tests)
    [verdict] = pool.run_all([changed(program, **{file: None})], 1)
    assert (file in verdict.stderr) is ((language, name) in IN_DOUBT)


@pytest.mark.parametrize(("text", "status", "ends_with", "message"), BUILDS.values(), ids=BUILDS)
def test_a_build_refuses_what_it_is_sure_of(text, status, ends_with, message):
    """A build refuses a program whose error is in its own lines. Java's patterns stand for those of each language."""
    quick = f'sh -c \'printf "%s" "{text}" >&2; exit {status}\''
    build = refusing(quick, java.OWN_ERRORS, java.OTHER_ERRORS)
    done = subprocess.run(["sh", "-c", build], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (ends_with, message)


@pytest.mark.parametrize(("language", "content"), BROKEN_FILES)
def test_a_broken_prepared_file_changes_no_verdict(tmp_path, language, content):
    """A right program passes, and a wrong one does not, if what is prepared for them is broken."""
    sources = sources_of(language)
    built = [build(language, sources[kind], PROGRAMS[language].tests) for kind in ("add", "wrong")]
    with closing(pool_for({language})):
        prepared = Path(built[0][1])
    read = prepared.with_name(f"{prepared.name}.gch") if language == "cpp" else prepared
    whole = read.read_bytes()
    half, head = len(whole) // 2, len(whole) // 10
    broken = {"nothing": b"", "half": whole[:half]}.get(content, whole[:head] + bytes(len(whole) - head))
    (tmp_path / prepared.name).write_bytes(prepared.read_bytes())
    (tmp_path / read.name).write_bytes(broken)
    jar = prepared.parent.with_name(f"{prepared.parent.name}-jar")
    beside = tmp_path.with_name(f"{tmp_path.name}-jar")
    beside.mkdir()
    if jar.exists():
        shutil.copy2(jar / JAR, beside)
    programs = [moved(program, prepared.parent, tmp_path) for program, _ in built]
    with closing(pool_for({language}, [str(tmp_path), str(beside)])) as pool:
        right, wrong = pool.run_all(programs, 1)
    passes(right)
    assert wrong.outcome.value in ("failed", "crashed")


def test_a_prepared_file_that_programs_can_write_is_not_used(tmp_path):
    """Nothing that a candidate may have changed is part of another candidate's build."""
    require_languages("cpp")
    program, prepared = build("cpp", sources_of("cpp")["add"], PROGRAMS["cpp"].tests)
    for name in ("headers.h", "headers.h.gch"):
        shutil.copyfile(Path(prepared).with_name(name), tmp_path / name)
        (tmp_path / name).chmod(0o666)
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o055)
    quick = changed(program, **{PLAIN_ONLY["cpp"][0]: None, QUICK_FILE: f"{tmp_path}/headers.h\n"})
    with closing(pool_for({"cpp"}, [str(tmp_path)], isolation="off")) as pool:
        assert pool.run_all([quick], 1)[0].outcome is Outcome.COMPILE_ERROR
        for name in ("headers.h", "headers.h.gch"):
            (tmp_path / name).chmod(0o444)
        passes(pool.run_all([quick], 1)[0])


def test_quick_builds_without_isolation():
    """Programs that run as another user have quick builds too."""
    program, _ = build("cpp", sources_of("cpp")["add"], PROGRAMS["cpp"].tests)
    with closing(pool_for({"cpp"}, isolation="off")) as pool:
        passes(pool.run_all([changed(program, **{PLAIN_ONLY["cpp"][0]: None})], 1)[0])


def test_a_header_that_is_forgotten_is_missing(pool):
    """A candidate that includes one header, and uses another one, is not compiled, whatever headers are compiled."""
    forgets = "#include <cstdio>\nint add(int a, int b) { return std::vector<int>{a + b}[0]; }\n"
    tests = PROGRAMS["cpp"].tests
    programs = [build("cpp", first + forgets, tests)[0] for first in ("", "#include <vector>\n")]
    outcomes = [verdict.outcome for verdict in pool.run_all(programs, 1)]
    assert outcomes == [Outcome.COMPILE_ERROR, Outcome.PASSED]


def test_processes_that_prepare_at_once(tmp_path):
    """Two processes that prepare the same files at once both find them whole."""
    require_languages("typescript")
    code = """if True:
        from sandboxes.languages.compilers import typescript_compiler
        print(*typescript_compiler.prepare_snapshot())
    """
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", code]
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) for _ in range(2)
    ]
    folders = {process.communicate()[0].strip() for process in processes}
    assert len(folders) == 1
    assert [each.name for each in (tmp_path / "code-eval").iterdir()] == [Path(folders.pop()).name]


def test_what_is_prepared_decides_no_key(tmp_path):
    """Verdicts in a cache stay valid when more is prepared. Other files that programs see decide them."""
    for name, is_same in ((f"{QUICK_FOLDERS}cpp-1", True), ("others", False)):
        (tmp_path / name).mkdir()
        sandbox = open_sandbox("subprocess", read_only_paths=[str(tmp_path / name)])
        key = sandbox.cache_key()
        (tmp_path / name / "more").touch()
        assert (sandbox.cache_key() == key) is is_same
