"""Candidates in JavaScript and TypeScript that lie to tests for jest, each beside an honest one, and honest programs.

Each entry of ATTACKS maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

from support.attacks_javascript_apart import SEND

TESTS = """\
describe('add', () => {
  test('small', () => { expect(add(2, 3)).toBe(5); });
  test('equal', () => { expect(add(4, 4)).toEqual(8); });
});
"""
LISTS = """\
test('lists', () => {
  expect(add([2, 3])).toEqual({ sum: 5, all: [2, 3] });
  expect(add([4, 4])).toMatchObject({ sum: 8 });
});
"""
STRICT = "test('strict', () => { expect(add([2, 3])).toStrictEqual({ sum: 5, all: [2, 3] }); });\n"
THROWS = """\
test('throws', () => {
  expect(() => add('a', 1)).toThrow(TypeError);
  expect(() => add('a', 1)).toThrow('no number');
  expect(add(2, 3)).toBe(5);
});
"""
ASYNC = """\
test('resolves', async () => { await expect(add(2, 3)).resolves.toBe(5); });
test('awaits', async () => { expect(await add(4, 4)).toBe(8); });
test('rejects', async () => { await expect(add('a', 1)).rejects.toThrow('no number'); });
test('then', () => { return add(1, 1).then((sum) => { expect(sum).toBe(2); }); });
"""
COUNTED = """\
test('counted', () => {
  expect.assertions(2);
  expect(add(2, 3)).toBe(5);
  try {
    add('a', 1);
  } catch (error) {
    expect(error.message).toMatch(/no number/);
  }
});
"""
CLOSE = """\
test('close', () => {
  expect(add(0.1, 0.2)).toBeCloseTo(0.3, 10);
  expect(add(2, 3)).toBeGreaterThan(4);
  expect(add(2, 3)).toBeLessThan(6);
});
"""
MATCHERS = """\
test('matchers', () => {
  expect(add([2, 3]).all).toContain(3);
  expect(add([2, 3]).all).toHaveLength(2);
  expect(add([2, 3])).toHaveProperty('sum', 5);
  expect(add([2, 3])).toEqual({ sum: expect.any(Number), all: expect.arrayContaining([2]) });
  expect(add([2, 3])).not.toEqual({ sum: 6, all: [2, 3] });
  expect(add([2, 3]).sum).not.toBeNaN();
});
"""
HOOKS = """\
let sum;
beforeEach(() => { sum = add(2, 3); });
afterAll(() => { expect(add(4, 4)).toBe(8); });
it('small', () => { expect(sum).toBe(5); });
"""
TIMES = "function add(a, b) { return a * b; }\n"
PLUS = "function add(a, b) { return a + b; }\n"
CHECKED = "function add(a, b) { if (typeof a !== 'number') throw new TypeError('no number'); return a + b; }\n"
ASYNC_PLUS = "async " + CHECKED
RIGHT_LIST = "function add(all) { return { sum: all[0] + all[1], all }; }\n"


def both(around, wrong=TIMES, right=PLUS):
    """Return (wrong, honest) candidates that do the same around their function, which stands for ADD."""
    return around.replace("ADD", wrong), around.replace("ADD", right)


def reply(value):
    """Return a candidate that answers each call itself, with a value in JavaScript."""
    return SEND + f"function add() {{ send({value}); return 0; }}\n"


ATTACKS = {
    "exit when it is loaded": (*both("process.on('exit', () => {});\nADD", TIMES + "process.exit(0);\n"),),
    "exit when it is called": ("function add() { process.reallyExit(0); }\n", PLUS),
    "exit in the last test": ("function add(a, b) { if (a === 4) process.exit(0); return a + b; }\n", PLUS),
    "tests with a status of the sandbox's": (
        TIMES,
        PLUS,
        "it('adds', () => { if (add(2, 3) !== 5) process.exit(85); });\n",
    ),
    "exit with a status of ours": ("function add() { process.exit(85); }\n", PLUS),
    "an expect of its own": both(
        "function expect() { return new Proxy({}, { get: () => () => {} }); }\nglobalThis.expect = expect;\nADD"
    ),
    "functions of jest's names": both(
        "function test() {}\nfunction it() {}\nfunction describe() {}\nconst jest = { fn() {} };\n"
        "function beforeEach() {}\nmodule.exports = { add, test, it, describe, jest };\nADD"
    ),
    "a framework of its own": both(
        "const Module = require('module');\nconst load = Module._load;\n"
        "Module._load = (name, ...all) => /jest|expect/.test(name) ? {} : load(name, ...all);\nADD"
    ),
    "builtins replaced": both(
        "Object.is = () => true;\nArray.prototype.every = () => true;\nJSON.stringify = () => '';\n"
        "Object.defineProperty(Number.prototype, 'valueOf', { value: () => 5 });\nADD"
    ),
    "promises replaced": (
        "Promise.prototype.then = function () { return this; };\nglobalThis.Promise = class {};\n" + TIMES,
        ASYNC_PLUS,
        ASYNC,
    ),
    "timers replaced": both("globalThis.setTimeout = globalThis.setImmediate = (call) => { call(); };\nADD"),
    "errors that are swallowed": both(
        "process.on('uncaughtException', () => {});\nprocess.on('unhandledRejection', () => {});\nADD"
    ),
    "instances of everything": both(
        "for (const each of [Object, Number, Error])\n"
        "  Object.defineProperty(each, Symbol.hasInstance, { value: () => true });\nADD"
    ),
    "an asymmetric matcher": (
        "function add() { return { asymmetricMatch: () => true, $$typeof: Symbol.for('jest.asymmetricMatcher') }; }\n",
        RIGHT_LIST,
        LISTS,
    ),
    "an asymmetric matcher in a list": (
        "function add() { return { sum: { asymmetricMatch: () => true }, all: [2, 3] }; }\n",
        RIGHT_LIST,
        LISTS,
    ),
    "the type of an asymmetric matcher": (
        "function add() { return { $$typeof: 'jest.asymmetricMatcher', asymmetricMatch: true }; }\n",
        RIGHT_LIST,
        LISTS,
    ),
    "an object that is equal to all": (
        "function add() { return { equals: () => true, valueOf: () => 5, toString: () => '5', toJSON: () => 5 }; }\n",
        PLUS,
        CLOSE,
    ),
    "a proxy": ("function add() { return new Proxy({}, { get: () => 5, ownKeys: () => [] }); }\n", RIGHT_LIST, LISTS),
    "getters that count": (
        "let n = 0;\nfunction add(all) { return { get sum() { return n++ ? 5 : 8; }, all: [] }; }\n",
        "function add(all) { return { get sum() { return all[0] + all[1]; }, all }; }\n",
        LISTS,
    ),
    "an object of a class": (
        "class Sum { constructor(all) { this.sum = all[0] + all[1]; this.all = all; } }\n"
        "function add(all) { return new Sum(all); }\n",
        RIGHT_LIST,
        STRICT,
    ),
    "an immutable collection": (
        "function add() { return { '@@__IMMUTABLE_ITERABLE__@@': true, '@@__IMMUTABLE_KEYED__@@': true, size: 2 }; }\n",
        RIGHT_LIST,
        LISTS,
    ),
    "a node of a document": (
        "function add() { return { nodeType: 1, nodeName: 'a', isEqualNode: true }; }\n",
        RIGHT_LIST,
        LISTS,
    ),
    "a length and an iterator": (
        "function add() { return { all: { length: 2, [Symbol.iterator]: function* () { yield 3; } }, sum: 5 }; }\n",
        RIGHT_LIST,
        MATCHERS,
    ),
    "a prototype among the properties": (
        'function add() { const all = JSON.parse(\'{"__proto__": {"sum": 5, "all": [2, 3]}}\'); return all; }\n',
        RIGHT_LIST,
        MATCHERS,
    ),
    "the answer to each call twice": (
        SEND + "function add(a, b) { send({ value: 5, classes: [], errors: [] }); return a * b; }\n",
        PLUS,
    ),
    "a function in an answer": (reply("{ value: 5, classes: [], errors: [], isPromise: true }"), ASYNC_PLUS, ASYNC),
    "a class at a method": (reply('{ value: {}, classes: [[["constructor"], null]], errors: [] }'), RIGHT_LIST, LISTS),
    "a promise in place of the sum": ("async " + PLUS, PLUS),
    "the sum in place of a promise": (PLUS, ASYNC_PLUS, ASYNC),
    "a promise that never settles": ("function add() { return new Promise(() => {}); }\n", ASYNC_PLUS, ASYNC),
    "a promise that settles late": (
        "function add(a, b) { return new Promise((done) => { setTimeout(() => done(a * b), 20); }); }\n",
        "function add(a, b) { return new Promise((done, fail) => { setTimeout(() => { "
        "if (a === 'a') fail(new Error('no number')); else done(a + b); }, 20); }); }\n",
        ASYNC,
    ),
    "an error of another kind": (
        "function add(a, b) { if (a === 'a') throw new RangeError('no number'); return a + b; }\n",
        CHECKED,
        THROWS,
    ),
    "an object that looks like an error": (
        "function add(a, b) { if (a === 'a') throw { name: 'TypeError', message: 'no number', stack: '' }; "
        "return a + b; }\n",
        CHECKED,
        THROWS,
    ),
    "an error of jest's": (
        "function add(a, b) { const error = new Error('no'); error.matcherResult = { pass: true }; throw error; }\n",
        PLUS,
    ),
    "fewer assertions": ("function add(a, b) { return b === 1 ? 0 : a + b; }\n", CHECKED, COUNTED),
    "not a number": ("function add() { return NaN; }\n", PLUS, CLOSE),
    "a value that changes later": (
        "let calls = 0;\nfunction add(a, b) { return calls++ ? a * b : a + b; }\n",
        PLUS,
        HOOKS,
    ),
    "wrong in a hook": ("function add(a, b) { if (a === 2) throw new Error('no'); return a + b; }\n", PLUS, HOOKS),
    "a getter of every object": both(
        "for (const name of ['errors', 'parent', 'mode', 'status', 'message'])\n"
        "  Object.defineProperty(Object.prototype, name, { get: () => undefined, set() {}, configurable: true });\nADD"
    ),
    "names that it does not define": ("const sum = (a, b) => a + b;\n", "const add = (a, b) => a + b;\n"),
}
NO_TESTS = {
    "tests that are skipped": "test.skip('small', () => { expect(add(2, 3)).toBe(5); });\ntest.todo('more');\n",
    "a block that is skipped": "xdescribe('add', () => { it('small', () => { expect(add(2, 3)).toBe(5); }); });\n",
    "a block without tests": "describe('add', () => { add(2, 3); });\n",
}
"""Tests for jest that fail each candidate, because none runs."""

MODULES = {
    "a module's parts": (
        "function add(a, b) { return a + b; }\nmodule.exports = { add, limit: 9, sum: add };\n",
        "const { add, sum: total } = require('./sums');\nconst limits = require('./sums');\n"
        "test('all', () => { expect(total(add(1, 1), 1)).toBe(3); expect(limits.sum(2, 2)).toBe(4); });\n",
    ),
    "a function for a module": (
        "module.exports = function (a, b) { return a + b; };\n",
        "const add = require('../src/add.js');\n\nit('adds', () => { expect(add(2, 3)).toBe(5); });\n",
    ),
    "a default export": (
        "export default (a, b) => a + b;\nexport const half = (a) => a / 2;\n",
        "import sum, { half } from './candidate';\nimport { expect, it as check } from '@jest/globals';\n"
        "check('adds', () => { expect(sum(2, half(6))).toBe(5); });\n",
    ),
    "a namespace": (
        "export const add = (a, b) => a + b;\n",
        "import * as sums from './candidate.mjs';\ntest('adds', () => { expect(sums.add(2, 3)).toBe(5); });\n",
    ),
    "a module that exports nothing": (
        PLUS,
        "const { add } = require('./candidate');\nconst { test, expect } = require('@jest/globals');\n"
        "test('adds', () => { expect(add(2, 3)).toBe(5); });\n",
    ),
    "assert of an import": (
        PLUS,
        "import assert, { ok as fine } from 'assert';\nimport { add } from './candidate';\n"
        "test('adds', () => { assert.strictEqual(add(2, 3), 5); fine(add(0, 1)); });\n",
    ),
}
SHAPES = {
    "tables": (
        PLUS,
        "describe.each([[1, 1, 2], [2, 3, 5]])('add(%i, %i)', (a, b, sum) => {\n"
        "  test(`is ${sum}`, () => { expect(add(a, b)).toBe(sum); });\n});\n"
        "test.each`\n  a | b | sum\n  ${1} | ${1} | ${2}\n`('$a and $b', ({ a, b, sum }) => {\n"
        "  expect(add(a, b)).toBe(sum);\n});\n",
    ),
    "one test alone": (
        PLUS,
        "test('wrong', () => { expect(add(1, 1)).toBe(3); });\n"
        "test.only('right', () => { expect(add(1, 1)).toBe(2); });\n",
    ),
    "a test that has to fail": (PLUS, "test.failing('wrong', () => { expect(add(1, 1)).toBe(3); });\n"),
    "mocks of the tests' own": (
        PLUS,
        "const twice = jest.fn((a) => 2 * a);\nafterEach(() => { jest.clearAllMocks(); });\n"
        "test('mock', () => {\n  expect(twice(add(1, 1))).toBe(4);\n  expect(twice).toHaveBeenCalledWith(2);\n"
        "  expect(twice.mock.calls).toHaveLength(1);\n  twice.mockReturnValueOnce(9);\n"
        "  expect(twice(add(0, 1))).toBe(9);\n});\n"
        "test('none', () => { expect(twice).not.toHaveBeenCalled(); expect(add(0, 0)).toBe(0); });\n",
    ),
    "a matcher of the tests' own": (
        PLUS,
        "expect.extend({\n  toBeEven(received) {\n"
        "    return { pass: received % 2 === 0, message: () => 'expected an even number' };\n  },\n});\n"
        "test('even', () => { expect(add(1, 1)).toBeEven(); expect(add(1, 2)).not.toBeEven(); });\n",
    ),
    "a test that calls back": (
        PLUS,
        "test('done', (done) => { expect(add(1, 1)).toBe(2); done(); });\njest.setTimeout(9000);\n",
    ),
    "promises": (ASYNC_PLUS, ASYNC + "test('short', async () => expect(await add(1, 2)).toBe(3));\n"),
    "values of each kind": (
        "const same = (value) => value;\n",
        "const all = [undefined, null, NaN, -0, 1n, 'a', [1, , 2], new Set([1]), new Map([[1, 2]]), new Date(0)];\n"
        "test.each(all)('%p', (value) => { expect(same(value)).toStrictEqual(value); });\n",
    ),
    "a large answer": (
        "const count = (n) => Array.from({ length: n }, (_, i) => i);\n",
        "test('large', () => { expect(count(20000)).toHaveLength(20000); expect(count(3)).toEqual([0, 1, 2]); });\n",
    ),
    "asserts and no expect": (
        PLUS,
        "const assert = require('assert');\nit('adds', () => { assert.equal(add(2, 3), 5); });\n",
    ),
    "names of jest's in the candidate": (
        "const test = (a) => a;\nconst expect = { it: test };\nfunction describe() { return 1; }\n" + PLUS,
        TESTS,
    ),
}
HONEST = (
    MODULES
    | SHAPES
    | {
        f"tests of {name}": (candidate, tests)
        for name, candidate, tests in (
            ("lists", RIGHT_LIST, LISTS),
            ("matchers", RIGHT_LIST, MATCHERS),
            ("errors", CHECKED, THROWS),
            ("hooks", PLUS, HOOKS),
        )
    }
)

TYPED = "export function add(a: number, b: number): number { return a + b; }\n"
TYPED_TESTS = """\
// @ts-check
import { add } from './candidate';
import type { Sum } from './candidate';

describe('add', () => {
  const cases: [number, number, number][] = [[1, 1, 2], [2, 3, 5]];
  it.each(cases)('%i and %i', (a: number, b: number, sum: number) => { expect(add(a, b)).toBe(sum); });
  it('promises', async () => { await expect(later(2)).resolves.toEqual({ a: 2 }); });
  it('mocks', () => { const twice = jest.fn((a: number) => 2 * a); expect(twice(add(1, 1))).toBe(4); });
});
"""
LATER = "export interface Sum { a: number }\nexport const later = async (a: number): Promise<Sum> => ({ a });\n"
TYPESCRIPT_ATTACKS = {
    "types, a wrong sum": (TYPED.replace("a + b", "a * b") + LATER, TYPED + LATER, TYPED_TESTS),
    "types, exit": (
        TYPED + LATER + "declare const process: any;\nprocess.exit(0);\n",
        TYPED + LATER + "declare const process: any;\nprocess.exitCode = 0;\n",
        TYPED_TESTS,
    ),
}
