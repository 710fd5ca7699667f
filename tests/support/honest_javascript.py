"""Right candidates in JavaScript and TypeScript, in the shapes that models and benchmarks write.

Each entry maps a shape to (candidate, tests).
"""

PLUS = "function add(a, b) { return a + b; }\n"
TESTS = 'if (add(2, 3) !== 5) throw new Error("no sum");\n'
ASYNC = "async function add(a, b) { return a + b; }\n"
MAIN = 'async function main() {\n  if ((await add(2, 3)) !== 5) throw new Error("no sum");\n}\n'

JAVASCRIPT = {
    "MultiPL-E": (
        "//Add two numbers.\nfunction add(a, b){\n    return a + b;\n}\n",
        "const assert = require('node:assert');\n\n\nfunction test() {\n  let candidate = add;\n"
        "  assert.deepEqual(candidate(2, 3),5);\n  assert.deepEqual([candidate(0, 0)],[0]);\n}\n\ntest();",
    ),
    "HumanEvalPack": (
        "const add = (a, b) => {\n  return a + b\n}\n",
        "const testAdd = () => {\n  console.assert(add(2, 3) === 5)\n}\n\ntestAdd()\n",
    ),
    "exports": (PLUS + "module.exports = { add };\nexports.add = add;\nthis.add = add;\n", TESTS),
    "a class of the tests": (
        "function add(list) { return list === null ? 0 : list.value + add(list.next); }\n"
        "const empty = () => new Node();\n",
        "class Node {\n  constructor(value, next) {\n    this.value = value; this.next = next || null;\n  }\n}\n"
        "if (add(new Node(2, new Node(3))) !== 5 || !empty()) throw new Error('no sum');\n",
    ),
    "a function named process": (
        "function process(all) { return all.reduce((a, b) => a + b, 0); }\n",
        'if (process([2, 3]) !== 5) throw new Error("no sum");\n',
    ),
    "names of globals": (
        'const crypto = require("crypto");\nconst { performance } = require("perf_hooks");\n'
        "var name = 1, status = 2;\n"
        'const process = require("process");\nlet { setTimeout } = require("timers/promises");\nvar queue = [];\n'
        "function fetch() {}\nfunction test() {}\nclass Event {}\nconst URL = class {};\n"
        "let top, self, window, location;\n" + PLUS,
        TESTS + "if (process.argv.length < 2) process.exit(1);\n",
    ),
    "a declaration of each kind": (
        "let counter = 0;\nconst sum = (a, b) => { counter += 1; return a + b; };\nvar add = sum;\nclass Box {}\n",
        TESTS + "if (counter !== 1 || !new Box()) throw new Error('no counter');\ncounter = 0;\nadd = null;\n",
    ),
    "no declaration": ("add = (a, b) => a + b;\n", TESTS),
    "strict mode": ('"use strict";\n' + PLUS, TESTS + "undeclared = 1;\n"),
    "a shebang": ("#!/usr/bin/env node\n" + PLUS, TESTS),
    "no newline at the end": (PLUS + "// done", TESTS),
    "no semicolon at the end": ("const add = (a, b) => a + b", '(() => { if (add(2, 3) !== 5) throw "no sum" })()'),
    "text that looks like a module": (PLUS + "const text = `\nimport x from 'y'\nexport default z\n`;\n", TESTS),
    "import as a function": (
        "async function add(a, b) { const { join } = await import('path'); return join && a + b; }\n",
        MAIN + "main();\n",
    ),
    "asynchronous": (ASYNC, MAIN + "main();\n"),
    "asynchronous, caught": (ASYNC, MAIN + "main().then(() => console.log('ok'), (e) => { process.exitCode = 1; });\n"),
    "timers": (
        "const add = (a, b) => new Promise((done) => setTimeout(done, 20, a + b));\n",
        MAIN + "main();\nsetTimeout(() => { if (!add) throw 1; }, 50);\nsetInterval(() => {}, 5).unref();\n",
    ),
    "callbacks": (
        "function add(a, b, done) { setImmediate(() => done(null, a + b)); }\n",
        "add(2, 3, (error, sum) => { if (error || sum !== 5) throw new Error('no sum'); });\n",
    ),
    "events": (
        'const { EventEmitter } = require("events");\nclass Adder extends EventEmitter {\n'
        "  add(a, b) { process.nextTick(() => this.emit('sum', a + b)); }\n}\n",
        "const adder = new Adder();\nadder.on('sum', (sum) => { if (sum !== 5) throw new Error('no sum'); });\n"
        "adder.add(2, 3);\n",
    ),
    "a race that one loses": (
        "const late = (work, ms) => Promise.race([work, new Promise((_, no) => setTimeout(no, ms, "
        "new Error('late')))]);\n",
        "const assert = require('assert');\nconst never = new Promise(() => {});\n"
        "(async () => {\n  await assert.rejects(late(never, 10), /late/);\n"
        "  await assert.rejects(late((async () => { throw new Error('own'); })(), 10), /own/);\n"
        "  never.catch(() => {});\n})();\n",
    ),
    "a callback that is given up": (
        "const late = (work, ms) => Promise.race([work(), new Promise((_, no) => setTimeout(no, ms, "
        "new Error('late')))]);\n",
        "const assert = require('assert');\n"
        "(async () => {\n  await assert.rejects(late(async () => { await new Promise(() => {}); }, "
        "10), /late/);\n})();\n",
    ),
    "a promise that only rejects": (
        "async function add(a, b) { if (b === undefined) throw new TypeError('two'); return a + b; }\n",
        "const assert = require('assert');\n"
        "(async () => {\n  await assert.rejects(() => add(2), TypeError);\n"
        "  await assert.rejects(async () => add(2));\n})();\n",
    ),
    "many promises": (
        "async function add(a, b) { let sum = a; for (let i = 0; i < b; i++) sum = await (async () "
        "=> sum + 1)(); return sum; }\n",
        "(async () => { if ((await add(2, 20000)) !== 20002) throw new Error('no sum'); })();\n",
    ),
    "many in parallel": (
        ASYNC,
        "const cases = Array.from({ length: 200 }, (_, i) => [i, i, 2 * i]);\n"
        "Promise.all(cases.map(async ([a, b, sum]) => {\n"
        "  if ((await add(a, b)) !== sum) throw new Error('no sum');\n}))"
        ".then(() => console.log('ok'));\n",
    ),
    "generators": (
        "function* one() { yield 2; yield 3; }\nasync function* two() { yield* one(); }\n",
        "(async () => {\n  let sum = 0;\n  for await (const each of two()) sum += each;\n"
        "  for (const each of one()) sum += each;\n"
        "  if (sum !== 10) throw new Error('no sum');\n})();\n",
    ),
    "stubs of the tests": (
        "function report(a, b) { console.log(a + b); if (a + b > 4) process.exit(2); }\n",
        "const said = [];\nlet status;\nconst { log } = console;\nconst { exit } = process;\n"
        "console.log = (text) => said.push(text);\nprocess.exit = (code) => { status = code; };\nreport(2, 3);\n"
        "console.log = log;\nprocess.exit = exit;\n"
        "if (said[0] !== 5 || status !== 2) throw new Error('no report');\n",
    ),
    "an assert of the tests' own": (
        PLUS,
        "const assert = require('assert');\nassert.near = (a, b) => assert.ok(Math.abs(a - b) < 1e-6);\n"
        "console.assert = (ok, text) => { if (!ok) throw new Error(text); };\n"
        "assert.near(add(2, 3), 5);\nconsole.assert(add(2, 3) === 5, 'no sum');\n",
    ),
    "clocks of the tests": (
        "function later(work, ms) { setTimeout(work, ms); }\n",
        "const due = [];\nconst { setTimeout: own } = globalThis;\n"
        "globalThis.setTimeout = (work) => due.push(work);\n"
        "let ran = false;\nlater(() => { ran = true; }, 1e6);\ndue[0]();\nglobalThis.setTimeout = own;\n"
        "if (!ran) throw new Error('not run');\n",
    ),
    "asserts at exit": (
        PLUS,
        "let calls = 0;\nsetTimeout(() => { calls += add(0, 1); }, 5);\n"
        "process.on('exit', () => { if (calls !== 1) throw new Error('not called'); });\n",
    ),
    "node:test": (
        PLUS,
        "const test = require('node:test');\nconst assert = require('node:assert/strict');\n"
        "test('adds', () => { assert.equal(add(2, 3), 5); });\ntest('adds later', async () => { await 1; });\n",
    ),
    "main": (
        PLUS + "if (require.main === module) console.log(add(1, 1));\n",
        "if (require.main === module) {\n  if (add(2, 3) !== 5) throw new Error('no sum');\n}\n",
    ),
    "a builtin with a method more": (
        "Array.prototype.sum = function () { return this.reduce((a, b) => a + b); };\n",
        "if ([2, 3].sum() !== 5) throw new Error('no sum');\n",
    ),
    "a module": ("export function add(a, b) { return a + b; }\n", TESTS),
    "a module, exported below": ("const add = (a, b) => a + b;\nexport { add };\nexport default add;\n", TESTS),
    "a module's default": ("export default function add(a, b) { return a + b; }\n", TESTS),
    "a module's imports": (
        'import assert from "assert";\nimport * as path from "node:path";\nimport { EOL } from "os";\nexport '
        + PLUS
        + "path.join(EOL);\n",
        'assert.equal(add(2, 3), 5);\nassert.equal(path.join("a", "b"), "a/b");\nassert.ok(EOL);\n',
    ),
    "a module's own console": ("export " + PLUS, 'import { log } from "console";\nlog(add(2, 3));\n' + TESTS),
    "tests that are a module": (PLUS, 'import assert from "node:assert";\nassert.equal(add(2, 3), 5);\n'),
    "a module that counts": (
        "export let counter = 0;\nexport const add = (a, b) => { counter += 1; return a + b; };\n",
        TESTS + "if (counter !== 1) throw new Error('no counter');\n",
    ),
    "await at the top": (
        "const two = await Promise.resolve(2);\nexport const add = (a, b) => a + b + two - 2;\n",
        "const sum = await add(2, 3);\nif (sum !== 5) throw new Error('no sum');\n",
    ),
    "import.meta": (
        'import { createRequire } from "module";\nconst need = createRequire(import.meta.url);\nexport ' + PLUS,
        'import { createRequire as make } from "module";\nconst own = make(import.meta.url);\n'
        'own("assert").equal(add(2, 3), 5);\n',
    ),
    "node:test in a module": (
        "export " + ASYNC,
        'import test from "node:test";\nimport assert from "node:assert";\n'
        'test("adds", async () => { assert.equal(await add(2, 3), 5); });\n',
    ),
    "a whole program": (PLUS + TESTS + "console.log('ok');\n", ""),
    "a whole module": ('import fs from "fs";\nif (!fs.existsSync) throw 1;\n', ""),
    "output": (PLUS + 'console.log("here");\nprocess.stdout.write("there");\n', TESTS),
}
TYPED = "function add(a: number, b: number): number {\n  return a + b;\n}\n"
TYPESCRIPT = {
    "MultiPL-E": (
        TYPED,
        "declare var require: any;\nconst assert = require('node:assert');\n\n\nfunction test() {\n"
        "  let candidate = add;\n"
        "  assert.deepEqual(candidate(2, 3),5);\n}\n\ntest();",
    ),
    "types of the other part": (
        "interface Pair { a: number; b: number }\ntype Sum = (pair: Pair) => number;\nenum Sign { Plus = 1 }\n"
        "const enum Two { Value = 2 }\nconst add: Sum = ({ a, b }) => a + b;\n",
        "const pair: Pair = { a: Two.Value, b: 3 };\n"
        "if (add(pair) !== 5 || Sign.Plus !== 1) throw new Error('no sum');\n",
    ),
    "exports": (
        "export const two: number = 2;\nexport let three = 3;\n"
        "export function add(a: number, b: number) { return a + b; }\n"
        "export class Box<T> { constructor(public value: T) {} }\nexport enum Sign { Plus }\n"
        "export type Sum = number;\n",
        "const sum: Sum = add(two, three);\n"
        "if (sum !== 5 || new Box(1).value !== 1 || Sign.Plus) throw new Error('no');\n",
    ),
    "the same import in both": (
        'import * as fs from "fs";\nimport assert from "assert";\nassert.ok(fs.existsSync("/"));\nexport ' + TYPED,
        'import * as fs from "fs";\nimport assert from "assert";\nassert.ok(fs.existsSync("/"));\n'
        "assert.strictEqual(add(2, 3), 5);\n",
    ),
    "a default export": ("export default " + TYPED, TESTS),
    "asynchronous": (
        "export const add = async (a: number, b: number): Promise<number> => a + b;\n",
        "(async (): Promise<void> => {\n  if ((await add(2, 3)) !== 5) throw new Error('no sum');\n})();\n",
    ),
    "a namespace": (
        "namespace Sums {\n  export const add = (a: number, b: number) => a + b;\n}\nabstract class Shape {\n"
        "  abstract area(): number;\n}\n",
        "class Square extends Shape {\n  area() { return Sums.add(2, 3); }\n}\n"
        "if (new Square().area() !== 5) throw new Error('no sum');\n",
    ),
    "a whole program": (TYPED + TESTS, ""),
}
CALLS = {
    "values of each kind": (
        "function same(value) { return value; }\nfunction copy(value) { return structuredClone(value); }\n",
        'const assert = require("assert");\nconst all = [undefined, null, NaN, -0, 1n, "\\ud800", [1, , 3], '
        "new Map([[1, { a: new Set([2]) }]]),\n  new Date(5), /a/g, Infinity, true, { b: [] }, new Uint8Array([1]), "
        "[[1, 2], ['x']]];\n"
        "for (const each of all) { assert.deepStrictEqual(copy(each), each); assert.deepStrictEqual(same(each), "
        "each); }\nassert.strictEqual(same(all), all);\nassert.notStrictEqual(copy(all), all);\n",
    ),
    "arguments that it changes": (
        "function sort(all) { all.sort((a, b) => a - b); }\nfunction fill(rows, one) { rows[0].push(1); one.x = 2; "
        "delete one.y; one.set.add(3); one.map.set('a', 1); one.bytes[0] = 9; }\n",
        'const assert = require("assert");\nconst all = [3, 10, 2];\nsort(all);\nassert.deepEqual(all, [2, 3, 10]);\n'
        "const row = [0];\nconst rows = [row];\n"
        "const one = { y: 1, set: new Set(), map: new Map(), bytes: new Uint8Array(2) };\nfill(rows, one);\n"
        "assert.deepStrictEqual(row, [0, 1]);\nassert.strictEqual(rows[0], row);\n"
        "assert.deepStrictEqual(one, { set: new Set([3]), map: new Map([['a', 1]]), bytes: new Uint8Array([9, 0]), "
        "x: 2 });\n",
    ),
    "errors": (
        "class Overdrawn extends RangeError { constructor(m) { super(m); this.name = 'Overdrawn'; this.code = 7; } }\n"
        "function take(n) { if (n > 9) throw new Overdrawn(`no ${n}`); if (n < 0) throw 'negative'; return n; }\n"
        "function deep(n) { return deep(n + 1); }\n",
        'const assert = require("assert");\n'
        "assert.throws(() => take(10), { name: 'Overdrawn', message: 'no 10', code: 7 });\n"
        "assert.throws(() => take(10), RangeError);\nassert.throws(() => take(10), /no 10/);\n"
        "assert.throws(() => deep(0), RangeError);\n"
        "try { take(-1); throw new Error('none'); } catch (error) { assert.strictEqual(error, 'negative'); }\n"
        "assert.strictEqual(take(3), 3);\n",
    ),
    "objects of classes": (
        "class Point { constructor(x) { this.x = x; this.next = null; } }\n"
        "function point(x) { const p = new Point(x); p.next = new Point(2); return p; }\n"
        "function bare() { return Object.assign(Object.create(null), { x: 1 }); }\n",
        'const assert = require("assert");\nassert.deepEqual(point(1), { x: 1, next: { x: 2, next: null } });\n'
        "assert.notDeepStrictEqual(point(1), { x: 1, next: { x: 2, next: null } });\n"
        "assert.notDeepStrictEqual(bare(), { x: 1 });\nassert.strictEqual(point(1).next.x, 2);\n",
    ),
    "values of the candidate's": (
        "let count = 1;\nconst table = { a: [1] };\nfunction grow() { count += 1; return count; }\n",
        'const assert = require("assert");\nassert.equal(count, 1);\ngrow();\nassert.equal(count, 2);\n'
        "assert.deepEqual(table, { a: [1] });\n",
    ),
    "a helper of the tests": (
        "function add(a, b) { return a + b; }\n",
        "function check(run, cases) {\n  for (const { given, sum } of cases)\n    if (run(...given) !== sum) "
        "throw new Error('no sum');\n}\ncheck(add, [{ given: [2, 3], sum: 5 }]);\n"
        "const sums = [[1, 2], [3, 4]].map(([a, b]) => add(a, b));\n"
        "if (sums.join() !== '3,7') throw new Error('no');\n",
    ),
    "a builtin's name": (
        "function escape(text) { return '<' + text + '>'; }\n",
        "const assert = require('assert');\nfunction test() {\n  let candidate = escape;\n"
        "  assert.deepEqual(candidate('a'), '<a>');\n}\ntest();\n",
    ),
    "output and many calls": (
        "function add(a, b) { if (a % 1000 === 0) console.log(a); return a + b; }\n",
        "for (let i = 0; i < 5000; i++) console.assert(add(i, 1) === i + 1);\n",
    ),
    "a module whose tests are calls": (
        "import path from 'path';\nexport const add = (a, b) => a + b + (path.sep === '/' ? 0 : 1);\n",
        TESTS,
    ),
    "large data": (
        "function twice(all) { return all.map((each) => 2 * each); }\n",
        "const all = Array.from({ length: 300000 }, (_, i) => i);\n"
        "if (twice(all)[299999] !== 599998) throw new Error('no');\n",
    ),
}
JAVASCRIPT |= CALLS
