"""The program of tests in JavaScript and TypeScript that run apart, and the link of both sides. Used by `javascript`.

Values are sent as V8 serializes them for other processes. Tests have the candidate's functions as functions of their
own, which wait for the answer. An answer is plain data, and the tests' process has nothing that the candidate defines.
"""

from __future__ import annotations

import json

from sandboxes.guest.common.interactors import LOST_STATUS, UNUSABLE_STATUS
from sandboxes.guest.common.named_tests import MAX_MESSAGE_CHARS, REPORT_FILE
from sandboxes.languages.apart.javascript import read_tests
from sandboxes.languages.apart.javascript_frameworks import NEVER_SETTLED, WATCHED_TESTS
from sandboxes.languages.apart.javascript_jest import read_jest
from sandboxes.languages.apart.javascript_jest_runner import JEST

RUNNER_FILE = "code_eval_runner.js"

# A message is its size, as four bytes, and a value.
LINK = """\
"use strict";
const fs = require("fs");
const v8 = require("v8");
const vm = require("vm");
const path = require("path");
const Module = require("module");
const { inspect, types } = require("util");
const { writeSync } = fs;
const { defineProperty } = Object;
const reallyExit = process.reallyExit.bind(process);

function write(value) {
  const body = v8.serialize(value);
  const bytes = Buffer.alloc(4 + body.length);
  bytes.writeUInt32LE(body.length);
  body.copy(bytes, 4);
  for (let at = 0; at < bytes.length; ) at += writeSync(4, bytes, at);
}

function readBytes(size) {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; ) {
    const count = fs.readSync(3, bytes, at, size - at, null);
    if (count === 0) return null;
    at += count;
  }
  return bytes;
}

function read() {
  const head = readBytes(4);
  return head && readBytes(head.readUInt32LE());
}

function fail(error) {
  try {
    writeSync(2, (types.isNativeError(error) ? "" : "Uncaught ") + inspect(error) + "\\n");
  } finally {
    reallyExit(1);
  }
}
"""

# Candidates choose keys of objects. `put` keeps one named __proto__ from being the prototype. `names` has the names in
# requests by the tests' own names.
STAND_INS = """\
const names = %(names)s;
const file = path.resolve("tests.js");
const text = fs.readFileSync(file, "utf8");
fs.unlinkSync(file);
fs.unlinkSync(__filename);

function lost() {
  writeSync(2, "the candidate ended before its tests were done\\n");
  reallyExit(%(lost_status)d);
}

// Tests may expect an error of the candidate's. One of the link's, which nobody expects, ends them.
function ask(request, take) {
  try {
    write(request);
    const reply = v8.deserialize(read() || lost());
    if (reply.unsent !== undefined) throw new TypeError(reply.unsent);
    if (reply.unsettled) {
      writeSync(2, NEVER_SETTLED);
      reallyExit(1);
    }
    return take(reply);
  } catch (error) {
    if (error.code === "EPIPE") lost();
    fail(error);
  }
}

const isObject = (value) => typeof value === "object" && value !== null;
const put = (object, key, value) =>
  defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
const builtinErrors = new Map(
  [AggregateError, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map((each) =>
    [each.name, each]
  )
);

function invalid() {
  throw new Error("an invalid answer of the candidate's");
}

// Returns the class that stands for one of the candidate's: it has its name, and nothing else of it.
const classes = new Map();
function classOf(name, Base) {
  if (typeof name !== "string") invalid();
  const key = `${Base ? Base.name : ""} ${name}`;
  if (!classes.has(key)) {
    const named = Base ? { [name]: class extends Base {} } : { [name]: class {} };
    classes.set(key, named[name]);
  }
  return classes.get(key);
}

// Gives an error what one of the candidate's has. Its properties are data, as all that comes through the link.
function amend(error, { chain, name, message, stack, parts }) {
  const Base = builtinErrors.get(chain.find((each) => builtinErrors.has(each)) || "Error");
  const Type = [undefined, Base.name].includes(chain[0]) ? Base : classOf(chain[0], Base);
  if ([name, message, stack].some((text) => typeof text !== "string")) invalid();
  Object.setPrototypeOf(error, Type.prototype);
  const hidden = { writable: true, enumerable: false, configurable: true };
  defineProperty(error, "message", { ...hidden, value: message });
  defineProperty(error, "stack", { ...hidden, value: stack });
  if (error.name !== name) put(error, "name", name);
  for (const [key, isShown, part] of parts) {
    if (typeof key !== "string" || ["constructor", "message", "name", "stack", "__proto__"].includes(key)) invalid();
    defineProperty(error, key, { ...hidden, value: unpacked(part), enumerable: isShown === true });
  }
  return error;
}

const asError = (said) => (said.chain ? amend(new Error(), said) : unpacked(said.thrown));

// Returns a value whose parts are as the candidate's: objects of classes have a prototype that is no ordinary object's.
function unpacked({ value, classes, errors }) {
  const at = (place) => {
    let found = value;
    for (const key of place) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    if (!isObject(found) || found === Object.prototype) invalid();
    return found;
  };
  for (const [place, name] of classes) {
    const found = at(place);
    Object.setPrototypeOf(found, name === null ? null : classOf(name, bases[kindOf(found)]).prototype);
  }
  for (const [place, said] of errors) {
    const error = at(place);
    if (!types.isNativeError(error)) invalid();
    amend(error, said);
  }
  return value;
}

const kinds = [Array.isArray, types.isMap, types.isSet, types.isDate, ArrayBuffer.isView];
const bases = [Array, Map, Set, Date];
const kindOf = (value) => (isObject(value) ? kinds.findIndex((is) => is(value)) : NaN);

// Functions may change the arrays and objects that they are given.
function update(target, now, seen) {
  if (seen.has(target)) return;
  seen.add(target);
  if (types.isDate(target)) target.setTime(now.getTime());
  else if (ArrayBuffer.isView(target)) target.set(now);
  else if (types.isSet(target) || types.isMap(target)) {
    target.clear();
    now.forEach((value, key) => (types.isMap(target) ? target.set(key, value) : target.add(value)));
  } else {
    if (Array.isArray(target)) target.length = now.length;
    for (const key of Object.keys(target)) if (!Object.hasOwn(now, key)) delete target[key];
    for (const key of Object.keys(now)) {
      const [old, value] = [Object.hasOwn(target, key) ? target[key] : undefined, now[key]];
      if (isObject(old) && isObject(value) && kindOf(old) === kindOf(value)) update(old, value, seen);
      else put(target, key, value);
    }
  }
}

// What stands for the module, or its default export, where it can't be sent. It is equal to nothing else.
const owner = Object.freeze({ [Symbol("the candidate's module")]: true });

// Returns what the candidate's side makes of a function or a value: a function that returns it, or throws.
function outcome(reply, all) {
  if (reply.error || reply.rejected) {
    const error = asError(reply.error || reply.rejected);
    if (reply.rejected) return () => Promise.reject(error);
    return () => { throw error; };
  }
  if (reply.all)
    all.forEach((each, at) => {
      if (isObject(each) && kindOf(each) === kindOf(reply.all[at])) update(each, reply.all[at], new Set());
    });
  const value = reply.isOwner ? owner : reply.place >= 0 ? all[reply.place] : unpacked(reply);
  return () => (reply.isPromise ? Promise.resolve(value) : value);
}

const use = (kind, name, all) => ask([kind, name, all], (reply) => outcome(reply, all))();

function define(own, name, kind) {
  if (kind === "function") {
    const stand = { [own]: (...all) => use("call", name, all) }[own];
    defineProperty(globalThis, own, { value: stand, writable: true, configurable: true });
  } else if (kind) defineProperty(globalThis, own, { get: () => use("value", name, []), configurable: true });
}

function defineAll() {
  const all = Object.entries(names);
  ask(all.map(([, name]) => name), (found) => all.forEach(([own, name], at) => define(own, name, found[at])));
}

const report = path.resolve("%(report_file)s");
const plain = (text) => String(text).slice(0, %(max_chars)d).replace(/\\s+/g, " ").trim();
const tell = (outcome, seconds, name, message) =>
  fs.appendFileSync(report, [outcome, seconds.toFixed(6), plain(name), plain(message)].join("\\t") + "\\n");
"""

RUNNER = (
    LINK
    + WATCHED_TESTS
    + STAND_INS
    + """\
let failed = false;
const { assert } = console;
console.assert = function (condition, ...rest) {
  if (!condition) failed = true;
  assert.call(console, condition, ...rest);
};
process.on("exit", (status) => {
  const problem = nodeTests.problem();
  if (problem) writeSync(2, `error: ${problem}\\n`);
  reallyExit(status || (failed || problem ? 1 : 0));
});

const framework = nodeTests.for(text, tell);
// The framework takes errors that nobody catches, as those of its tests.
if (!framework) process.on("uncaughtException", fail);
const required = Module.createRequire(file);
const require_ = Object.assign((name) => (framework && name === "node:test" ? framework : required(name)), required);
try {
  const script = new vm.Script(text, { filename: file });
  defineAll();
  Object.assign(globalThis, { require: require_, exports: {} });
  // Otherwise Node shows the line of this file that throws an error of the candidate's.
  script.runInThisContext({ displayErrors: false });
} catch (error) {
  fail(error);
}
"""
)

JEST_RUNNER = LINK + NEVER_SETTLED + STAND_INS + JEST


def runner_text(tests: str) -> str:
    """Return the program of the tests' process."""
    jest = read_jest(tests)
    names = {name: name for name in sorted(read_tests(tests)[1])} if jest is None else jest.names
    values = {"names": json.dumps(names), "lost_status": LOST_STATUS, "unusable_status": UNUSABLE_STATUS}
    runner = RUNNER if jest is None else JEST_RUNNER
    return runner % {**values, "report_file": REPORT_FILE, "max_chars": MAX_MESSAGE_CHARS}
