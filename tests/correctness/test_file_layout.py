"""The paths of a CodeCorrectness record's files, derived from its code and its test's imports."""

import json

import pytest

from code_tasks.correctness.go import go_program, import_path
from code_tasks.correctness.java import find_test_class, java_program, main_type, required_framework
from code_tasks.correctness.python import python_program
from code_tasks.correctness.records import Record, UnusableRecordError
from sandboxes import Limits

CODE = "from collections import OrderedDict\n\nLIMIT: int = 3\n\nclass Cache:\n    pass\n\ndef lazy():\n    pass\n"


def files_of(program):
    """Return the files of a program, by path."""
    return json.loads(program.candidate)["files"]


def python_paths(test_code, code=CODE):
    """Return the paths of a record's two files."""
    files = files_of(python_program(Record("1", code, test_code, "python", "success"), Limits(), 1.0))
    return next(path for path, text in files.items() if text == code), next(
        path for path, text in files.items() if text == test_code
    )


@pytest.mark.parametrize(
    ("test_code", "path"),
    [
        ("from essentials.caching import Cache", "essentials/caching.py"),
        ("from caching import lazy", "caching.py"),
        ("import caching\ncaching.lazy()", "caching.py"),
        ("import a.b.caching\na.b.caching.lazy()", "a/b/caching.py"),
        ("import a.b.caching as c\nc.lazy()", "a/b/caching.py"),
        ("from a.b import caching\ncaching.Cache()", "a/b/caching.py"),
        ("from a import LIMIT\nfrom a.helpers import help_me", "a/__init__.py"),
        ("import numpy as np\nfrom helpers import x\nfrom a.caching import *", "a/caching.py"),
        ("import pytest\nfrom other.place import thing\nfrom a.caching import Cache, lazy", "a/caching.py"),
        ("def test():\n    from a.caching import Cache", "a/caching.py"),
        ("from collections import OrderedDict\nfrom a.caching import unknown", "a/caching.py"),
        ("from queue import Cache", "queue.py"),
        ("import os\nassert True", "focal.py"),
        ("from candidate import Cache", "candidate.py"),
        ("from .caching import Cache", "package/caching.py"),
        ("from ..caching import Cache", "package/caching.py"),
        ("from . import caching\ncaching.Cache()", "package/caching.py"),
    ],
)
def test_python_module(test_code, path):
    """The code is the module from which the test takes most of what the code defines."""
    assert python_paths(test_code)[0] == f"project/{path}"


@pytest.mark.parametrize(
    ("test_code", "path"),
    [
        ("from a.b import Cache", "test_record.py"),
        ("from .b import Cache", "package/test_record.py"),
        ("from ..b import Cache", "package/tests/test_record.py"),
        ("from test_record import Cache", "test_of_record.py"),
    ],
)
def test_python_test_file(test_code, path):
    """The test's file is in the place from which its imports lead to the code."""
    assert python_paths(test_code)[1] == f"project/{path}"


def test_python_packages():
    """Each folder on the way to a file is a package."""
    record = Record("1", CODE, "from a.b.c import Cache", "python", "success")
    assert {"project/a/__init__.py", "project/a/b/__init__.py"} <= files_of(
        python_program(record, Limits(), 1.0)
    ).keys()


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("package a.b;\npublic final class C {}", ("a/b/C.java", "a.b.C")),
        ("class Helper {}\npublic class Main {}", ("Main.java", "Main")),
        ("/** This class is\n the first class here. */\nclass C {}", ("C.java", "C")),
        ('// class A\nclass C { String s = "class B"; }', ("C.java", "C")),
        ("package a;\npublic record R(int x) {}", ("a/R.java", "a.R")),
        ("package a;\npublic enum E { X }", ("a/E.java", "a.E")),
    ],
)
def test_java_files(code, place):
    """A Java file is named by its package and its public type, or by its first type if none is public."""
    assert main_type(code) == place


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("package a;\nclass Helper { int x; }\nclass CTest { @Test void f() {} }", "a.CTest"),
        ("class CTest { @Nested class In { @ParameterizedTest void f() {} } }\nclass Other {}", "CTest"),
        ("class Helper {}\npublic class CTest { @Test public void f() {} }", "CTest"),
        ("package a;\npublic class CTest extends TestCase {}", "a.CTest"),
    ],
)
def test_class_with_the_tests(code, name):
    """The class that JUnit runs is the public one, or the one with the first test if none is public."""
    assert find_test_class(code) == name


@pytest.mark.parametrize(
    ("test_code", "kind"),
    [
        ("import org.junit.Test;", "JUnit 4"),
        ("import static org.junit.Assert.*;", "JUnit 4"),
        ("import junit.framework.TestCase;", "JUnit 4"),
        ("// import org.junit.Test;\nimport org.junit.jupiter.api.Test;", "JUnit 5"),
    ],
)
def test_kind_of_java_tests(test_code, kind):
    """A test's imports decide which JUnit runs it."""
    assert required_framework(test_code) == kind


@pytest.mark.parametrize(
    ("code", "test_code", "message"),
    [
        ("class C {}", "import org.testng.annotations.Test;\nclass T {}", "neither JUnit 4 nor JUnit 5"),
        ("class C {}", "import org.junit.Test;\nclass C {}", "both C.java"),
    ],
)
def test_java_records_that_cannot_be_run(code, test_code, message):
    """A test for another library, or in the code's own file, is the record's fault."""
    with pytest.raises(UnusableRecordError, match=message):
        java_program(Record("1", code, test_code, "java", "success"), Limits(), 1.0)


@pytest.mark.parametrize(
    ("imports", "path"),
    [
        ('"testing"\n"example.org/x/cache"', "example.org/x/cache"),
        ('"sort"\n"github.com/stretchr/testify/assert"\n"mine/cache"', "mine/cache"),
        ('cache "example.org/go-cache"', "example.org/go-cache"),
        ('"example.org/cache/v2"', "example.org/cache/v2"),
        ('. "cache"', "cache"),
        ('"testing"', ""),
    ],
)
def test_go_import_path(imports, path):
    """Tests of another package import the code by its name, by an alias, or as the last part of a path."""
    assert import_path(f"package cache_test\n\nimport (\n{imports}\n)\n", "cache") == path


@pytest.mark.parametrize(
    ("code", "test_code", "message"),
    [
        ("package a", "package b", "its test is of package b, which is neither a nor a_test"),
        ("func F() {}", "package a", "its focal_code has no package clause"),
        ("package a", 'package a\n\nimport "fmt"\n\nfunc ExampleF() {}\n', "examples or fuzz targets"),
    ],
)
def test_go_records_that_cannot_be_run(code, test_code, message):
    """Files that do not belong together, and files without a test, are the record's fault."""
    with pytest.raises(UnusableRecordError, match=message):
        go_program(Record("1", code, test_code, "go", "success"), Limits(), 1.0)


@pytest.mark.languages("go")
def test_go_lines_stay():
    """The line numbers in a compiler's messages are those of the record."""
    test_code = '// package x\npackage main_test\n\nimport "testing"\n\nfunc TestF(t *testing.T) {}\n'
    record = Record("1", "/* a\nb */ package main\n\nfunc main() {}\n", test_code, "go", "success")
    files = files_of(go_program(record, Limits(), 1.0))
    assert files["candidate.go"] == "/* a\nb */ package candidate\n\nfunc main() {}\n"
    assert files["candidate_test.go"] == test_code.replace("main_test", "main")
