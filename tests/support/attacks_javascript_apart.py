"""Candidates in JavaScript that lie to tests in another process, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests).
"""

SUM = 'if (add(2, 3) !== 5) throw new Error("no sum");\nif (add(4, 4) !== 8) throw new Error("no sum");\n'
LISTS = (
    'const assert = require("assert");\nconst given = [2, 3];\nconst wanted = { sum: 5, all: [2, 3] };\n'
    "assert.deepStrictEqual(add(given), wanted);\nassert.deepStrictEqual(given, [2, 3]);\n"
)
LOOSE = 'const assert = require("assert");\nassert.deepEqual(add([2, 3]), { sum: 5 });\n'
EQUAL = 'if (add(2, 3) != 5 || add(4, 4) != 8) throw new Error("no sum");\n'
RANGE = 'if (!(add(2, 3) > 4) || !(add(2, 3) < 6)) throw new Error("no sum");\n'
THROWS = (
    'const assert = require("assert");\nassert.throws(() => add("a", 1), TypeError);\nassert.equal(add(2, 3), 5);\n'
)
TEXT = 'if (`${2}` + add(2, 3) !== "25") throw new Error("no sum");\n'.replace("`${2}`", '"2"')
PLUS = "function add(a, b) { return a + b; }\n"
TIMES = "function add(a, b) { return a * b; }\n"
RIGHT_LIST = "function add(all) { return { sum: all[0] + all[1], all }; }\n"
SEND = """\
const fs = require("fs");
const send = (value) => {
  const body = Buffer.isBuffer(value) ? value : require("v8").serialize(value);
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  fs.writeSync(4, Buffer.concat([head, body]));
};
"""


def answer(value):
    """Return a candidate that answers each call itself, with a value in JavaScript."""
    return SEND + f"function add(a, b) {{ send({value}); return a * b; }}\n"


LOADS = (
    "const assert = require('assert');\nassert.throws(() => load('x', 404), { name: 'LoadError', status: 404 });\n"
    "assert.throws(() => load('y', [2]), (e) => e instanceof RangeError && e.details.name + e.status === 'y2');\n"
)
LOAD = (
    "class LoadError extends RangeError {\n  constructor(name, status) {\n    super(`no ${name}`);\n"
    "    Object.assign(this, { name: 'LoadError', status, details: { name } });\n  }\n}\n"
    "function load(name, status) { throw new LoadError(name, STATUS); }\n"
)
NODE_TESTS = (
    "const test = require('node:test');\nconst assert = require('assert');\n"
    "test('small', () => { assert.equal(add(2, 3), 5); });\n"
    "test('later', async () => { assert.equal(await add(4, 4), 8); });\n"
)
ATTACKS = {
    "a list of a class of its own": (
        "class Own extends Array {}\nfunction add(all) { return { sum: all[0] + all[1], all: Own.from(all) }; }\n",
        "class Own extends Array {}\nfunction add(all) { return { sum: all[0] + all[1], all: [...Own.from(all)] }; }\n",
        LISTS,
    ),
    "a table of a class of its own": (
        "class Own extends Map {}\nfunction add(all) { return new Own([all]); }\n",
        "class Own extends Map {}\nfunction add(all) { return new Map(new Own([all])); }\n",
        'require("assert").deepStrictEqual(add([2, 3]), new Map([[2, 3]]));\n',
    ),
    "an error with a wrong property": (LOAD.replace("STATUS", "404"), LOAD.replace("STATUS", "status"), LOADS),
    "an error of node:test's": (
        "function add() {\n  const of = { code: 'ERR_TEST_FAILURE', failureType: 'cancelledByParent', skip: true };\n"
        "  throw Object.assign(new Error('no'), of);\n}\n",
        PLUS,
        NODE_TESTS,
    ),
    "an answer before its call": (
        SEND + TIMES + 'send(["function"]);\nsend({ value: 5, classes: [], errors: [] });\n',
        PLUS,
        SUM,
    ),
    "the answer to each call twice": (answer("{ value: 5, classes: [], errors: [] }"), PLUS, SUM),
    "an answer that is no object": (answer("undefined"), PLUS, SUM),
    "an answer of bytes": (answer("Buffer.from([255, 15, 111, 0, 1, 2, 3])"), PLUS, SUM),
    "an answer without an end": (
        "const fs = require('fs');\nfunction add(a, b) { fs.writeSync(4, Buffer.from([255, 255, 255, 127])); "
        "process.exit(0); }\n",
        PLUS,
        SUM,
    ),
    "an argument for an answer": (answer("{ place: 0, classes: [], errors: [] }"), PLUS, SUM),
    "a class at the prototype": (answer('{ value: {}, classes: [[["__proto__"], "Same"]], errors: [] }'), PLUS, EQUAL),
    "a class at the constructor": (
        answer('{ value: {}, classes: [[["constructor"], null]], errors: [] }'),
        PLUS,
        EQUAL,
    ),
    "a class at a method": (
        answer('{ value: [], classes: [[["push"], "Same"], [["map"], null]], errors: [] }'),
        PLUS,
        EQUAL,
    ),
    "arguments with a prototype": (
        SEND + "function add(all) {\n  const now = {};\n"
        "  Object.defineProperty(now, '__proto__', { value: { sum: 5 }, enumerable: true });\n"
        "  send({ value: {}, classes: [], errors: [], all: [now] }); return 0;\n}\n",
        "function add(all) { return { sum: all[0] + all[1] }; }\n",
        LOOSE,
    ),
    "expected data as an argument": (
        "function add(all) { all.length = 0; return { sum: 5, all: [] }; }\n",
        "function add(all) { return { sum: all[0] + all[1], all: all.slice() }; }\n",
        LISTS,
    ),
    "an error that the tests do not want": (
        SEND
        + 'function add() { send({ error: { chain: ["AssertionError"], name: "x", message: "y" } }); return 5; }\n',
        PLUS,
        SUM,
    ),
    "an error with a status": (
        "function add() { const error = new Error('fine'); error.code = 0; error.exitCode = 0; throw error; }\n",
        PLUS,
        SUM,
    ),
    "an error of another kind": (
        "function add(a, b) { if (b === 1) throw new RangeError('no'); return a + b; }\n",
        "function add(a, b) { if (typeof a !== 'number') throw new TypeError('no'); return a + b; }\n",
        THROWS,
    ),
    "an error that calls itself one": (
        "function add(a, b) { if (b === 1) throw { chain: ['TypeError'], name: 'TypeError' }; return a + b; }\n",
        "function add(a, b) { if (typeof a !== 'number') throw new (class Odd extends TypeError {})('no'); "
        "return a + b; }\n",
        THROWS,
    ),
    "a function in place of an error": (
        "function add(a, b) { return b === 1 ? () => 1 : a + b; }\n",
        "function add(a, b) { if (b === 1) throw new TypeError('no'); return a + b; }\n",
        THROWS,
    ),
    "a proxy in place of an error": (
        "function add(a, b) { return b === 1 ? new Proxy({}, {}) : a + b; }\n",
        "function add(a, b) { if (b === 1) throw new (class Odd extends TypeError {})(''); return a + b; }\n",
        THROWS,
    ),
    "a promise in place of an error": (
        "function add(a, b) { return b === 1 ? Promise.reject(new TypeError('no')) : a + b; }\n",
        "const no = Object.assign(new TypeError('no'), { code: () => 1 });\n"
        "function add(a, b) { if (b === 1) throw no; return a + b; }\n",
        THROWS,
    ),
    "a list in place of an error": (
        "function add(a, b) { return b === 1 ? [Symbol.iterator] : a + b; }\n",
        "function add(a, b) { if (b === 1) throw { all: () => 1 }; return a + b; }\n",
        'const assert = require("assert");\nassert.throws(() => add("a", 1));\nassert.equal(add(2, 3), 5);\n',
    ),
    "an object that is equal to all": (
        "function add() { return { valueOf: () => 5, toString: () => '5' }; }\n",
        "function add(a, b) { return new Number(a + b); }\n",
        EQUAL,
    ),
    "an object of a class that is equal to all": (
        "let sums = [5, 8];\nclass Same { valueOf() { return sums.shift(); } }\n"
        "function add() { return new Same(); }\n",
        PLUS,
        EQUAL,
    ),
    "a primitive by symbol": (
        "function add() { return { [Symbol.toPrimitive]: () => 5 }; }\n",
        "function add(a, b) { return String(a + b); }\n",
        EQUAL,
    ),
    "a text of its own": ("function add() { return { toString() { return '5'; } }; }\n", PLUS, TEXT),
    "a proxy": ("function add() { return new Proxy({}, { get: () => 5 }); }\n", PLUS, RANGE),
    "a proxy in a list": (
        "function add(all) { return { sum: 5, all: new Proxy([2, 3], {}) , more: 1 }; }\n",
        "function add(all) { return { sum: all[0] + all[1], all }; }\n",
        LISTS,
    ),
    "a getter that counts": (
        "let sum = 0;\nfunction add() { return { get sum() { return sum++; }, all: [2, 3] }; }\n",
        "function add(all) { return { get sum() { return all[0] + all[1]; }, all }; }\n",
        LISTS,
    ),
    "a promise of the sum": ("async function add(a, b) { return a + b; }\n", PLUS, SUM),
    "not a number": ("function add() { return NaN; }\n", PLUS, RANGE),
    "exit when it is loaded": (TIMES + "process.reallyExit(0);\n", PLUS, SUM),
    "exit when it is called": ("function add() { process.reallyExit(0); }\n", PLUS, SUM),
    "a closed pipe": (TIMES + "require('fs').closeSync(4);\n", PLUS, SUM),
    "closed pipes when it is called": (
        "const fs = require('fs');\nfunction add() { fs.closeSync(3); fs.closeSync(4); return 5; }\n",
        PLUS,
        SUM,
    ),
    "names that it does not define": ("const sum = (a, b) => a + b;\n", "const add = (a, b) => a + b;\n", SUM),
    "a class in the place of the function": ("class add { constructor() { return 5; } }\n", PLUS, SUM),
    "a function that changes": (
        "let add = (a, b) => { add = () => 8; return 5; };\nadd = add.bind(null);\nconst early = 1;\nadd(2, 2);\n",
        "let add = (a, b) => { add = (c, d) => c + d; return a + b; };\n",
        SUM,
    ),
    "modules replaced": (
        "for (const name of ['v8', 'vm', 'util', 'fs', 'assert']) {\n  const all = require(name);\n"
        "  for (const key of Object.keys(all)) try { all[key] = () => 5; } catch {}\n}\n" + TIMES,
        "require('util').sum = 1;\n" + PLUS,
        SUM,
    ),
    "builtins replaced": (
        "Object.hasOwn = () => true;\nArray.prototype.indexOf = () => 0;\nArray.isArray = () => true;\n"
        "Map.prototype.get = () => 5;\n" + TIMES,
        "Object.sum = 1;\n" + PLUS,
        SUM,
    ),
    "a console of its own": (
        "console.assert = () => {};\n" + TIMES,
        "console.log('here');\n" + PLUS,
        "console.assert(add(2, 3) === 5);\n",
    ),
    "an exit code of its own": (
        "process.exitCode = 0;\nprocess.on('exit', () => process.reallyExit(0));\n" + TIMES,
        "process.exitCode = 3;\n" + PLUS,
        "if (add(2, 3) !== 5) process.exitCode = 1;\n",
    ),
}
