"""The trusted process where the candidate runs in another: runs the tests, which use stand-ins of what it defines."""

import linecache
import sys
import traceback
from importlib import import_module

from .asserts import compile_tests
from .crossing import CannotCross
from .guarding import Guard
from .judge import MESSAGE_CHARS, TESTS_FILE, TRACEBACK_CHARS, describe
from .libraries import SAFE_MODULES
from .link import RAISED, Gone
from .operators import is_special
from .output import MOST_JSON_BYTES, output_of
from .record import record_of
from .stand_ins import ADVICE

BUILTINS = frozenset(vars(sys.modules["builtins"]))
CODE = type(is_special.__code__)
OUTCOMES = ("failed", "compile_error", "out_of_memory", "exited")
REPORT_FIELDS = ("outcome", "detail", "exception_type", "exception_message", "traceback")
SHOWN_OF_FUNCTIONS = ("__doc__", "__annotations__")
# What a candidate defines under these names is not what tests mean by them.
MODULE_NAMES = {"np": "numpy", "unittest": "unittest", "pytest": "pytest", "pd": "pandas", "pandas": "pandas"}
MODULE_NAMES.update((name, name) for name in SAFE_MODULES if "." not in name)
# A test that does one of these may use a name without naming it.
SEES_ALL_NAMES = frozenset(("eval", "exec", "globals", "vars", "locals", "dir"))


class Namespace(dict):
    """The tests' names, and behind them those of the candidate's that are not functions."""

    def __init__(self, link):
        dict.__init__(self)
        self.link = link

    def __missing__(self, name):
        """The candidate's value of a name that the tests do not have."""
        return self.link.fetch(name)


def judge_remotely(tests, tests_code, fd, output_variable=None, changed=None):
    """Runs tests of a candidate that runs in another process.

    Args:
        tests: source, text.
        tests_code: the tests compiled, or None if they are to be compiled here.
        fd: this end of the socket to the candidate's process.
        output_variable: the global name whose value is wanted too, if there is one.
        changed: a list that gets the tests' objects that the candidate changed, if they are wanted.

    Returns:
        None if the tests ran to their end, else the report: a dict as `judge` gives it, or {"outcome": "gone"} if the
        candidate's process ended or did not keep to the protocol. Where a value is wanted, a dict in any case, with
        {"outcome": "passed"} if the tests ran to their end.
    """
    link = Guard(fd, tests)
    try:
        report = judge_over(link, tests, tests_code)
        if record := record_of(getattr(link, "namespace", {})):
            report = {**(report or {"outcome": "passed"}), "record": record}
        if output_variable is None or link.gone:
            return report
        report = report or {"outcome": "passed"}
        report["output"] = report.get("output") or last_output(link, output_variable)
        return report
    finally:
        # What lives on of these tests must not speak: by then the descriptor may be another link's.
        link.gone = link.gone or "the tests have ended"
        if changed is not None:
            changed += [*link.changed.values(), *link.copies.changed.values()]


def judge_over(link, tests, tests_code):
    """The report of tests that run over a link."""
    linecache.cache[TESTS_FILE] = (len(tests), None, tests.splitlines(True), TESTS_FILE)
    try:
        message = link.receive()
        if message[1] == RAISED:
            return believed(message[2])
        exports = [each.split() for each in map(str, message[2])]
    except Gone as error:
        return gone(error)
    try:
        if tests_code is None:
            tests_code = compile_tests(tests, TESTS_FILE)
    except BaseException as error:
        return describe(error, "compile_error")
    report = None
    try:
        run_tests(link, tests_code, exports)
    except Gone as error:
        # Of this link, or of an earlier one's that something has kept.
        return gone(error)
    except BaseException as error:
        report = report_of(link, error)
    if link.gone:
        return gone(link.gone)
    if report is None and link.failed is not None:
        return report_of(link, link.failed)
    return describe(CannotCross(link.impossible), "failed") if link.impossible and not report else report


def run_tests(link, code, exports):
    """Runs the tests in a module of which the candidate's names are part."""
    module = type(sys)("candidate")
    sys.modules["candidate"] = module
    sys.modules["__main__"] = type(sys)("__main__")
    namespace = set_up_namespace(link, module.__dict__, mentioned_names(code), *exports)
    link.namespace, link.given = namespace, dict(namespace)
    exec(code, namespace)


def mentioned_names(code):
    """All names that a code object and those within it use."""
    names, pending = set(), [code]
    while pending:
        code = pending.pop()
        names.update(code.co_names)
        pending += [each for each in code.co_consts if type(each) is CODE]
    return names


def set_up_namespace(link, namespace, mentioned, functions, others, modules, libraries):
    """Puts the candidate's names that the tests use into their namespace.

    Args:
        link: to the candidate.
        namespace: the tests' module's.
        mentioned: names that the tests use.
        functions: "name:number:flavour" each.
        others: names whose values are asked for.
        modules: "name:module" each.
        libraries: "name:module:name in it" each.

    Returns:
        The namespace to use: another one if some names have to be asked for each time.
    """
    if mentioned & SEES_ALL_NAMES:
        mentioned = Everything()
    for each in functions:
        name, number, flavour = each.split(":")
        # Also one that the tests don't name: another function may return it.
        function = link.function_of(int(number), name, flavour == "async")
        if name in mentioned and name not in BUILTINS and not is_special(name):
            namespace[name] = function
            for attribute in SHOWN_OF_FUNCTIONS:
                if attribute in mentioned:
                    setattr(namespace[name], attribute, link.ask("get", int(number), attribute, []))
    for each in libraries:
        name, module, part = each.split(":")
        if name in mentioned and name not in BUILTINS and not is_special(name) and module in SAFE_MODULES:
            namespace[name] = found = public_part(import_module(module), part)
            # It works in this process, and on what outlives the tests: `csv.field_size_limit`.
            link.changed[id(found)] = found
    for each in modules + others:
        name, _, module = each.partition(":")
        if name in mentioned and name not in BUILTINS and not is_special(name):
            if name in MODULE_NAMES or module in SAFE_MODULES:
                # Tests that use a library without importing it get the library.
                namespace[name] = import_module(MODULE_NAMES.get(name, module))
            else:
                link.fetchable.add(name)
    if "next" in mentioned:
        namespace["next"] = link.strict_next
    if not link.fetchable:
        return namespace
    asking = Namespace(link)
    asking.update(namespace)
    return asking


def public_part(module, name):
    """What a library offers under a name.

    Raises:
        AttributeError: if it offers nothing of that name.
    """
    found = getattr(module, name)
    if name[:1] == "_" or type(found) is type(sys):
        raise AttributeError(name)
    return found


class Everything:
    """Holds every name."""

    def __contains__(self, name):
        """It does."""
        return True


def last_output(link, name):
    """What the tests left in a global name, or else the candidate, as `output_of` gives it."""
    own = dict(link.namespace)
    if name in own and own[name] is not link.given.get(name):
        return output_of(own, name)
    try:
        return str(link.ask("output", 0, None, []))[:MOST_JSON_BYTES]
    except BaseException:  # the candidate's process has ended meanwhile, say
        return ""


def gone(reason):
    """The report for a candidate's process that is no more there, or speaks nonsense."""
    return {"outcome": "gone", "detail": ("the candidate's process does not answer: %s" % (reason,))[:MESSAGE_CHARS]}


def believed(fields):
    """What a candidate says of its own failure, in the right shape."""
    if len(fields) != len(REPORT_FIELDS) + 1 or fields[0] not in OUTCOMES:
        return gone("it failed without saying how")
    outcome, detail, kind, message, trace, output = map(str, fields)
    more = {"output": output[:MOST_JSON_BYTES]} if output else {}
    return {
        "outcome": outcome,
        "detail": detail[:MESSAGE_CHARS],
        "exception_type": kind[:200],
        "exception_message": message[:MESSAGE_CHARS],
        "traceback": trace[-TRACEBACK_CHARS:],
        **more,
    }


def report_of(link, error):
    """The report of what ended the tests."""
    outcome = "failed"
    if isinstance(error, SystemExit):
        outcome = "exited"
    elif isinstance(error, MemoryError):
        outcome = "out_of_memory"
    report = describe(error, outcome)
    try:
        add_remote_frames(link, error, report)
        add_hint(link, error, report)
    except Gone as second:
        return gone(second)
    except Exception as second:
        report["detail"] += " (more can't be said: %s)" % type(second).__name__
    return report


def add_remote_frames(link, error, report):
    """Puts the candidate's frames into a traceback, before the line that says what was raised."""
    if not link.is_stand_in(error):
        return
    frames = link.ask("trace", link.names[id(error)][1], None, [])
    last = "".join(traceback.format_exception_only(type(error), error))
    shown = report["traceback"]
    if type(frames) is str and shown.endswith(last):
        shown = shown[: -len(last)] + frames[-TRACEBACK_CHARS:] + last
        report["traceback"] = shown[-TRACEBACK_CHARS:]


def add_hint(link, error, report):
    """Says of a failure that comes from the two processes that it does."""
    hint = ""
    if isinstance(error, NameError) and link.is_stand_in(error):
        words = report["exception_message"].split("'")
        if len(words) > 2 and words[1] in link.namespace:
            hint = "the candidate can't see %s, which the tests define; " % words[1] + ADVICE
    elif isinstance(error, (AssertionError, TypeError, AttributeError)) and link.notes:
        hint = link.notes[-1]
    elif isinstance(error, AssertionError) and (replaced := replaced_names(link)):
        hint = "the candidate does not see that the tests replace %s; " % ", ".join(replaced[:3]) + ADVICE
    if hint and "grading=" not in report["detail"]:
        report["detail"] = (report["detail"][: MESSAGE_CHARS - len(hint) - 3] + " (" + hint + ")")[:MESSAGE_CHARS]


def replaced_names(link):
    """Names of the candidate's that the tests have given another value, which its own functions don't see."""
    own, given = dict.keys(link.namespace), link.given
    changed = [name for name, value in given.items() if dict.get(link.namespace, name) is not value]
    return changed + [name for name in own if name in link.fetchable and name not in given]
