"""The JavaScript file that runs the tests of JavaScript and TypeScript programs. Used by `javascript`.

Candidate and tests are files of their own. Scripts share the names that they declare, as the scripts of a web page do.
No text of one file can then swallow, skip or hide what the other says. Modules share names through the getters that
the runner defines for the tests.
"""

from __future__ import annotations

from sandboxes.languages.apart.javascript_frameworks import WATCHED_TESTS

# The runner takes the builtins that it needs before the candidate starts, because the candidate can replace them.
# `bytes` is not a Buffer: Buffers share one pool, which each of them shows.
RUNNER = (
    """\
"use strict";
const fs = require("fs");
const vm = require("vm");
const path = require("path");
const Module = require("module");
const inspector = require("inspector");
const { inspect, types } = require("util");
const { apply, defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
const { isArray } = Array;
const { is } = Object;
const { includes } = String.prototype;
const { writeSync } = fs;
const { runInThisContext } = vm;
const { then } = Promise.prototype;
const { add, delete: remove } = Set.prototype;
const sizeOf = getOwnPropertyDescriptor(Set.prototype, "size").get;
const { exit, rawListeners, getActiveResourcesInfo } = process;
const reallyExit = process.reallyExit.bind(process);
const showsExports = %(shows_exports)s;

"""
    + WATCHED_TESTS
    + """\

const bytes = new Uint8Array(256);
const token = bytes.subarray(0, fs.readSync(0, bytes));
fs.ftruncateSync(0);

const files = { candidate: path.resolve("candidate.js"), tests: path.resolve("tests.js") };
const textOf = (file) => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "");
const texts = { candidate: textOf(files.candidate), tests: textOf(files.tests) };
fs.unlinkSync(files.tests);

// A debugger in this thread could read the variables above.
for (const [object, name] of [[inspector.Session.prototype, "connect"], [inspector, "open"]])
  defineProperty(object, name, { __proto__: null, writable: false, configurable: false, value: refuse });
function refuse() {
  throw new Error("there is no inspector in this sandbox");
}

// A status that the tests set for the end, and nobody else. The process's own has no guard.
const EXIT_CODE = /\\bprocess\\s*(?:\\.\\s*exitCode\\b|\\[\\s*(["'`])exitCode\\1\\s*\\])/g;
texts.tests = texts.tests.replace(EXIT_CODE, "process.codeEvalStatus");
let status = 0;
defineProperty(process, "codeEvalStatus", {
  __proto__: null,
  get: () => status,
  set: (code) => {
    if (fileOf(callers()[1]) === files.tests) status = process.exitCode = code;
  },
});

let failed = false;
let left = false;
let returned = false;
let last;
const waiting = new Set();

function fail(error) {
  failed = true;
  try {
    writeSync(2, (types.isNativeError(error) ? "" : "Uncaught ") + inspect(error) + "\\n");
  } finally {
    reallyExit(1);
  }
}

const asFrames = (_, frames) => frames;
function callers() {
  const { stackTraceLimit, prepareStackTrace } = Error;
  const holder = {};
  Error.stackTraceLimit = 12;
  Error.prepareStackTrace = asFrames;
  captureStackTrace(holder, callers);
  const { stack } = holder;
  Error.stackTraceLimit = stackTraceLimit;
  Error.prepareStackTrace = prepareStackTrace;
  return isArray(stack) ? stack : [];
}
const { captureStackTrace } = Error;
const { getScriptNameOrSourceURL, getFunctionName } = callers()[0];
const fileOf = (frame) => frame && apply(getScriptNameOrSourceURL, frame, []);

// Protects a function that the tests judge by. The tests can replace it, and nobody else can.
function guard(object, name, value) {
  defineProperty(object, name, {
    __proto__: null,
    enumerable: true,
    configurable: false,
    get: () => value,
    set: (other) => {
      if (fileOf(callers()[1]) === files.tests) value = other;
    },
  });
}

const originalAssert = console.assert;
guard(console, "assert", function assert(condition) {
  if (!condition) failed = true;
  apply(originalAssert, console, arguments);
});
guard(process, "exit", function () {
  left = true;
  apply(exit, process, arguments);
});
// Uncaught errors reach `fail`, whatever listeners the candidate has.
defineProperty(process, "_fatalException", { __proto__: null, value: fail, writable: false, configurable: false });

// `waiting` holds the tests' async functions and `then` callbacks that have not ended. Their asserts have not run.
if (/\\b(?:async|then)\\b/.test(texts.tests)) {
  const { promiseHooks } = require("v8");
  promiseHooks.onInit((promise, parent) => {
    if (parent !== undefined && returned) return;
    const frames = callers();
    let at = 1;
    if (parent !== undefined) {
      if (fileOf(frames[at]) || apply(getFunctionName, frames[at], []) !== "then") return;
      if (fileOf(frames[at + 1]) === files.tests) apply(add, waiting, [promise]);
    } else if (fileOf(frames[at]) === files.tests) {
      do at += 1;
      while (at < frames.length && !fileOf(frames[at]));
      // A test function that the candidate calls does not count: the candidate may have to give up waiting for it.
      if (fileOf(frames[at]) !== files.candidate) apply(add, waiting, [promise]);
    }
  });
  promiseHooks.onSettled((promise) => apply(remove, waiting, [promise]));
}

const isPending = (value) =>
  types.isPromise(value) && apply(includes, inspect(value, { customInspect: false }), ["<pending>"]);
const isIdle = () => {
  const active = apply(getActiveResourcesInfo, process, []);
  for (let at = 0; at < active.length; at++) if (active[at] === "Timeout" || active[at] === "Immediate") return false;
  return true;
};
function ended(code) {
  if (left) return;
  // The other listeners run first, because they may be tests. No listener runs after this one.
  const listeners = apply(rawListeners, process, ["exit"]);
  for (let at = 0; at < listeners.length; at++) if (listeners[at] !== ended) apply(listeners[at], process, [code]);
  checkNames();
  const problem = nodeTests.problem();
  if (problem) writeSync(2, `error: ${problem}\\n`);
  const ends = code || process.exitCode || status || (failed || problem ? 1 : 0);
  const unfinished = apply(sizeOf, waiting, []) + (isPending(last) ? 1 : 0);
  if (!ends && returned && !unfinished && !left && isIdle()) writeSync(1, token);
  else if (!ends && (unfinished || !returned)) writeSync(2, NEVER_SETTLED);
  reallyExit(ends);
}
process.on("exit", ended);

const module_ = new Module(files.candidate, null);
module_.filename = files.candidate;
module_.paths = Module._nodeModulePaths(path.dirname(files.candidate));
process.mainModule = module_;
const required = Module.createRequire(files.candidate);
const kept = { __proto__: null };
if (/["'`](?:node:)?assert(?:\\/strict)?["'`]/.test(texts.tests)) {
  const assert = require("assert");
  for (const object of [assert, assert.strict])
    for (const name of ownKeys(object))
      if (getOwnPropertyDescriptor(object, name).configurable && typeof object[name] === "function")
        guard(object, name, object[name]);
  for (const [name, value] of [["assert", assert], ["assert/strict", assert.strict]])
    kept[name] = kept["node:" + name] = value;
}
const framework = nodeTests.for(texts.tests);
if (framework) kept["node:test"] = framework;
const require_ = function require(name) {
  return kept[name] || required(name);
};
Object.assign(require_, required);

// Names that the tests use, and that the candidate must not assign.
const originals = { __proto__: null, console, process, require: require_ };
const uses = {
  console: /\\bconsole\\s*\\./,
  process: /^(?!.*\\bprocess\\s*\\().*\\bprocess\\s*\\./s,
  require: /\\brequire\\s*\\(/,
};
const scripts = { candidate: compile("candidate"), tests: compile("tests") };
// If one file is a module, both are.
const modules = ["candidate", "tests"].filter((name) => %(module)s.test(texts[name]));
const isModule = modules.some((name) => types.isNativeError(scripts[name]));
for (const script of Object.values(scripts)) if (types.isNativeError(script) && !isModule) fail(script);
const names = ownKeys(uses).filter((name) => (!isModule || name !== "require") && uses[name].test(texts.tests));
function checkNames() {
  const descriptor = getOwnPropertyDescriptor(Promise.prototype, "then");
  // `then` has no guard, because every await would take five times as long.
  if (!descriptor || descriptor.value !== then) fail(new Error("the candidate has replaced Promise.prototype.then"));
  for (let at = 0; at < names.length; at++)
    if (runInThisContext(names[at]) !== originals[names[at]])
      fail(new Error(`the candidate has put something else in the place of ${names[at]}`));
}

// Returns a script, or the error if the text is not a valid script.
function compile(name) {
  const loader = vm.constants && vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const importModuleDynamically = loader || ((specifier) => import(specifier));
  try {
    return new vm.Script(texts[name], { filename: files[name], importModuleDynamically });
  } catch (error) {
    return error;
  }
}

function runScripts() {
  const globals = { require: require_, module: module_, exports: module_.exports };
  Object.assign(globals, { __filename: files.candidate, __dirname: path.dirname(files.candidate) });
  for (const name of ownKeys(globals))
    defineProperty(globalThis, name, { value: globals[name], writable: true, configurable: true });
  try {
    scripts.candidate.runInThisContext();
    if (showsExports) showExports();
    checkNames();
    last = scripts.tests.runInThisContext();
    returned = true;
  } catch (error) {
    fail(error);
  }
}

// TypeScript makes an exported variable a property of `exports` alone.
function showExports() {
  for (const name of ownKeys(module_.exports))
    if (typeof name === "string" && /^[\\p{L}_$][\\p{L}\\p{N}_$]*$/u.test(name) && name !== "default")
      if (runInThisContext(`typeof ${name}`) === "undefined")
        defineProperty(globalThis, name, { get: () => module_.exports[name], configurable: true });
}

function runModules() {
  const modulePath = path.resolve("candidate.mjs");
  const identifiers = new Set(texts.tests.match(/[\\p{ID_Start}$_][\\p{ID_Continue}$]*/gu));
  // No semicolon before the export: it would end a statement that the candidate left open.
  const lookup = "export const codeEvalLookup = (codeEvalName) => eval(codeEvalName);";
  fs.writeFileSync(modulePath, `${texts.candidate}\\n${lookup}\\n`);
  files.candidate = require("url").pathToFileURL(modulePath).href;
  const text = `${withFramework(texts.tests)}\\n//# sourceURL=${files.tests}`;
  let url = "data:text/javascript;base64," + Buffer.from(text).toString("base64");
  if (/\\bimport\\s*\\.\\s*meta\\b/.test(texts.tests)) url = "./code_eval_tests.mjs";
  const runTests = (candidate) => {
    for (const name of identifiers) if (!names.includes(name)) show(candidate.codeEvalLookup, name);
    checkNames();
    if (!url.startsWith("data:")) fs.writeFileSync("code_eval_tests.mjs", text);
    apply(then, import(url), [() => { returned = true; }, fail]);
  };
  apply(then, import("./candidate.mjs"), [runTests, fail]);
}

// Lets tests import the watched framework in place of Node's, whose default export nobody can replace.
function withFramework(text) {
  if (!framework) return text;
  defineProperty(globalThis, "codeEvalNodeTest", { __proto__: null, value: framework });
  const all = ownKeys(framework).filter((name) => name !== "length" && name !== "name" && name !== "prototype");
  const source =
    "const all = globalThis.codeEvalNodeTest; export default all; export const { " + all.join(", ") + " } = all;";
  const url = "data:text/javascript," + encodeURIComponent(source);
  return text.replace(/\\b((?:from|import)\\s*\\(?\\s*)(["'])node:test\\2/g, (_, before) => `${before}"${url}"`);
}

// Gives the tests a name of the candidate's. The tests may declare that name themselves.
function show(lookUp, name) {
  try {
    if (name in globalThis && is(lookUp(name), globalThis[name])) return;
    const [get, set] = [lookUp(`() => ${name}`), lookUp(`(codeEvalValue) => { ${name} = codeEvalValue; }`)];
    get();
    defineProperty(globalThis, name, { get, set, configurable: true });
  } catch {
    // The candidate has no such name.
  }
}

if (isModule) runModules();
else runScripts();
"""
)
