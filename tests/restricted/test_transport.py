"""The sandbox "restricted" carries the user's modules into a guest, and a program's output out of it."""

import sys

import pytest

from sandboxes import Outcome, Pool, Program, SandboxUnavailable, open_sandbox
from support.backend_options import PERMISSIVE

pytestmark = pytest.mark.slow

GRADINGS = ("shared", "separate")
MODULE = '''
import ast, os
from RestrictedPython import RestrictingNodeTransformer

class NoLoops(RestrictingNodeTransformer):
    """Refuses while."""

    def visit_While(self, node):
        self.error(node, "while is not for us")

class NothingAtAll(RestrictingNodeTransformer):
    """Refuses every program."""

    def visit_Module(self, node):
        self.error(node, "no")

def helper(x):
    """Return whether the file of this function can be seen."""
    return x + 1, os.path.exists(__file__)

BUILTINS = {"double": lambda x: 2 * x, "AssertionError": AssertionError}
'''


@pytest.fixture(scope="module")
def user_module(tmp_path_factory):
    """Return the name of a module of the user's, in a folder that programs don't see."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "module_of_the_user.py").write_text(MODULE)
    sys.path.insert(0, str(folder))
    yield "module_of_the_user"
    sys.path.remove(str(folder))
    sys.modules.pop("module_of_the_user", None)


@pytest.fixture(scope="module")
def open_pool():
    """Return a function that opens a pool of sandboxes with the options given to it."""
    pools = []

    def open_restricted(**options):
        pools.append(Pool(open_sandbox("restricted", **options)))
        return pools[-1]

    yield open_restricted
    for pool in pools:
        pool.close()


@pytest.fixture(scope="module")
def outputs(open_pool):
    """Return a pool whose verdicts have the output, and whose programs may do anything."""
    return open_pool(**PERMISSIVE["restricted"], return_output=True)


@pytest.fixture(params=GRADINGS)
def run(request, outputs):
    """Return a function that runs one such program, once for each grading: (candidate, tests="") -> Verdict."""

    def run_one(candidate, tests=""):
        [verdict] = outputs.run_all([Program(candidate, tests, grading=request.param)], 1)
        return verdict

    return run_one


@pytest.mark.parametrize("value", [None, [1, 2.5, "x", None], {"a": (1, {2})}, 10**50, b"x", "\ud800", 1 + 2j])
def test_output_is_data(run, value):
    """The output variable's value is returned with its type and contents."""
    verdict = run(f"output = {value!r}\ndef f(): return 1", "assert f() == 1")
    assert (verdict.outcome, verdict.output) == (Outcome.PASSED, value)


def test_output_is_what_it_is_at_the_end(run):
    """The output is the variable's value after the tests."""
    verdict = run("output = []\ndef f(x): output.append(x)", "f(1)\nf(2)")
    assert (verdict.outcome, verdict.output) == (Outcome.PASSED, [1, 2])


def test_output_of_tests(run):
    """Tests may set the output variable too."""
    verdict = run("output = 1\ndef f(): return 5", "output = f() + 1")
    assert (verdict.outcome, verdict.output) == (Outcome.PASSED, 6)


@pytest.mark.parametrize(
    "candidate", ["output = 5\ndef f(): return 1", "output = 5\n1 / 0", "output = 5\nraise MemoryError"]
)
def test_output_of_a_program_that_failed(run, candidate):
    """A program that fails after setting its output still has the output."""
    verdict = run(candidate, "assert f() == 2")
    assert not verdict.passed
    assert verdict.output == 5


@pytest.mark.parametrize("candidate", ["x = 1", "1 / 0\noutput = 5", "output = 5\ndel output", "def f(:"])
def test_no_output(run, candidate):
    """A program without an output variable has the output None."""
    assert run(candidate).output is None


def test_output_that_is_no_data(run):
    """An object's output is its repr."""
    verdict = run("class C:\n    def __repr__(self): return 'C!'\noutput = C()")
    assert (verdict.outcome, verdict.output) == (Outcome.PASSED, "C!")


@pytest.mark.parametrize("doing", ["raise ValueError", "raise SystemExit", "raise KeyboardInterrupt", "return 5"])
def test_repr_that_raises(run, doing):
    """A repr that raises changes only the output, which says so."""
    verdict = run(f"class C:\n    def __repr__(self): {doing}\noutput = C()")
    assert verdict.outcome is Outcome.PASSED
    assert "its repr raised" in verdict.output


@pytest.mark.parametrize("tests", ["", "assert False"])
@pytest.mark.parametrize("output", ["'\\0' * 10**6", "list(range(10**5))", "[[]] * 10**4", "'\\u6f22' * 10**5"])
def test_large_output_is_cut(run, output, tests):
    """A very large output is cut, and leaves the verdict unchanged."""
    verdict = run(f"output = {output}\n", tests)
    assert verdict.outcome is (Outcome.FAILED if tests else Outcome.PASSED)
    assert 1000 < len(verdict.output) <= 4000


def test_large_report_with_a_large_output(run):
    """The longest message and traceback leave room for the output."""
    long = "'\\0' * 10**6"
    verdict = run(f"output = '\\0' * 2000\nraise type('E' * 10**6, (Exception,), {{}})({long})")
    assert verdict.outcome is Outcome.FAILED
    assert len(verdict.exception_message) == 2000
    assert verdict.output == "\0" * 2000


def test_repr_that_leaves_the_process(outputs):
    """A repr that ends the process does not make a pass of the program."""
    leaving = "import os\nclass C:\n    def __repr__(self): os._exit(0)\noutput = C()"
    [verdict] = outputs.run_all([Program(leaving, "")], 1)
    assert verdict.outcome is Outcome.EXITED


FAILING = {
    "repr": "def __repr__(self): tamper()",
    "str subclass": "def __repr__(self): return type('S', (str,), {'__str__': tamper})('x')",
}


@pytest.mark.parametrize("method", FAILING.values(), ids=FAILING)
def test_repr_can_not_make_a_pass(outputs, method):
    """A failed program stays failed, whatever code runs to make its output."""
    candidate = f"""
import sys
def tamper(*_):
    frame = sys._getframe()
    while frame is not None:
        for name in ("report", "said", "outcome"):
            if name in frame.f_locals:
                try:
                    frame.f_locals[name] = None
                except TypeError:
                    pass
        for name in ("error_report", "encode_details", "encode_output", "program_report"):
            if name in frame.f_globals:
                frame.f_globals[name] = lambda *_: None
        frame = frame.f_back
    return "x"
class C:
    {method}
output = C()
"""
    [verdict] = outputs.run_all([Program(candidate, "assert False")], 1)
    assert not verdict.passed


def test_no_output_unless_wanted(open_pool):
    """Without `return_output` verdicts have no output."""
    pool = open_pool()
    verdicts = pool.run_all([Program("output = 5", "", grading=grading) for grading in GRADINGS], 1)
    assert [(verdict.passed, verdict.output) for verdict in verdicts] == [(True, None), (True, None)]


def test_another_output_variable(open_pool):
    """The output variable may have another name."""
    pool = open_pool(return_output=True, output_variable="answer")
    verdicts = pool.run_all([Program("output, answer = 5, 6", "", grading=grading) for grading in GRADINGS], 1)
    assert [verdict.output for verdict in verdicts] == [6, 6]


@pytest.mark.parametrize("grading", GRADINGS)
def test_helper_of_the_user(open_pool, user_module, grading):
    """A function of the user's own module works, although no program can see its file."""
    import module_of_the_user

    pool = open_pool(additional_globals={"helper": module_of_the_user.helper, "again": "module_of_the_user:helper"})
    candidate = "def f(x): return list(helper(x)) + list(again(x))"
    [verdict] = pool.run_all([Program(candidate, "assert f(1) == [2, False, 2, False]", grading=grading)], 1)
    assert verdict.passed, verdict.detail


def test_policy_of_the_user(open_pool, user_module):
    """A policy of the user is obeyed, as a class or by its name."""
    import module_of_the_user

    for policy in (module_of_the_user.NoLoops, "module_of_the_user:NoLoops"):
        pool = open_pool(policy=policy)
        programs = [Program("x = 1", "assert x == 1"), Program("while True:\n    x = 1", "")]
        passed, refused = pool.run_all(programs, 1)
        assert passed.passed
        assert refused.outcome is Outcome.COMPILE_ERROR
        assert "while is not for us" in refused.detail


def test_policy_that_refuses_everything(open_pool, user_module):
    """A policy may also refuse the canaries."""
    pool = open_pool(policy="module_of_the_user:NothingAtAll")
    [verdict] = pool.run_all([Program("x = 1", "")], 1)
    assert verdict.outcome is Outcome.COMPILE_ERROR


def test_builtins_of_the_user(open_pool, user_module):
    """Builtins may be a dict in the user's module, even with values that can't be sent."""
    pool = open_pool(custom_builtins="module_of_the_user:BUILTINS")
    [verdict] = pool.run_all([Program("def f(x): return double(x)", "assert f(2) == 4")], 1)
    assert verdict.passed, verdict.detail


def test_tests_obey_the_policy_where_they_share_its_names(open_pool):
    """Tests obey the policy under "shared", and are trusted under "separate"."""
    pool = open_pool()
    verdicts = pool.run_all([Program("x = 1", "import os", grading=grading) for grading in GRADINGS], 1)
    assert [verdict.passed for verdict in verdicts] == [False, True]


def test_tests_used_again_obey_the_policy(open_pool):
    """The policy still applies when tests are compiled once for several candidates."""
    verdicts = open_pool().run_all([Program("x = 1", "import os")] * 4, 1)
    assert [verdict.passed for verdict in verdicts] == [False] * 4


def test_guards_are_not_the_candidates(open_pool):
    """Tests under "separate" see the candidate's names, but not the names that the policy added."""
    tests = "assert names == ['f']\nassert not [name for name in globals() if name in ('_getattr_', '_write_')]"
    tests = "names = [name for name in globals() if not name.startswith('__')][:1]\n" + tests
    [verdict] = open_pool().run_all([Program("def f(): return 1", tests, grading="separate")], 1)
    assert verdict.passed, verdict.detail


def test_module_that_can_not_be_imported_there(open_pool, tmp_path, monkeypatch):
    """A module that works only for the caller is reported as an error, not as the candidate's failure."""
    (tmp_path / "for_callers_only.py").write_text("import sys\nassert not sys.flags.no_site, 'callers only'\nx = len")
    monkeypatch.syspath_prepend(tmp_path)
    pool = open_pool(additional_globals={"x": "for_callers_only:x"})
    with pytest.raises(SandboxUnavailable, match="AssertionError: callers only"):
        pool.run_all([Program("y = 1", "")], 1)


def test_module_that_starts_a_thread(open_pool, tmp_path, monkeypatch):
    """A module that starts a thread in the guest is an error: a process with threads can't enter its sandbox."""
    code = "import sys, threading, time\nif sys.flags.no_site:\n"
    code += "    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nx = len"
    (tmp_path / "starts_a_thread.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    pool = open_pool(additional_globals={"x": "starts_a_thread:x"})
    with pytest.raises(SandboxUnavailable, match="started a thread"):
        pool.run_all([Program("y = 1", "")], 1)
