"""The trusted process, if the candidate runs in another: runs the tests, which use proxies of what it defines."""

from __future__ import annotations

import linecache
import sys
from importlib import import_module

from ..common.library_values import SAFE_MODULES
from ..common.output_value import MAX_JSON_CHARS, encode_output
from ..common.test_log import encode_test_log
from ..common.values import NotTransferable
from ..runners.assert_values import compile_tests
from ..runners.in_process import TESTS_FILE, error_report
from .access_control import OWN_EXCEPTIONS, TestsConnection
from .connection import RAISED
from .message_stream import PeerGone
from .special_methods import is_special
from .test_reports import failure_report, parse_candidate_report, peer_gone_report
from .tests_imports import absent_imports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType
    from typing import Any, Container

    Report = dict[str, Any]

BUILTINS = frozenset(vars(sys.modules["builtins"]))
CODE = type(is_special.__code__)
CLASS_TESTS = ("isinstance", "issubclass")
ASSERTIONS_OF_CLASSES = {"assertIsInstance", "assertNotIsInstance"}
# Attributes that the tests' function gets from the candidate's, if the tests mention them.
COPIED_ATTRIBUTES = ("__doc__", "__annotations__")
# Tests mean a library by these names, even if the candidate defines them.
MODULE_NAMES = {"np": "numpy", "unittest": "unittest", "pytest": "pytest", "pd": "pandas", "pandas": "pandas"}
MODULE_NAMES.update((name, name) for name in SAFE_MODULES if "." not in name)
# Tests that call one of these may use a name without mentioning it.
SEES_ALL_NAMES = frozenset(("eval", "exec", "globals", "vars", "locals", "dir"))


class LazyNamespace(dict):  # type: ignore[type-arg]
    """The tests' names, and behind them those of the candidate's that are not functions."""

    def __init__(self, connection: TestsConnection) -> None:
        """Begin without names. The connection is to the candidate."""
        dict.__init__(self)
        self.connection = connection

    def __missing__(self, name: str) -> Any:
        """Return the candidate's value of a name that the tests do not have."""
        return self.connection.fetch(name)


def module_of(connection: TestsConnection) -> ModuleType:
    """Return the module by which tests import the candidate. It asks for what is no function."""

    class CandidateModule(type(sys)):  # type: ignore[misc]
        def __getattr__(self, name: str) -> Any:
            try:
                return connection.fetch(name)
            except KeyError:
                raise AttributeError(name) from None

    return CandidateModule("candidate")


def run_tests_remotely(
    tests: str,
    tests_code: CodeType | None,
    fd: int,
    output_variable: str | None = None,
    changed: list[Any] | None = None,
) -> Report | None:
    """Run tests of a candidate that runs in another process.

    Args:
        tests: source.
        tests_code: the tests compiled, or None if they are to be compiled here.
        fd: this end of the socket to the candidate's process.
        output_variable: the global name whose value is wanted too, if there is one.
        changed: a list that gets the tests' objects that the candidate changed, if they are wanted.

    Returns:
        None if the tests ran to their end, otherwise the report: a dict as `error_report` gives it. It is
        {"outcome": "gone"} if the candidate's process ended or violated the protocol. If a value is wanted, there is a
        dict in any case, with {"outcome": "passed"} if the tests ran to their end.
    """
    connection = TestsConnection(fd, tests)
    try:
        report = run_over(connection, tests, tests_code)
        if log := encode_test_log(getattr(connection, "namespace", {})):
            report = {**(report or {"outcome": "passed"}), "record": log}
        if output_variable is None or connection.closed_reason:
            return report
        report = report or {"outcome": "passed"}
        report["output"] = report.get("output") or final_output(connection, output_variable)
        return report
    finally:
        # Objects of these tests that live on must not send: by then the descriptor may be another connection's.
        connection.closed_reason = connection.closed_reason or "the tests have ended"
        if changed is not None:
            changed += [*connection.changed.values(), *connection.shared.changed.values()]


def run_over(connection: TestsConnection, tests: str, tests_code: CodeType | None) -> Report | None:
    """Run tests over a connection. Return their report; None if they ran to their end."""
    linecache.cache[TESTS_FILE] = (len(tests), None, tests.splitlines(True), TESTS_FILE)
    try:
        message = connection.receive()
        if message[1] == RAISED:
            return parse_candidate_report(message[2])
        exports = [names.split() for names in map(str, message[2])]
    except PeerGone as error:
        return peer_gone_report(error)
    try:
        if tests_code is None:
            tests_code = compile_tests(tests, TESTS_FILE)
    except BaseException as error:
        return error_report(error, "compile_error")
    report = None
    try:
        run_tests(connection, tests_code, exports)
    except PeerGone as error:
        # The peer of this connection, or of an earlier one that something has kept.
        return peer_gone_report(error)
    except BaseException as error:
        report = failure_report(connection, error)
    if connection.closed_reason:
        return peer_gone_report(connection.closed_reason)
    if report is None and connection.kept_failure is not None:
        return failure_report(connection, connection.kept_failure)
    if connection.refusal and not report:
        return error_report(NotTransferable(connection.refusal), "failed")
    return report


def run_tests(connection: TestsConnection, code: CodeType, exports: list[list[str]]) -> None:
    """Run the tests in a module that has the candidate's names too."""
    module = module_of(connection)
    sys.modules["candidate"] = module
    sys.modules["__main__"] = type(sys)("__main__")
    if absent := absent_imports(connection.tests, exports):
        connection.request("import", 0, None, absent)
    mentioned = mentioned_names(code)
    namespace = build_namespace(connection, module.__dict__, mentioned, *exports)
    connection.namespace, connection.given = namespace, dict(namespace)
    if not mentioned & ASSERTIONS_OF_CLASSES:
        exec(code, namespace)
        return
    framework = vars(import_module("unittest.case"))
    framework.update(connection.library_classes.functions())
    try:
        exec(code, namespace)
    finally:
        for name in CLASS_TESTS:
            framework.pop(name, None)


def mentioned_names(code: CodeType) -> set[str]:
    """Return all names that a code object and those within it use."""
    names: set[str] = set()
    pending = [code]
    while pending:
        code = pending.pop()
        names.update(code.co_names)
        pending += [constant for constant in code.co_consts if type(constant) is CODE]
    return names


def build_namespace(
    connection: TestsConnection,
    namespace: dict[str, Any],
    mentioned: set[str],
    functions: list[str],
    others: list[str],
    modules: list[str],
    libraries: list[str],
) -> dict[str, Any]:
    """Put the candidate's names that the tests use into their namespace.

    Args:
        connection: to the candidate.
        namespace: the tests' module's.
        mentioned: names that the tests use.
        functions: texts "name:number:flavour".
        others: names whose values are requested.
        modules: texts "name:module".
        libraries: texts "name:module:name in it".

    Returns:
        The namespace to use: another one if the values of some names have to be requested each time.
    """
    wanted: Container[str] = AllNames() if mentioned & SEES_ALL_NAMES else mentioned
    for text in functions:
        name, number, flavour = text.split(":")
        # Also a function that the tests don't mention: another one may return it.
        function = connection.function_proxy(int(number), name, flavour == "async")
        if is_usable(name, wanted):
            namespace[name] = function
            for attribute in COPIED_ATTRIBUTES:
                if attribute in wanted:
                    setattr(function, attribute, connection.request("get", int(number), attribute, []))
    for text in libraries:
        name, module, part = text.split(":")
        if is_usable(name, wanted) and module in SAFE_MODULES:
            namespace[name] = value = public_part(import_module(module), part)
            # It works in this process, and on objects that outlive the tests: `csv.field_size_limit`.
            connection.changed[id(value)] = value
    for text in modules + others:
        name, _, module = text.partition(":")
        if is_usable(name, wanted):
            if name in MODULE_NAMES or module in SAFE_MODULES:
                # Tests that use a library without importing it get the library.
                namespace[name] = import_module(MODULE_NAMES.get(name, module))
            else:
                connection.fetchable.add(name)
    if "next" in wanted:
        namespace["next"] = connection.strict_next
    namespace.update((name, f) for name, f in connection.library_classes.functions().items() if name in wanted)
    if not connection.fetchable and not mentioned & OWN_EXCEPTIONS:
        return namespace
    lazy = LazyNamespace(connection)
    lazy.update(namespace)
    return lazy


def is_usable(name: str, wanted: Container[str]) -> bool:
    """Tell whether the tests use a name, and mean the candidate's value by it."""
    return name in wanted and name not in BUILTINS and not is_special(name)


def public_part(module: ModuleType, name: str) -> Any:
    """Return what a library offers under a name.

    Raises:
        AttributeError: if it offers nothing of that name.
    """
    value = getattr(module, name)
    if name[:1] == "_" or type(value) is type(sys):
        raise AttributeError(name)
    return value


class AllNames:
    """A container of every name."""

    def __contains__(self, name: object) -> bool:
        """Return True."""
        return True


def final_output(connection: TestsConnection, name: str) -> str:
    """Return the value that the tests left in a global name, or else the candidate, as `encode_output` gives it."""
    own = dict(connection.namespace)
    if name in own and own[name] is not connection.given.get(name):
        return encode_output(own, name)
    try:
        return str(connection.request("output", 0, None, []))[:MAX_JSON_CHARS]
    except BaseException:  # the candidate's process has ended meanwhile, say
        return ""
