"""Tests of MultiPL-E that call the candidate from a class, an object or a file of their own. Used by `multipl_e`.

In the data they are the rest of the candidate's text, and mean what the candidate declares.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sandboxes.languages.comments import without_literals
from sandboxes.languages.coq_source import header_for, without_comments
from sandboxes.languages.csharp import CANDIDATE_ASSEMBLY
from sandboxes.languages.d import CANDIDATE_MODULE
from sandboxes.languages.swift_uses import CANDIDATE_MODULE as SWIFT_MODULE

OCTAVE_TEST = re.compile(r"^\s*function\b[^\n%#]*\btest\b", re.MULTILINE)
JAVA_HEAD = re.compile(r"^ *public static ([^\n(]*?)\s+(\w+)\(([^\n]*)\)\s*\{\s*\Z", re.MULTILINE)
JAVA_CLASS = re.compile(r"^(?:public )?class\s+(\w+)\s*\{", re.MULTILINE)
JAVA_END = re.compile(r"\}\s*\Z")
JAVA_EQUAL = re.compile(r"^(\s*assert\()(.*)\.equals\((.*)\)\);$", re.MULTILINE)
JAVA_PARAMETER = re.compile(r"(?:[^,<>]|<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)+")
JAVA_NAMES = "ArrayList Arrays HashMap HashSet List Map Objects Optional Set"
JAVA_TESTS = """\
%(imports)s
public class CodeEvalTests {
    static %(type)s %(name)s(%(parameters)s) { return %(problem)s.%(name)s(%(values)s); }
%(main)s
"""
CSHARP_HEAD = re.compile(r"^ *public static ([^\n(]*?)\s+(\w+)\(([^\n]*)\)\s*\{\s*\Z", re.MULTILINE)
CSHARP_EQUAL = re.compile(r"^(\s*Debug\.Assert\()(.*)\.Equals\((.*)\)\);$", re.MULTILINE)
CSHARP_TESTS = """\
%(usings)s
class CodeEvalTests {
    static %(type)s %(name)s(%(parameters)s) { return %(assembly)s::%(problem)s.%(name)s(%(values)s); }
%(main)s
"""
USING = re.compile(r"^using [\w.]+;$", re.MULTILINE)

COQ_HEAD = re.compile(r"\b(?:Definition|Fixpoint)\s+(\w+)[^.]*:=\s*\Z")
D_HEAD = re.compile(r"^(\S[^\n]*?) (\w+)\(([^\n]*)\)\s*\Z", re.MULTILINE)

SCALA_HEAD = re.compile(r"^ *def (\w+)\([^\n]*\{\s*\Z", re.MULTILINE)
SCALA_OBJECT = re.compile(r"^object\s+(\w+)\s*\{", re.MULTILINE)
SCALA_IMPORT = re.compile(r"^import [\w.]+$", re.MULTILINE)
SWIFT_HEAD = re.compile(r"^func (\w+)\([^\n]*\{\s*\Z", re.MULTILINE)
SWIFT_ENUM = re.compile(r"^enum (\w+)\b", re.MULTILINE)
SCALA_TESTS = """\
%(imports)s
object CodeEvalTests {
    import %(problem)s.%(name)s
%(main)s
"""


def java_tests(prompt: str, tests: str) -> str:
    """Return the tests of a Java problem in a class of their own.

    In the data they are the `main` of the candidate's class, and call its method by its plain name. The new class has
    a method of that name, which calls the candidate's. No name that the candidate declares means anything in it.

    Raises:
        ValueError: if prompt or tests have another form.
    """
    plain = without_literals(prompt)
    head, problem = JAVA_HEAD.search(plain), JAVA_CLASS.search(plain)
    if not head or not problem:
        raise ValueError("'prompt' does not end with the first line of a public static method in a class")
    if not JAVA_END.search(tests) or "void main" not in tests:
        raise ValueError("'tests' are not the rest of a class, with a method 'main'")
    parameters = JAVA_PARAMETER.findall(head[3])
    return JAVA_TESTS % {
        "imports": java_imports(plain, head[0] + tests),
        "type": head[1],
        "name": head[2],
        "parameters": head[3],
        "problem": problem[1],
        "values": ", ".join(parameter.split()[-1] for parameter in parameters),
        "main": JAVA_EQUAL.sub(trusted_equality, tests),
    }


def java_imports(prompt: str, code: str) -> str:
    """Return imports of the types of `java.util` that code uses, so that a candidate's types are not taken for them."""
    if "import java.util.*;" not in prompt:
        return ""
    used = [name for name in JAVA_NAMES.split() if re.search(rf"\b{name}\b", code)]
    return "\n".join(f"import java.util.{name};" for name in used)


def trusted_equality(assertion: re.Match[str]) -> str:
    """Return an assertion that asks the expected value whether it is equal, and not the candidate's object."""
    before, actual, expected = assertion.groups()
    if ".equals(" in actual or ".equals(" in expected:
        return assertion[0]
    return f"{before}({expected}).equals({actual}));"


def csharp_tests(prompt: str, tests: str) -> str:
    """Return the tests of a C# problem in a class of their own, with a method that calls the candidate's.

    The grader compares lists with `Equals`, which is false for two lists that hold the same. Here what they hold is
    compared.

    Raises:
        ValueError: if prompt or tests have another form.
    """
    plain = without_literals(prompt)
    head, problem = CSHARP_HEAD.search(plain), JAVA_CLASS.search(plain)
    if not head or not problem:
        raise ValueError("'prompt' does not end with the first line of a public static method in a class")
    if not JAVA_END.search(tests) or "void Main" not in tests:
        raise ValueError("'tests' are not the rest of a class, with a method 'Main'")
    return CSHARP_TESTS % {
        "usings": "\n".join(USING.findall(plain)),
        "assembly": CANDIDATE_ASSEMBLY,
        "type": head[1],
        "name": head[2],
        "parameters": head[3],
        "problem": problem[1],
        "values": ", ".join(parameter.split()[-1] for parameter in split_parameters(head[3])),
        "main": CSHARP_EQUAL.sub(equal_values, tests),
    }


def equal_values(assertion: re.Match[str]) -> str:
    """Return an assertion that compares two values by what they hold."""
    before, actual, expected = assertion.groups()
    if ".Equals(" in actual or ".Equals(" in expected:
        return assertion[0]
    return f"{before}CodeEval.Same.Values({actual}, {expected}));"


def coq_tests(prompt: str, tests: str) -> str:
    """Return the tests of a problem in Coq, with the prompt's imports, and the candidate's function by name.

    Raises:
        ValueError: if the prompt has another form.
    """
    code = without_comments(prompt)
    head = COQ_HEAD.search(code)
    if not head:
        raise ValueError("'prompt' does not end with the first line of a definition")
    return f"{header_for(code)}Require candidate. Import candidate({head[1]}).\n{tests}"


def d_tests(prompt: str, tests: str) -> str:
    """Return the tests of a D problem, with a function of their own that calls the candidate's.

    The types of that function are the library's, whatever the candidate declares under the same names.

    Raises:
        ValueError: if the prompt has another form.
    """
    head = D_HEAD.search(prompt)
    if not head:
        raise ValueError("'prompt' does not end with the first line of a function")
    returned, name, parameters = head.groups()
    values = ", ".join(parameter.split()[-1] for parameter in split_parameters(parameters))
    return f"{returned} {name}({parameters}) {{ return {CANDIDATE_MODULE}.{name}({values}); }} {tests}"


def octave_tests(prompt: str, tests: str) -> str:
    """Return the tests of a problem in Octave, with the call that the grader adds.

    Raises:
        ValueError: if they have no function `test`.
    """
    if not OCTAVE_TEST.search(tests):
        raise ValueError("'tests' have no function 'test'")
    return f"{tests}\ntest();\n"


def scala_tests(prompt: str, tests: str) -> str:
    """Return the tests of a Scala problem in an object of their own, which knows the candidate's function alone.

    Raises:
        ValueError: if prompt or tests have another form.
    """
    plain = without_literals(prompt)
    head, problem = SCALA_HEAD.search(plain), SCALA_OBJECT.search(plain)
    if not head or not problem:
        raise ValueError("'prompt' does not end with the first line of a function in an object")
    if not JAVA_END.search(tests) or "def main" not in tests:
        raise ValueError("'tests' are not the rest of an object, with a method 'main'")
    imports = "\n".join(SCALA_IMPORT.findall(plain))
    return SCALA_TESTS % {"imports": imports, "problem": problem[1], "name": head[1], "main": tests}


def swift_tests(prompt: str, tests: str) -> str:
    """Return the tests of a Swift problem, with imports of the prompt's function and types.

    Nothing else that the candidate declares outside of types means anything in them.

    Raises:
        ValueError: if the prompt has another form.
    """
    plain = without_literals(prompt)
    head = SWIFT_HEAD.search(plain)
    if not head:
        raise ValueError("'prompt' does not end with the first line of a function")
    kinds = [f"enum {SWIFT_MODULE}.{name}" for name in SWIFT_ENUM.findall(plain)]
    imports = [f"@testable import {kind}\n" for kind in (*kinds, f"func {SWIFT_MODULE}.{head[1]}")]
    return "".join(imports) + tests


def split_parameters(parameters: str, separator: str = ",") -> list[str]:
    """Return the parameters of a list, whose types may have separators between brackets."""
    depth, parts = 0, [""]
    for char in parameters:
        depth += (char in "([<") - (char in ")]>")
        if char == separator and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


OWN_TESTS: dict[str, Callable[[str, str], str]] = {
    "coq": coq_tests,
    "csharp": csharp_tests,
    "d": d_tests,
    "java": java_tests,
    "octave": octave_tests,
    "scala": scala_tests,
    "swift": swift_tests,
}
"""(prompt, tests) -> the tests on their own, by our name of the language."""
