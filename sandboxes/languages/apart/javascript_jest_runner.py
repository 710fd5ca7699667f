"""How tests for jest are run apart from the candidate, with a result of each. Used by `javascript_link`.

Jest's own packages define tests, run them and compare: jest-circus, expect and jest-mock. Its command, its workers and
its compilers are not started.
"""

from __future__ import annotations

import json

HINT = "install Debian's package jest, or run `npm install --global --prefix /usr/local jest@29`"

FIND_JEST = """\
const places = (process.env.PATH || "").split(":").map((folder) => path.join(folder, "jest"));
const command = places.find((place) => fs.existsSync(place));
"""

# A part of the runner, whose placeholders it fills. Nothing of the candidate's is there before `defineAll`.
JEST = (
    f"const HINT = {json.dumps(HINT)};\n{FIND_JEST}"
    + """\

// Ends the program where no candidate can be judged.
function unusable(reason) {
  writeSync(2, `\\n${reason}; ${HINT}\\n`);
  reallyExit(%(unusable_status)d);
}

// Returns jest's packages, which lie where its command does. In place of @jest/expect, which compares snapshots too and
// loads a compiler for them, jest-circus gets `expect`.
function load() {
  if (!command) unusable("the tests need jest, which is not installed");
  let version = "";
  try {
    const packages = Module.createRequire(fs.realpathSync(command));
    version = packages("jest/package.json").version;
    const { expect } = packages("expect");
    const replaced = packages.resolve("@jest/expect");
    packages.cache[replaced] = Object.assign(new Module(replaced), { exports: { jestExpect: expect }, loaded: true });
    const circus = packages("jest-circus");
    const state = path.join(path.dirname(packages.resolve("jest-circus")), "state.js");
    const { addEventHandler } = circus.addEventHandler ? circus : packages(state);
    const { ModuleMocker } = packages("jest-mock");
    for (const each of [addEventHandler, circus.run, expect.extractExpectedAssertionsErrors, ModuleMocker])
      if (typeof each !== "function") throw new Error("a part of it is missing");
    return { addEventHandler, circus, expect, mocker: new ModuleMocker(globalThis) };
  } catch (error) {
    const [reason] = String(error && error.message).split("\\n");
    unusable(`the tests need jest 29 or 30, and ${command} is jest ${version}, which can't be used (${reason})`);
  }
}

const { addEventHandler, circus, expect, mocker } = load();
const { describe, it, beforeAll, beforeEach, afterAll, afterEach } = circus;
const jest = {
  setTimeout: (milliseconds) => {
    globalThis[Symbol.for("TEST_TIMEOUT_SYMBOL")] = milliseconds;
    return jest;
  },
  now: Date.now,
  mocked: (value) => value,
};
for (const name of ["fn", "isMockFunction", "replaceProperty", "spyOn"])
  if (mocker[name]) jest[name] = mocker[name].bind(mocker);
for (const name of ["clearAllMocks", "resetAllMocks", "restoreAllMocks"])
  jest[name] = () => {
    mocker[name]();
    return jest;
  };
const given = { describe, it, test: it, beforeAll, beforeEach, afterAll, afterEach, expect, jest };
const short = { fdescribe: describe.only, xdescribe: describe.skip, fit: it.only, xit: it.skip, xtest: it.skip };
Object.assign(globalThis, given, short, { exports: {} });

let failed = false;
let failure = "";
let ran = 0;
let isOver = false;

const { assert } = console;
console.assert = function (condition, ...rest) {
  if (!condition) failed = true;
  assert.call(console, condition, ...rest);
};

// The block around all others has a name of jest's.
function nameOf(test) {
  const names = [];
  for (let part = test; part.parent; part = part.parent) names.unshift(part.name);
  return names.join(" \\u203a ");
}

function messageOf(error) {
  const thrown = Array.isArray(error) ? error[0] : error;
  return types.isNativeError(thrown) ? thrown.message : inspect(thrown);
}

function note(name, message) {
  failure = failure || `${name}: ${plain(message)}`;
}

addEventHandler(({ name, test }) => {
  if (name === "test_start") expect.setState({ currentTestName: nameOf(test) });
  if (name !== "test_done") return;
  ran += 1;
  // A matcher may keep what it does not throw, and a test may have made less assertions than it expects.
  const { suppressedErrors } = expect.getState();
  expect.setState({ suppressedErrors: [] });
  test.errors.push(...suppressedErrors, ...expect.extractExpectedAssertionsErrors().map(({ error }) => error));
  const message = test.errors.length ? messageOf(test.errors[0]) : "";
  if (test.errors.length) note(nameOf(test), message);
  tell(test.errors.length ? "failed" : "passed", (test.duration || 0) / 1000, nameOf(test), message);
});

process.on("exit", (status) => {
  if (!failure && !status) failure = !isOver ? "a test left the program" : ran ? "" : "the tests have no test";
  if (failure) writeSync(2, `error: ${failure}\\n`);
  reallyExit(status || failed || failure ? 1 : 0);
});
process.on("uncaughtException", fail);

// Promises that are rejected, and that no test has waited for, are told before the next turn.
function end({ unhandledErrors }) {
  if (unhandledErrors.length) note("a hook or a block", unhandledErrors[0]);
  setImmediate(() => {
    isOver = true;
    process.exit();
  });
}

globalThis.require = Module.createRequire(file);
try {
  const script = new vm.Script(text, { filename: file });
  defineAll();
  // Otherwise Node shows the line of this file that throws an error of the candidate's.
  script.runInThisContext({ displayErrors: false });
} catch (error) {
  fail(error);
}
circus.run().then(end, fail);
"""
)
