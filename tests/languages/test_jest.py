"""Tests for jest: their text decides whether they can run, no candidate forges a pass, and jest has to be there."""

import json
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes import Limits, Pool, SandboxUnavailable, open_sandbox
from sandboxes.languages.apart.javascript_jest import read_jest, reason_for_candidate
from sandboxes.languages.programs import build_program, recipe_for
from sandboxes.languages.registry import LANGUAGES, required_paths
from support import attacks_jest
from support.attacks_jest import HONEST, NO_TESTS, PLUS, TESTS, TYPESCRIPT_ATTACKS
from support.attacks_jest_errors import ERRORS, OWNERS
from support.languages import language_pool, require_languages
from support.requirements import WALL_SECONDS
from support.selection import chosen_parameters

ATTACKS = attacks_jest.ATTACKS | ERRORS | OWNERS
LIMITS = Limits(wall_seconds=WALL_SECONDS)
CALL = "it('adds', () => { expect(add(2, 3)).toBe(5); });\n"
APART = {
    "functions": "describe('a', function () { it('b', function () { expect(add(1)).toBe(2); }); });",
    "a variable beside an async test": "it('a', () => { const sum = add(1); expect(sum.length).toBe(2); });\n"
    "it('b', async () => { expect(await add(2)).toBe(3); });",
    "a short async function": "it('a', async () => expect(await add(1)).toBe(2));",
    "caught errors": "it('a', async () => { try { await add(1); } catch (e) { expect(e.message).toMatch('x'); } });",
    "a promise that is returned": "it('a', () => { return add(1).then((sum) => { expect(sum).toBe(2); }); });",
    "templates": "it.each`\n  a | b\n  ${1} | ${`${2}`}\n`('$a', ({ a, b }) => { expect(add(`${a}}`)).toBe(b); });",
    "statements before brackets": "it('a', () => { if (add(1)) { add(2); } for (const a of [1]) { add(a); } });",
    "types": "it('a', (): void => { const all: number[] = [1]; expect<number>(add(all as any)!).toBe(1); });",
    "what it is": "it('a', () => { expect(typeof add).toBe('function'); });",
    "asymmetric matchers": "it('a', () => { expect(add(1)).toEqual(expect.not.stringContaining('x')); });",
    "a table with functions": "it.each([{ a: () => 1 }])('a', ({ a }) => { expect(add(a())).toBe(1); });",
    "a part of a module": "const add = require('./sums').add;\n" + CALL,
    "results that are compared": "it('a', () => { const s = add(); expect(add(2, 3)).toBe(add(3, 2)); "
    "expect(s.n).toBe(add().n); expect(add()).toEqual(add()); expect(s).toBe(all()); });",
    "a part of a default export": "import sums from './sums';\nit('a', () => { expect(sums.add(1)).toBe(2); });",
    "a test with another name": "import { it as check } from '@jest/globals';\ncheck('a', () => { add(1); });",
}
REFUSED = {
    "the tests use the class 'Stack'": "it('a', () => { const all = new Stack(); expect(all.size).toBe(0); });",
    "the tests give 'each' a function": "it('a', () => { const f = jest.fn(); each(f); expect(f).toBeCalled(); });",
    "the tests give 'map' a function": "it('a', () => { expect(map([1], (a) => a)).toEqual([1]); });",
    "the tests give 'run' what jest makes": "it('a', () => { run(expect.anything()); });",
    "the tests have a mock without a name": "it('a', () => { expect(run({ log: jest.fn() })).toBe(1); });",
    "the tests have an object with a function": "it('a', () => { expect(run({ log: () => 1 })).toBe(1); });",
    "the tests have an object with a function of their own": "const log = jest.fn();\nconst all = { log };\n"
    "it('a', () => { expect(run(all)).toBe(1); });",
    "the tests mock a part of 'console'": "it('a', () => { jest.spyOn(console, 'log'); hello(); });",
    "the tests use 'jest.useFakeTimers'": "jest.useFakeTimers();\n" + CALL,
    "the tests use 'jest.mock'": "jest.mock('./sums');\n" + CALL,
    "the tests ask whether two objects are one": "it('a', () => { const o = {}; expect(copy(o)).not.toBe(o); });",
    "the tests ask whether two results are one object": "it('a', () => { expect(get()).toBe(get()); });",
    "the tests ask whether two results are one object, by names": "it('a', () => {\n  const one = get();\n"
    "  const other = get();\n  expect(one).toBe(other);\n});",
    "the tests ask whether two results are one object, later": "it('a', async () => {\n"
    "  await expect(get()).resolves.toBe(await get());\n});",
    "the tests ask whether two results are one object, of a module": "const all = require('./all');\n"
    "it('a', () => { expect(all.get() === all.get()).toBe(true); });",
    "the tests change a part of a result": "it('a', () => { const c = copy({}); c.a = 2; expect(c.a).toBe(2); });",
    "the tests use 'jest'": "const j = jest;\n" + CALL,
    "the tests use 'expect.addSnapshotSerializer'": "expect.addSnapshotSerializer({});\n" + CALL,
    "the tests change 'expect'": "expect.any = 1;\n" + CALL,
    "the tests have snapshots": "it('a', () => { expect(add(1)).toMatchSnapshot(); });",
    "the tests use 'import'": "import _ from 'lodash';\n" + CALL,
    "the tests import more than one module": "import a from './a';\nimport b from './b';\n" + CALL,
    "the tests import 'rest' of jest": "import { rest } from '@jest/globals';\n" + CALL,
    "the tests import '... rest'": "import { ...rest } from './sums';\n" + CALL,
    "the tests use the module 'sums' as a value": "const sums = require('./sums');\nit('a', () => { expect(sums); });",
    "the tests change a part of 'sums'": "import sums from './sums';\nit('a', () => { sums.all = 1; sums.add(); });",
    "the tests change a part of 'all'": "const all = require('./all');\nit('a', () => { all.n += 1; all.add(); });",
    "the tests change a part of 'one'": "const one = require('./one');\nit('a', () => { one.n++; one.add(); });",
    "the tests require the candidate within an expression": "it('a', () => { expect(require('./sums').add(1)); });",
    "the tests use 'Promise'": "it('a', async () => { expect(await Promise.all([add(1)])).toEqual([1]); });",
    "the tests call the method 'then'": "it('a', () => { add(1).then((sum) => { expect(sum).toBe(1); }); });",
    "the tests go on while 'add' may be pending": "it('a', async () => { const sum = add(1); await sum; });",
    "the tests give 'add' a template": "it('a', () => { expect(add`x`).toBe(1); });",
    "the tests use nothing of the candidate's": "it('a', () => { expect(1).toBe(1); });",
    "the tests have '@x)).toBe(', which is not understood": "it('a', () => { expect(add(@x)).toBe(1); });",
}
OTHERS = {
    "node:test": "import test from 'node:test';\ntest('a', () => { add(1); });",
    "functions of the tests": "function test(name, run) { run(); }\ntest('a', () => { if (add(1) !== 2) throw 1; });",
    "functions of the candidate": "if (test('a', 1) !== it(2)) throw 1;",
    "no tests": "if (add(2, 3) !== 5) throw 1;",
    "a text that is not understood": "function expect(x) {}\ntest('a', expect(@x));",
}


@pytest.mark.parametrize("name", APART)
def test_tests_that_can_run(name):
    """Tests for jest that call functions and look at data can run apart."""
    jest = read_jest(APART[name])
    assert jest is not None
    assert (jest.reason, "add" in jest.names or "add" in jest.code) == ("", True)


@pytest.mark.parametrize("reason", REFUSED)
@pytest.mark.parametrize("grading", ["auto", "separate", "shared"])
def test_tests_that_are_refused(reason, grading):
    """Tests for jest that need the candidate's process are an error, which says why, whatever the grading."""
    with pytest.raises(ValueError, match="and tests for jest never run with the candidate") as error:
        recipe_for("javascript", REFUSED[reason], grading)
    assert str(error.value).startswith(reason[:28])


@pytest.mark.parametrize("name", OTHERS)
def test_other_tests(name):
    """Tests that bring functions of jest's names along are none for jest."""
    assert read_jest(OTHERS[name]) is None


@pytest.mark.parametrize("language", ["javascript", "typescript"])
@pytest.mark.parametrize("grading", ["auto", "separate", "shared"])
def test_tests_never_run_with_the_candidate(language, grading):
    """Tests for jest run apart, whatever the grading."""
    assert recipe_for(language, TESTS, grading) is LANGUAGES[language].apart


@given(st.text(alphabet="it('a',)=>{expect.add;}`$\n/:jest"))
def test_any_text_has_an_answer(tests):
    """Each text can be read, or there is a reason why not."""
    assert isinstance(reason_for_candidate("it('a', () => {" + tests), str)


def test_lines_keep_their_numbers():
    """Statements that import the candidate leave their lines behind."""
    jest = read_jest("import {\n  add,\n} from './sums';\n" + CALL)
    assert jest is not None
    assert jest.code.splitlines()[3] == CALL.strip()


SHOWN = ("promises replaced", "builtins replaced")
"""Attacks whose verdicts have names and messages that are tested."""


@pytest.fixture(scope="module")
def verdicts(request):
    """Return {(kind, name): verdict} of programs, which run together."""
    asked = {each.get("name") for each in chosen_parameters(request)} | {*SHOWN}
    programs = {}
    for language, attacks in (("javascript", ATTACKS), ("typescript", TYPESCRIPT_ATTACKS)):
        for name, (wrong, right, *tests) in attacks.items():
            text = (*tests, TESTS)[0]
            programs |= {("wrong", name): (language, wrong, text), ("right", name): (language, right, text)}
    programs |= {("shape", name): ("javascript", *parts) for name, parts in HONEST.items()}
    programs |= {("none", name): ("javascript", PLUS, tests) for name, tests in NO_TESTS.items()}
    programs = {key: program for key, program in programs.items() if key[1] in asked}
    # Many attacks have the same honest counterpart.
    different = list(dict.fromkeys(programs.values()))
    pool = language_pool("javascript", "typescript")
    all_verdicts = pool.run_all([build_program(*program, LIMITS) for program in different], 1)
    found = dict(zip(different, all_verdicts, strict=True))
    return {key: found[program] for key, program in programs.items()}


@pytest.mark.parametrize("name", ATTACKS | TYPESCRIPT_ATTACKS)
def test_a_wrong_candidate_does_not_pass(verdicts, name):
    """A wrong candidate does not pass, whatever else it does."""
    verdict = verdicts["wrong", name]
    assert (verdict.passed, verdict.attempts, verdict.grading) == (False, 1, "separate"), verdict


@pytest.mark.parametrize("name", ATTACKS | TYPESCRIPT_ATTACKS)
def test_its_honest_counterpart_passes(verdicts, name):
    """A right candidate that uses the same means without harm passes."""
    verdict = verdicts["right", name]
    assert verdict.passed, (verdict.detail, verdict.stderr)


@pytest.mark.parametrize("name", HONEST)
def test_a_right_candidate_of_each_shape_passes(verdicts, name):
    """A right candidate passes tests of each shape."""
    verdict = verdicts["shape", name]
    assert verdict.passed, (verdict.detail, verdict.stderr)


@pytest.mark.parametrize("name", NO_TESTS)
def test_tests_of_which_none_runs(verdicts, name):
    """Tests of which each is left out fail every candidate, with a reason."""
    assert verdicts["none", name].detail == "ended with status 1: error: the tests have no test"


def test_names_and_messages(verdicts):
    """A test has the names of its blocks before its own, and jest's message on one line."""
    tests = [(test.name, test.outcome.value, test.message) for test in verdicts["wrong", "promises replaced"].tests]
    assert not [name for name, outcome, _ in tests if outcome == "passed"]
    [small, _] = verdicts["wrong", "builtins replaced"].tests
    message = "expect(received).toBe(expected) // Object.is equality Expected: 5 Received: 6"
    assert (small.name, small.message) == ("add › small", message)


@pytest.fixture
def folder(tmp_path_factory):
    """Return a folder of commands that has all but jest."""
    require_languages("javascript")
    folder = tmp_path_factory.mktemp("commands")
    for name in ("sh", "node"):
        (folder / name).symlink_to(f"/usr/bin/{name}")
    folder.chmod(0o755)
    return folder


def run_with_commands_of(folder, *more_folders):
    """Run a program with tests for jest where commands are in a folder alone."""
    paths = [*required_paths({"javascript"}), *map(str, (folder, *more_folders))]
    sandbox = open_sandbox("subprocess", read_only_paths=paths, env={"PATH": str(folder)})
    with closing(Pool(sandbox)) as pool:
        return pool.run_all([build_program("javascript", PLUS, TESTS, LIMITS)], 1)


def test_jest_is_missing(folder):
    """Where jest is missing no candidate has failed, and the error names what to install."""
    with pytest.raises(SandboxUnavailable, match=r"the tests need jest, which is not installed; install .* jest"):
        run_with_commands_of(folder)


def test_jest_can_t_be_used(folder, tmp_path):
    """An installed jest that does not work is an error with its version, and no candidate has failed."""
    package = tmp_path / "jest"
    package.mkdir()
    (package / "package.json").write_text(json.dumps({"name": "jest", "version": "20.0.4", "exports": {"./*": "./*"}}))
    (package / "jest.js").write_text("")
    # Debian's Node would find Debian's package of this name.
    expect = package / "node_modules" / "expect"
    expect.mkdir(parents=True)
    (expect / "index.js").write_text('throw new Error("too old");')
    (folder / "jest").symlink_to(package / "jest.js")
    for each in (tmp_path, package, expect.parent, expect):
        each.chmod(0o755)
    message = r"the tests need jest 29 or 30, and .*/jest is jest 20\.0\.4, which can't be used \(too old"
    with pytest.raises(SandboxUnavailable, match=message):
        run_with_commands_of(folder, tmp_path)
