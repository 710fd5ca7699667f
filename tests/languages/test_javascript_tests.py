"""The text of tests in JavaScript decides whether they run apart from the candidate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes import Limits
from sandboxes.languages.apart.javascript import read_tests, reason_for_candidate
from sandboxes.languages.programs import build_program, recipe_for
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.options import TaskOptions
from sandboxes.tasks.task import Task

CALL = "if (add(2, 3) !== 5) throw 1;\n"
APART = {
    "a comparison": CALL,
    "console.assert": "const testAdd = () => {\n  console.assert(add(2, 3) === 5)\n}\ntestAdd()",
    "an alias": 'const assert = require("node:assert");\nlet candidate = add;\nassert.deepEqual(candidate(2),[5]);',
    "expected errors": 'const { throws } = require("assert");\nthrows(() => add(-1), /"no/);',
    "a helper": "function check(run, sum) { if (run(2, 3) !== sum) throw new Error(`no`); }\ncheck(add, 5);",
    "a table": "for (const [a, b, sum] of [[2, 3, 5]]) console.assert(add(a, b) === sum, { a: 1 });",
    "own data": "const all = [2];\nall.push(3);\nconsole.assert(add(...all, Math.PI).length / 2 === 5);",
    "a value that must not be": "const assert = require('assert');\nassert.notStrictEqual(add(2, 3), 6);\n"
    "if (add(1) === 2) throw 1;\nlet sum = add(1);\nsum = 3;\nconst o = { a: 1 };\no.a = sum;",
    "types": "declare var require: any;\nlet sum: number = add(2 as number, 3);\nif (sum !== 5) throw new Error();",
    "a status": "if (add(2, 3) !== 5) process.exit(1);\nif (!add(1)) process.exitCode = 2;",
    "words in texts": CALL + "const text = 'class await';\n// import x\n/* async */",
    "a value": CALL + "if (limit !== 5) throw 1;",
    "async functions": "(async () => { if (await add(2) !== 5) throw 1; })();\n"
    "async function f() { return await add(3); }",
    "rejected promises": "const { rejects } = require('assert');\n(async () => { await rejects(add(-1), /no/); })();",
    "node:test": "const test = require('node:test');\ntest('sum', async () => console.assert(add(2) === 5));",
}
SHARED = {
    "the tests use 'Promise'": "(async () => { await Promise.all([add(2), add(3)]); })();",
    "the tests go on while 'add' may be pending": "(async () => {\n  const sum = add(2);\n  await sum;\n})();",
    "the tests await outside of an async function": "if (await add(2) !== 5) throw 1;",
    "the tests use 'import'": 'import assert from "assert";\n' + CALL,
    "the tests use 'class'": "class Node {}\n" + CALL,
    "the tests use 'setTimeout'": "setTimeout(() => add(2));",
    "the tests use the class 'Stack'": "const stack = new Stack();\n" + CALL,
    "the tests use 'process'": CALL + "process.exit(0);",
    "the tests require a module": 'const fs = require("fs");\n' + CALL,
    "the tests change 'console'": "console.log = (text) => text;\n" + CALL,
    "the tests change 'assert'": 'const assert = require("assert");\nassert.near = 1;\n' + CALL,
    "the tests change 'Math'": "Math.random = 1;\n" + CALL,
    "the tests call the method 'push'": "const stack = add();\nstack.push(1);",
    "the tests call the method 'then'": "add(2).then((sum) => sum);",
    "the tests call the result of 'add'": "add(2)(3);",
    "the tests call 'more', which is the result of a call": "const more = add(2);\nif (more(3) !== 5) throw 1;",
    "the tests give 'add' a function": "add([1], (each) => each);",
    "the tests iterate over the result of 'add'": "const all = [...add(2)];",
    "the tests use 'utils' as a value": "if (utils.add(2, 3) !== 5) throw 1;",
    "the tests use 'Kind' as a value": CALL + "if (Kind) throw 1;",
    "the tests ask whether two objects are one": "const o = {};\nif (copy(o) === o) throw 1;",
    "the tests ask whether two objects are one, by assert": "const assert = require('assert');\nconst o = {};\n"
    "assert.notStrictEqual(copy(o), o);",
    "the tests ask whether two objects are one in a condition": "const assert = require('assert');\n"
    "const o = { a: {} };\nassert(copy(o).a !== o.a);",
    "the tests ask whether two results are one object": "if (get() !== get()) throw 1;",
    "the tests ask whether two results are one object, by assert": "const assert = require('assert');\n"
    "const one = get();\nassert.strictEqual(one, get());",
    "the tests change a part of a result": "const o = { a: { b: 1 } };\nconst c = copy(o);\nc.a.b = 2;\n"
    "if (o.a.b !== 1) throw 1;",
    "the tests change a part of a result by its place": "const c = copy([1]);\nc[0] = 2;",
    "the tests use nothing of the candidate's": "if (isNaN(2)) throw 1;",
    "the tests have a bracket too many": CALL + "}",
    "the tests have a bracket that is not closed": CALL + "{",
    "the tests have '`${add(2)}', which is not understood": "`${add(2)}`",
}


@pytest.mark.parametrize("name", APART)
def test_calls_can_run_apart(name):
    """Tests that call functions and look at data can run apart."""
    assert reason_for_candidate(APART[name]) == ""


@pytest.mark.parametrize("reason", SHARED)
def test_other_uses_need_the_candidate(reason):
    """Tests that do more need the candidate's process. The reason names what they do."""
    [first, *_] = reason.split(", which is not")
    assert reason_for_candidate(SHARED[reason]).startswith(first[:30])


@pytest.mark.parametrize("give", ["parseInt", "Math.max", "check", "(function () {})"])
def test_functions_as_arguments_need_the_candidate(give):
    """Tests that give the candidate a function of any kind need its process."""
    tests = f"function check() {{}}\nif (add(2, {give}) !== 5) throw 1;"
    assert reason_for_candidate(tests) == "the tests give 'add' a function"


def test_names_of_the_candidate_s():
    """The names that tests may have from the candidate are those that nothing else defines, and those with an alias."""
    tests = "const assert = require('assert');\nlet candidate = escape;\nassert.equal(candidate(2), add(3) + limit);"
    assert read_tests(tests)[1] == {"escape", "limit", "add"}


@given(st.text(alphabet="add(2)=;'\"`/\\{}[]\n.x>c*"))
def test_any_text_has_an_answer(tests):
    """Each text can be read, or there is a reason why not."""
    assert isinstance(reason_for_candidate(tests), str)


@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_the_grading_chooses(language):
    """The grading decides about tests that could run apart."""
    gradings = {
        each: recipe_for(language, CALL, each) is not recipe_for(language, CALL, "shared")
        for each in ("auto", "separate", "shared")
    }
    assert gradings == {"auto": True, "separate": True, "shared": False}


def test_tests_that_have_to_run_apart():
    """The grading "separate" is refused for tests that need the candidate's process."""
    tasks = [Task(SHARED["the tests use 'class'"], ["const add = 1;"])]
    message = r"^references\[0\]: the tests use 'class', so that they run with the candidate; choose grading='auto'"
    with pytest.raises(ValueError, match=message):
        ProgramBatch.assemble(tasks, TaskOptions(language="javascript"), Limits(), "separate")


@pytest.mark.parametrize(("tests", "reason"), [(SHARED["the tests use 'class'"], "the tests use 'class'"), (CALL, "")])
def test_the_reason_is_told(tests, reason):
    """The batch has the reason for which tests run with the candidate."""
    batch = ProgramBatch.assemble(
        [Task(tests, ["const add = 1;"])], TaskOptions(language="javascript"), Limits(), "auto"
    )
    assert [each if reason else "" for each in (task.reason for task in batch.tasks)] == [reason]


def test_files_of_the_tests_alone():
    """The files of a candidate whose tests run apart have nothing of the tests."""
    program = build_program("javascript", "const add = 1;", CALL, Limits())
    assert "throw 1" not in program.candidate
