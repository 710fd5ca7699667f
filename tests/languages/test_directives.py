"""Directives: comments at the beginning of tests, with which these choose how a compiler takes the program."""

import json

import pytest

from sandboxes import Limits
from sandboxes.errors import SandboxUnavailable
from sandboxes.languages.compilers import rust_crates
from sandboxes.languages.cpp import CPP_ARGUMENTS_FILE, cpp_files, cpp_needs
from sandboxes.languages.java import java_files
from sandboxes.languages.javascript import CHECKED_FILE, typescript_files
from sandboxes.languages.programs import build_program
from sandboxes.languages.rust_source import RUST_ARGUMENTS_FILE, rust_files, rust_needs

MAIN = "fn main() { assert!(f() == 1); }\n"


def test_types_are_checked_if_tests_ask_for_it():
    """TypeScript's types are checked in both parts as one text, if the tests begin with the comment."""
    assert typescript_files("let a = 1;", "// @ts-check\na;")[CHECKED_FILE] == "let a = 1;\n// @ts-check\na;"


@pytest.mark.parametrize("tests", ["a;", "a;\n// @ts-check\n"])
def test_types_are_not_checked_otherwise(tests):
    """Types are not checked if the tests do not begin with the comment, whatever the candidate begins with."""
    assert CHECKED_FILE not in typescript_files("// @ts-check\nlet a = 1;", tests)


@pytest.mark.parametrize(
    ("tests", "edition"),
    [(f"//@ edition:2015\n{MAIN}", "2015"), (MAIN, "2021"), (f"{MAIN}//@ edition:2015\n", "2021")],
)
def test_tests_choose_the_edition_of_rust(tests, edition):
    """Rust's edition is that of the tests' first lines, otherwise 2021. The candidate does not choose it."""
    arguments = rust_files("//@ edition:2018\nfn f() -> i32 { 1 }", tests)[RUST_ARGUMENTS_FILE]
    assert arguments.split() == ["--edition", edition]


def test_an_unknown_crate_is_no_verdict():
    """Tests that choose a crate which programs don't have get an error that names those they have."""
    with pytest.raises(SandboxUnavailable, match="no crate 'serde' for programs; there are rand, regex, md5"):
        rust_files("fn f() -> i32 { 1 }", f"//@ aux-crate:serde\n{MAIN}")


def test_programs_need_the_crates_they_are_linked_with(monkeypatch, tmp_path):
    """A sandbox that can't read the compiled crates is broken, and its programs are not wrong."""
    monkeypatch.setattr(rust_crates, "compiled_crates", lambda: tmp_path)
    program = build_program("rust", "fn f() -> i32 { 1 }", f"//@ aux-crate:md5\n{MAIN}", Limits())
    assert f"{tmp_path}/libmd5.rlib" in json.loads(program.tests)["build"][0]["needs"]


def test_programs_do_not_need_the_crates_of_a_candidate(monkeypatch, tmp_path):
    """A crate that a candidate alone imports is given to the compiler, and breaks no sandbox that lacks it."""
    monkeypatch.setattr(rust_crates, "compiled_crates", lambda: tmp_path)
    files = rust_files("use md5::compute;\nfn f() -> i32 { 1 }", MAIN)
    assert f"--extern=md5={tmp_path}/libmd5.rlib" in files[RUST_ARGUMENTS_FILE]
    assert rust_needs(files) == ()


def test_tests_choose_options_of_cpp():
    """The standard, libraries and headers of C++ are those of the tests' first line."""
    tests = '// { dg-options "-std=c++11 -include openssl/md5.h -lcrypto" }\nint main() {}\n'
    files = cpp_files("int f();", tests)
    assert files[CPP_ARGUMENTS_FILE] == "-std=c++11 -include openssl/md5.h -lcrypto\n"
    assert cpp_needs(files) == ("/usr/include/openssl/md5.h",)


@pytest.mark.parametrize("options", ["-o /work/x", "-fplugin=x.so", "-include ;x", "@file", "-wrapper sh"])
def test_other_options_of_cpp_are_left_out(options):
    """Options that are neither a standard, a library nor a header are left out."""
    files = cpp_files("int f();", f'// {{ dg-options "{options}" }}\nint main() {{}}\n')
    assert files[CPP_ARGUMENTS_FILE] == "\n"


def test_java_has_the_tuples_that_it_names():
    """A Java program that imports javatuples has the sources of the tuples that it names."""
    files = java_files("import org.javatuples.*;\nclass A { Pair<A, A> a; }", "class T { void main(String[] a) {} }")
    folder = "org/javatuples/"
    assert [name for name in files if name.startswith(folder)] == [f"{folder}Tuple.java", f"{folder}Pair.java"]


def test_java_has_no_tuples_without_an_import():
    """A Java program that does not import javatuples may have a Pair of its own."""
    files = java_files("class Pair {}", "class T { void main(String[] a) {} }")
    assert not any(name.startswith("org/") for name in files)
