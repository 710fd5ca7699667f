"""Candidates in JavaScript and TypeScript that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = 'if (add(2, 3) !== 5) throw new Error("no sum");\n'
ASSERTS = (
    'const assert = require("assert");\nassert.strictEqual(add(2, 3), 5);\nassert.deepStrictEqual([add(1, 1)], [2]);\n'
)
SAID = "const testAdd = () => {\n  console.assert(add(2, 3) === 5)\n}\n\ntestAdd()\n"
MAIN = 'async function main() {\n  if ((await add(2, 3)) !== 5) throw new Error("no sum");\n}\nmain();\n'
IN_ASYNC = (
    'const assert = require("assert");\n(async () => {\n  assert.equal(await add(2, 3), 5);\n'
    "})();\nconst done = true;\n"
)
THEN = 'add(2, 3).then((sum) => {\n  if (sum !== 5) throw new Error("no sum");\n});\nconst done = true;\n'
MODULE = 'import assert from "node:assert";\nassert.equal(await add(2, 3), 5);\n'
LATER = 'setTimeout(() => {\n  if (add(2, 3) !== 5) throw new Error("no sum");\n}, 5);\n'
EXITS = 'if (add(2, 3) !== 5) {\n  console.error("no sum");\n  process.exit(1);\n}\n'
STATUS = "if (add(2, 3) !== 5) process.exitCode = 1;\n"
TWICE = 'const assert = require("assert");\nassert.equal(add(2, 3), 5);\nassert.equal(add(3, 4), 7);\n'
NODE_TESTS = (
    "const test = require('node:test');\nconst assert = require('node:assert');\n"
    "test('none', async () => { assert.equal(add(0, 0), 0); });\n"
    "test('sum', async () => { assert.equal(add(2, 3), 5); });\n"
)
NODE_SUITE = (
    "const { describe, it } = require('node:test');\nconst assert = require('node:assert');\n"
    "describe('add', () => {\n  it('sum', async () => { assert.equal(add(2, 3), 5); });\n});\n"
)
NODE_SUBTESTS = (
    "const test = require('node:test');\nconst assert = require('node:assert');\n"
    "test('add', async (t) => {\n  await t.test('sum', () => { assert.equal(add(2, 3), 5); });\n});\n"
)
NODE_MODULE = (
    "import test from 'node:test';\nimport assert from 'node:assert';\n"
    "test('sum', async () => { assert.equal(add(2, 3), 5); });\ntest('none', () => { assert.equal(add(0, 0), 0); });\n"
)
LATER_STATUS = (
    "(async () => {\n  await 1;\n  if (add(2, 3) !== 5) process.exitCode = 1;\n"
    "  if (add(0, 0) !== 0) process['exitCode'] = 1;\n})();\n"
)
TIMES = "function add(a, b) { return a * b; }\n"
PLUS = "function add(a, b) { return a + b; }\n"
ASYNC_PLUS = "async function add(a, b) { return a + b; }\n"
NEVER = "function add(a, b) { return new Promise(() => {}); }\n"


def both(around, wrong=TIMES, right=PLUS):
    """Return (wrong, honest) candidates that do the same around their function, which stands for ADD."""
    return around.replace("ADD", wrong), around.replace("ADD", right)


SET_BACK = both("process.on('beforeExit', () => { process.exitCode = 0; });\nADD")
OTHER_FRAMEWORK = """\
const Module = require('module');
const load = Module._load;
Module._load = function (name, ...all) {
  const found = load.call(this, name, ...all);
  return name === 'node:test' ? Object.assign(() => {}, found, { it() {}, test() {} }) : found;
};
ADD"""
SWALLOWS = """\
const { runInAsyncScope } = require('async_hooks').AsyncResource.prototype;
require('async_hooks').AsyncResource.prototype.runInAsyncScope = function (...all) {
  const done = runInAsyncScope.apply(this, all);
  return done && done.catch ? done.catch(() => {}) : done;
};
ADD"""
HANGS_LATER = """\
let calls = 0;
function add(a, b) {
  if (!calls++) module.constructor._load('node:test').beforeEach(() => new Promise(() => {}));
  return a * b;
}
process.on('beforeExit', () => { process.exitCode = 0; });
"""
NO_SUBTESTS = """\
module.constructor._load('node:test').test('own', (t) => { Object.getPrototypeOf(t).test = () => {}; });
ADD"""
ALL_LATER = "Boolean = () => true;\nObject.prototype.todo = true;\nADD"
ATTACKS = {
    "a status that is set back": (*SET_BACK, LATER_STATUS),
    "a status that is set back by our name": (
        *both("process.on('beforeExit', () => { process.codeEvalStatus = process.exitCode = 0; });\nADD"),
        LATER_STATUS,
    ),
    "node:test, a status that is set back": (*SET_BACK, NODE_TESTS),
    "node:test in a module, a status that is set back": (*SET_BACK, NODE_MODULE),
    "node:test, another framework": (*both(OTHER_FRAMEWORK), NODE_TESTS),
    "node:test, a framework without tests": (
        *both("module.constructor._load('node:test').it = () => {};\nADD"),
        NODE_SUITE,
    ),
    "node:test, errors that are swallowed": (*both(SWALLOWS), NODE_TESTS),
    "node:test, tests that hang": (HANGS_LATER, PLUS, NODE_TESTS),
    "node:test, a time limit of all objects": (
        TIMES + "Object.prototype.timeout = 1;\nprocess.on('beforeExit', () => { process.exitCode = 0; });\n",
        PLUS,
        NODE_TESTS,
    ),
    "node:test, all is yet to be done": (*both(ALL_LATER), NODE_TESTS),
    "node:test, subtests that are none": (*both(NO_SUBTESTS), NODE_SUBTESTS),
    "return at the top": (TIMES + "return;\n", PLUS + "function early() { return; }\n"),
    "if (false) as the last line": (TIMES + "if (false)", PLUS + "if (false) {}"),
    "if (0) in a block that stays open": (TIMES + "if (0) {", PLUS + "if (0) {}"),
    "open comment": (TIMES + "/* the rest", PLUS + "/* the rest */"),
    "open template": (TIMES + "const text = `", PLUS + "const text = `}`;"),
    "open function": (TIMES + "function later() {", PLUS + "function later() {}"),
    "else without an end": (TIMES + "if (true) {} else", PLUS + "if (true) {} else {}"),
    "arrow that takes the first statement": (TIMES + "const later = () =>", PLUS + "const later = () => 1"),
    "label": (TIMES + "out: while (false)", PLUS + "out: while (false) break out"),
    "exit": (*both("ADDprocess.on('exit', () => {});\n", TIMES + "process.exit(0);\n"),),
    "exit of C++": (TIMES + "process.reallyExit(0);\n", PLUS),
    "exit when called": ("function add(a, b) { process.exit(0); }\n", PLUS),
    "uncaught exceptions": both('process.on("uncaughtException", () => {});\nADD'),
    "uncaught exceptions captured": (
        TIMES + "process.setUncaughtExceptionCaptureCallback(() => {});\n",
        PLUS + "process.hasUncaughtExceptionCaptureCallback();\n",
    ),
    "uncaught exceptions of timers": (*both('process.on("uncaughtException", () => {});\nADD'), LATER),
    "handler of fatal exceptions": (*both("process._fatalException = () => true;\nADD"), LATER),
    "emitter that says all was handled": (
        TIMES + "process.emit = () => true;\n",
        PLUS + 'process.emit("something");\n',
        LATER,
    ),
    "unhandled rejections": (
        *both('process.on("unhandledRejection", () => {});\nADD', "async " + TIMES, ASYNC_PLUS),
        MAIN,
    ),
    "unhandled rejections and exceptions": (
        'for (const name of ["unhandledRejection", "uncaughtException"]) process.on(name, () => {});\nasync ' + TIMES,
        ASYNC_PLUS,
        IN_ASYNC,
    ),
    "beforeExit by hand": (TIMES + 'process.emit("beforeExit");\nprocess.exit(0);\n', PLUS),
    "beforeExit by hand before a timer": (
        TIMES + 'Promise.resolve().then(() => { process.emit("beforeExit"); process.emit("exit", 0); });\n',
        PLUS,
        LATER,
    ),
    "exit event by hand": (TIMES + 'process.emit("exit", 0);\nprocess.reallyExit(0);\n', PLUS),
    "status set back": (*both('process.on("exit", () => { process.exitCode = 0; });\nADD'), STATUS),
    "status set back first": (*both('process.prependListener("exit", () => { process.exitCode = 0; });\nADD'), STATUS),
    "status that can't be set": (
        TIMES + 'try {\n  Object.defineProperty(process, "exitCode", { get: () => 0, set() {} });\n} catch {}\n',
        PLUS,
        STATUS,
    ),
    "promise that never settles": (NEVER, ASYNC_PLUS, MAIN),
    "promise that never settles in the middle": (NEVER, ASYNC_PLUS, IN_ASYNC),
    "promise that never settles for then": (NEVER, ASYNC_PLUS, THEN),
    "promise that never settles, the last value": (NEVER, ASYNC_PLUS, THEN.replace("const done = true;\n", "")),
    "promise that never settles in a class": (
        "class Adder { add() { return new Promise(() => {}); } }\n",
        "class Adder { async add(a, b) { return a + b; } }\n",
        "async function main() {\n  const sum = await new Adder().add(2, 3);\n"
        "  if (sum !== 5) throw 1;\n}\nmain().catch(() => process.exit(1));\n",
    ),
    "promise that never settles in a loop": (
        NEVER,
        ASYNC_PLUS,
        "const cases = [[2, 3, 5], [1, 1, 2]];\n"
        "cases.forEach(async ([a, b, sum]) => {\n  if ((await add(a, b)) !== sum) throw new Error('no sum');\n});\n",
    ),
    "stream of promises that never ends": (
        "async function* sums() { yield 5; await new Promise(() => {}); }\n",
        "async function* sums() { yield 5; }\n",
        "(async () => {\n  const all = [];\n  for await (const each of sums()) all.push(each);\n"
        "  if (all[0] !== 6 - 1) throw new Error('no sum');\n})();\n",
    ),
    "thenable that never answers": (
        "function add() { return { then() {} }; }\n",
        "function add(a, b) { return { then(done) { done(a + b); } }; }\n",
        MAIN,
    ),
    "top-level await that never settles": (
        "export " + TIMES + "await new Promise(() => {});\n",
        "export " + PLUS + "await Promise.resolve();\n",
        MODULE,
    ),
    "await of the tests that never settles": ("export " + NEVER, "export " + ASYNC_PLUS, MODULE),
    "open comment in a module": ("export " + TIMES + "/*", "export " + PLUS + "/**/", MODULE),
    "if (false) in a module": ("export " + TIMES + "if (false)", "export " + PLUS + "if (false) {}", MODULE),
    "exit in a module": ("export " + TIMES + "process.exit(0);\n", "export " + PLUS, MODULE),
    "console of a module's own": (
        "export " + TIMES + "const console = { assert() {}, log() {} };\n",
        "export " + PLUS + 'console.log("added");\n',
        'import fs from "fs";\nconsole.assert(add(2, 3) === 5);\n',
    ),
    "console.assert replaced": (*both("console.assert = () => {};\nADD"), SAID),
    "console.assert defined": (
        TIMES + 'try {\n  Object.defineProperty(console, "assert", { value() {} });\n} catch {}\n',
        PLUS,
        SAID,
    ),
    "console replaced": (TIMES + "console = { assert() {}, log() {} };\n", PLUS + "console.log(1);\n", SAID),
    "console declared": (
        TIMES + "const console = { assert() {}, log() {} };\n",
        PLUS + "const quiet = console;\n",
        SAID,
    ),
    "console replaced when called": (
        "function add(a, b) { globalThis.console = { assert() {} }; return a * b; }\n",
        "function add(a, b) { console.log(a, b); return a + b; }\n",
        SAID,
    ),
    "assert replaced": (
        TIMES + 'const a = require("assert");\na.strictEqual = a.deepStrictEqual = a.equal = a.ok = () => {};\n',
        PLUS + 'require("assert").ok(true);\n',
        ASSERTS,
    ),
    "assert replaced when called": (
        'function add(a, b) { require("node:assert").equal = () => {}; return 5; }\n',
        'function add(a, b) { require("node:assert").equal(typeof a, "number"); return a + b; }\n',
        TWICE,
    ),
    "assert loaded from elsewhere": (
        TIMES + 'require("module")._load = () => new Proxy(() => {}, { get: () => () => {} });\n',
        PLUS + 'require("module").builtinModules;\n',
        ASSERTS,
    ),
    "require replaced": (
        TIMES + "var require = () => new Proxy(() => {}, { get: () => () => {} });\n",
        PLUS + 'const { inspect } = require("util");\n',
        ASSERTS,
    ),
    "assert in the cache": (
        TIMES + "require.cache.assert = { exports: { strictEqual() {}, deepStrictEqual() {} } };\n",
        PLUS,
        ASSERTS,
    ),
    "exit that does nothing": (TIMES + "process.exit = () => {};\n", PLUS, EXITS),
    "process replaced": (TIMES + "const process = { exit() {} };\n", PLUS + "const { argv } = process;\n", EXITS),
    "then replaced": (
        "Promise.prototype.then = () => Promise.resolve();\nasync " + TIMES,
        "Promise.prototype.after = Promise.prototype.then;\n" + ASYNC_PLUS,
        THEN,
    ),
    "constructor of promises replaced": (
        "Object.defineProperty(Promise.prototype, 'constructor', { get() { return class {}; } });\nasync " + TIMES,
        ASYNC_PLUS,
        THEN,
    ),
    "getters of every object": (
        "for (const name of ['get', 'value', 'size', 'done', '__proto__x', '0'])\n  try {\n"
        "    Object.defineProperty(Object.prototype, name, { get() { return 0; }, set() {}, configurable: true });\n"
        "  } catch {}\n" + TIMES,
        "Object.defineProperty(Object.prototype, 'sum', { get() { return 5; }, configurable: true });\n" + PLUS,
    ),
    "stack traces prepared": (
        *both("Error.prepareStackTrace = (error, frames) => frames.length;\nADD", NEVER, ASYNC_PLUS),
        MAIN,
    ),
    "stack traces of no length": (
        "Object.defineProperty(Error, 'stackTraceLimit', { value: 0 });\n" + NEVER,
        "Error.stackTraceLimit = 0;\n" + ASYNC_PLUS,
        MAIN,
    ),
    "stack traces that end the program": (
        "Error.prepareStackTrace = () => { process.reallyExit(0); };\n" + TIMES,
        "Error.prepareStackTrace = (error) => String(error);\n" + PLUS,
    ),
    "what is written": both('require("fs").writeSync = () => 0;\nADD'),
    "a debugger of its own": both(
        "ADD"
        'const { Session } = require("inspector");\n'
        "try {\n"
        "  const session = new Session();\n"
        "  session.connect();\n"
        "  const ask = (method, given) => {\n"
        "    let said;\n"
        "    session.post(method, given, (_, answer) => { said = answer; });\n"
        "    return said;\n"
        "  };\n"
        "  const { result } = ask('Runtime.evaluate', { expression: \"process.rawListeners('exit')[0]\" });\n"
        "  const inner = ask('Runtime.getProperties', { objectId: result.objectId }).internalProperties;\n"
        "  const scopes = inner.find((each) => each.name === '[[Scopes]]').value.objectId;\n"
        "  for (const scope of ask('Runtime.getProperties', { objectId: scopes }).result)\n"
        "    for (const each of ask('Runtime.getProperties', { objectId: scope.value.objectId }).result)\n"
        "      if (each.name === 'token') {\n"
        "        const functionDeclaration = 'function () { require(\"fs\").writeSync(1, this); }';\n"
        "        ask('Runtime.callFunctionOn', { objectId: each.value.objectId, functionDeclaration });\n"
        "        process.reallyExit(0);\n"
        "      }\n"
        "} catch {}\n"
    ),
    "the pool of buffers": (
        TIMES + 'const pool = Buffer.from("x").buffer;\nrequire("fs").writeSync(1, Buffer.from(pool).toString());\n'
        'const found = /[0-9a-f]{32}/.exec(Buffer.from(pool).toString("latin1"));\n'
        'require("fs").writeSync(1, found ? found[0] : "");\nprocess.reallyExit(0);\n',
        PLUS + 'Buffer.from("x").buffer.byteLength;\n',
    ),
    "the tests' file": (
        'const text = require("fs").readFileSync("tests.js", "utf8");\n'
        "function add(a, b) { return Number(/!== (\\d+)/.exec(text)[1]); }\n",
        'const text = require("fs").readdirSync(".");\n' + PLUS,
    ),
    "functions of the tests": (
        TIMES + "check = () => {};\nfunction check() {}\n",
        PLUS + "function checked() {}\n",
        'check();\nfunction check() {\n  if (add(2, 3) !== 5) throw new Error("no sum");\n}\n',
    ),
    "a thread that ends it": (
        TIMES + "const { Worker } = require(\"worker_threads\");\nnew Worker('process.exit(0)', { eval: true });\n",
        PLUS + 'require("worker_threads").isMainThread;\n',
    ),
    "a child that writes": (
        TIMES
        + 'require("child_process").spawnSync(process.execPath, ["-e", "console.log(1)"], { stdio: "inherit" });\n',
        PLUS + 'require("child_process").spawnSync(process.execPath, ["-e", "console.log(1)"]);\n',
    ),
    "sets and maps replaced": (
        "Set.prototype.add = Set.prototype.delete = function () { return this; };\n"
        "Object.defineProperty(Set.prototype, 'size', { get: () => 0 });\n" + NEVER,
        "Set.prototype.sum = 1;\n" + ASYNC_PLUS,
        MAIN,
    ),
    "regular expressions replaced": (
        "RegExp.prototype.exec = () => null;\nRegExp.prototype.test = () => false;\n" + NEVER,
        "RegExp.prototype.sum = 1;\n" + ASYNC_PLUS,
        "const kept = add(2, 3);\nkept;\n",
    ),
    "arrays replaced": (
        "Array.isArray = () => false;\nArray.prototype[Symbol.iterator] = function* () {};\n"
        "Array.prototype.includes = () => true;\n" + NEVER,
        "Array.prototype.sum = 1;\n" + ASYNC_PLUS,
        IN_ASYNC,
    ),
    "Reflect and Function replaced": (
        "Reflect.apply = () => {};\nFunction.prototype.call = Function.prototype.apply = () => {};\n" + TIMES,
        "Reflect.sum = 1;\n" + PLUS,
        SAID,
    ),
    "hooks of its own": (
        "require('v8').promiseHooks.onInit(() => { throw new Error(); });\n" + NEVER,
        "require('v8').promiseHooks.onInit(() => {});\n" + ASYNC_PLUS,
        MAIN,
    ),
    "timers that keep it from the end": (
        "setTimeout(() => process.exit(0), 20);\n" + NEVER,
        "setTimeout(() => {}, 20);\n" + ASYNC_PLUS,
        MAIN,
    ),
    "a falsy exception": ("function add() { throw undefined; }\n", PLUS),
    "main that is not main": (
        TIMES,
        PLUS,
        'if (require.main === module) {\n  if (add(2, 3) !== 5) throw new Error("no sum");\n}\n',
    ),
}

# Removing the types leaves the same programs in JavaScript.
TYPESCRIPT = {
    name: ATTACKS[name]
    for name in (
        *("return at the top", "if (false) as the last line", "open comment", "open template", "open function"),
        *("exit", "uncaught exceptions of timers", "promise that never settles", "the pool of buffers"),
        *("promise that never settles for then", "console.assert replaced", "functions of the tests"),
    )
}
TYPESCRIPT |= {
    "an export that ends it": (
        "export " + TIMES + "process.exit(0);\n",
        "export " + PLUS,
        'import "fs";\n' + TESTS,
    ),
    "assert of an import": (
        'import assert from "assert";\n(assert as any).equal = () => {};\nexport ' + TIMES,
        'import assert from "assert";\nassert.ok(true);\nexport ' + PLUS,
        'import assert from "assert";\nassert.equal(add(2, 3), 5);\n',
    ),
    "node:test of an import": (
        "module.constructor._load('node:test').test = () => {};\nexport " + TIMES,
        "import test from 'node:test';\ntest.skip('own');\nexport " + PLUS,
        NODE_MODULE,
    ),
    "a name that both import": (
        "export const assert_1 = { default: { equal() {} } };\nexport " + TIMES,
        "export const assert_2 = 2;\nexport " + PLUS,
        'import assert from "assert";\nassert.equal(add(2, 3), 5);\n',
    ),
}
