"""Quick builds: they build what the plain builds build, and change no verdict."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sandboxes import Limits, Outcome, Pool, SandboxUnavailable, open_sandbox
from sandboxes.backends.host_state import QUICK_FOLDERS
from sandboxes.languages.calls.cpp import cpp_call
from sandboxes.languages.compilers import cpp_headers
from sandboxes.languages.compilers.archived_classes import JAR
from sandboxes.languages.compilers.jvm_driver import DRIVER_FILE
from sandboxes.languages.compilers.quick_builds import QUICK_FILE
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import probe_version, required_paths
from support.language_programs import PROGRAMS
from support.metric_and_command import ROOT
from support.observers import passes
from support.requirements import WALL_SECONDS, unavailable

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
    *((name, content) for name in ("cpp", "java", "typescript") for content in ("nothing", "half", "head and zeros")),
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
# Candidates that are not built, and whether the quick build is enough to tell.
NOT_BUILT = {
    ("cpp", "a name that is not there"): (HEADER + "int add(int a, int b) { return a + c; }", True),
    ("cpp", "no semicolon"): (HEADER + "int add(int a, int b) { return a + b }", True),
    ("cpp", "another type"): (HEADER + "const char *add(int a, int b) { return a + b; }", True),
    ("cpp", "a directive"): (HEADER + "#error no sum\n", True),
    ("cpp", "an assertion"): (HEADER + 'static_assert(false, "no sum");\n', True),
    ("cpp", "no function of the tests"): (HEADER + "int sum(int a, int b) { return a + b; }", True),
    ("cpp", "an open bracket"): (HEADER + "int add(int a, int b) { return a + b;", False),
    ("cpp", "no such header"): (HEADER + "#include <sums.h>\n", False),
    ("cpp", "a forgotten header"): ("#include <cstdio>\nint add(int a, int b) { return std::max(a + b, 0); }", True),
    ("cpp", "an error in a header"): (
        "#include <algorithm>\n#include <list>\nvoid add(std::list<int> l) { std::sort(l.begin(), l.end()); }",
        False,
    ),
    ("cpp", "a function without a body"): (HEADER + "int add(int a, int b);", False),
    ("rust", "a name that is not there"): ("fn add(a: i32, b: i32) -> i32 { a + c }", True),
    ("rust", "another type"): ('fn add(a: i32, b: i32) -> i32 { "a" }', True),
    ("rust", "a value that is moved"): (
        "fn add(a: i32, b: i32) -> i32 { let v = vec![a]; drop(v); v[0] + b }",
        True,
    ),
    ("rust", "no function of the tests"): ("fn sum(a: i32, b: i32) -> i32 { a + b }", True),
    ("rust", "no semicolon"): ("fn add(a: i32, b: i32) -> i32 { let c = a + b c }", False),
    ("rust", "no such library"): ("extern crate sums;\nfn add(a: i32, b: i32) -> i32 { a + b }", False),
    ("rust", "a function without a body"): (
        'extern "C" { fn sum(a: i32) -> i32; }\nfn add(a: i32, b: i32) -> i32 { unsafe { sum(a + b) } }',
        False,
    ),
}
FIRST = {
    "includes": ("#include <vector>\n# include<string>\nint f();\n#include <map>\n", ("string", "vector")),
    "a namespace": ("#include <vector>\nusing namespace std;\n#include <map>\n", ("map", "vector")),
    "comments": ("/* #include <map>\n*/ // #include <set>\n#include <vector> // sorted\n", ("vector",)),
    "all headers": ("#include <bits/stdc++.h>\n#include <vector>\n#include <math.h>\n", ("bits/stdc++.h", "math.h")),
    "a macro": ("#define _GLIBCXX_DEBUG\n#include <vector>\n", ()),
    "a pragma": ('#pragma GCC optimize("O3")\n#include <vector>\n', ()),
    "a condition": ("#if 0\n#include <vector>\n#endif\n", ()),
    "a header that is not well known": ("#include <vector>\n#include <boost/any.hpp>\n", ()),
    "a comment that goes on": ("// a comment \\ \n#include <vector>\n#include <map>\n", ()),
    "a comment that goes on by a trigraph": ("// why??/\n#include <vector>\n", ()),
    "code on the line": ("int a;\n#include <vector>\n", ()),
    "nothing": ("", ()),
}


def changed(program, **files):
    """Return a program with other texts in its files. A file whose text is None is not there."""
    content = json.loads(program.candidate)
    content["files"].update(files)
    content["files"] = {path: text for path, text in content["files"].items() if text is not None}
    return replace(program, candidate=json.dumps(content))


def build(language, candidate, tests):
    """Return a program whose C++ headers are compiled now, and the path of what is prepared for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpp_headers, "PROGRAMS_BEFORE", 1)
        patch.setattr(cpp_headers, "MAX_SETS", 1000)
        patch.setattr(cpp_headers, "_seen", Counter())
        program = build_program(language, candidate, tests, LIMITS)
    return program, json.loads(program.candidate)["files"][QUICK_FILE].strip()


def pool_for(languages, paths=(), **options):
    """Return a pool whose programs see what languages need, and other paths."""
    try:
        pool = Pool(open_sandbox("subprocess", read_only_paths=[*required_paths(languages), *paths], **options))
        for language in languages:
            probe_version(pool, language)
    except SandboxUnavailable as error:
        unavailable(str(error))
    return pool


@pytest.fixture(scope="module")
def pool():
    """Return a pool for programs in each language that has quick builds."""
    pool = pool_for({language for language, _ in QUICK_PROGRAMS})
    yield pool
    pool.close()


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
    """The message about a program that is not built is the plain build's, which is made only if there is doubt."""
    candidate, tells = NOT_BUILT[language, name]
    program, _ = build(language, candidate, PROGRAMS[language].tests)
    quick_only = changed(program, **{PLAIN_ONLY[language][0]: None})
    quick, plain, told = pool.run_all([program, changed(program, **{QUICK_FILE: "\n"}), quick_only], 1)
    assert (quick.outcome, quick.detail) == (plain.outcome, plain.detail)
    assert plain.outcome is Outcome.COMPILE_ERROR
    assert (told.stderr == plain.stderr) is tells


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
    programs = [changed(program, **{QUICK_FILE: f"{tmp_path / prepared.name}\n"}) for program, _ in built]
    with closing(pool_for({language}, [str(tmp_path), str(beside)])) as pool:
        right, wrong = pool.run_all(programs, 1)
    passes(right)
    assert wrong.outcome.value in ("failed", "crashed")


def test_a_prepared_file_that_programs_can_write_is_not_used(tmp_path):
    """Nothing that a candidate may have changed is part of another candidate's build."""
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


@pytest.mark.parametrize(("source", "headers"), FIRST.values(), ids=FIRST)
def test_first_headers(source, headers):
    """The headers of a candidate are those that it includes before anything else, and no comment's."""
    assert cpp_headers.first_headers(source) == headers


def test_hostile_first_lines_take_no_time():
    """A text of many comments that do not end is looked through at once."""
    began = time.process_time()
    for text in ("/*" * 100_000, "/**/" * 100_000 + "x", "//\\\n" * 100_000, "#include <" * 100_000):
        assert cpp_headers.first_headers(text) == ()
    assert time.process_time() - began < 5


def test_headers_are_compiled_once_they_have_come_often(monkeypatch):
    """The first programs with a set of headers are built without. Only so many sets are kept."""
    compiled = []
    monkeypatch.setattr(cpp_headers, "compile_headers", lambda name, headers, options: compiled.append(headers))
    monkeypatch.setattr(cpp_headers, "_seen", Counter())
    for _ in range(2 * cpp_headers.PROGRAMS_BEFORE):
        cpp_headers.compiled_headers("#include <vector>\n#include <set>\n", ("-std=c++17", "-DNOBODY"))
    assert compiled == [("set", "vector")]


@pytest.fixture
def sets(tmp_path, monkeypatch):
    """Provide the folder of sets of headers, with one set. It has room for no other, and sets are only listed."""
    monkeypatch.setattr(cpp_headers, "libraries_folder", lambda: tmp_path)
    monkeypatch.setattr(cpp_headers, "headers_folder", lambda: "sets")
    monkeypatch.setattr(cpp_headers, "kept_folder", lambda name, compile_into: (tmp_path / name).mkdir())
    monkeypatch.setattr(cpp_headers, "MAX_SETS", 1)
    (tmp_path / "sets" / "first").mkdir(parents=True)
    return tmp_path / "sets"


def names_in(folder):
    """Return the sorted names of a folder's files."""
    return sorted(path.name for path in folder.iterdir())


def make_unused(path):
    """Make a set look as if no program had used it for as long as is needed to remove it."""
    unused = time.time() - cpp_headers.UNUSED_SECONDS - 1
    os.utime(path, (unused, unused))


@pytest.mark.parametrize(
    ("headers", "names"), [(("vector",), ["first"]), (("bits/stdc++.h",), ["first", "second"])], ids=["one", "all"]
)
def test_only_so_many_sets_of_headers_are_kept(sets, headers, names):
    """With the most sets, no other set is compiled but that of all headers, with which most programs begin."""
    cpp_headers.compile_headers("sets/second", headers, ())
    assert names_in(sets) == names


def test_an_unused_set_of_headers_makes_room(sets):
    """With the most sets, one that no program has used for a day is removed for another one."""
    make_unused(sets / "first")
    cpp_headers.compile_headers("sets/second", ("vector",), ())
    assert names_in(sets) == ["second"]


def test_a_set_of_headers_that_is_used_stays(sets, monkeypatch):
    """A program that begins with a set's headers uses it, however old the set is."""
    monkeypatch.setattr(cpp_headers, "_seen", Counter())
    (sets / "first").rmdir()
    for _ in range(cpp_headers.PROGRAMS_BEFORE):
        cpp_headers.compiled_headers("#include <vector>\n", ())
    [used] = names_in(sets)
    make_unused(sets / used)
    cpp_headers.compiled_headers("#include <vector>\n", ())
    cpp_headers.compile_headers("sets/second", ("map",), ())
    assert names_in(sets) == [used]


def test_programs_that_call_a_function_begin_with_all_headers():
    """What calls a candidate's function in C++ begins with headers that are compiled once."""
    assert cpp_headers.first_headers(cpp_call("int add(int a, int b);", "add")) == ("bits/stdc++.h",)


def test_processes_that_prepare_at_once(tmp_path):
    """Two processes that prepare the same files at once both find them whole."""
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
    if folders == {""}:
        unavailable("TypeScript is not installed")
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
