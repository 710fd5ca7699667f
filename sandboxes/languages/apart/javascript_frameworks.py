"""How tests in JavaScript for node:test, Node's own framework, are watched. Used by `javascript`, on both roads."""

from __future__ import annotations

NEVER_SETTLED = """\
const NEVER_SETTLED = "the tests wait for a promise that is never settled\\n";
"""

# A part of both runners. A candidate in the same process can replace what it finds in the language, so that this takes
# the builtins that it needs before the candidate starts, and gives its own functions out frozen.
WATCHED_TESTS = (
    NEVER_SETTLED
    + """\
const nodeTests = (() => {
  const { apply, defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const { freeze } = Object;
  const { inspect, types } = require("util");
  const { isNativeError, isPromise } = types;
  const { then } = Promise.prototype;
  const now = performance.now.bind(performance);
  const kinds = { __proto__: null, test: "test", it: "test", describe: "suite", suite: "suite" };
  for (const name of ["before", "after", "beforeEach", "afterEach"]) kinds[name] = "hook";
  const variants = { __proto__: null, skip: 1, todo: 1, only: 1 };
  const put = (object, name, value) =>
    defineProperty(object, name, { __proto__: null, value, enumerable: true, configurable: true, writable: true });

  let addTest;
  let isUsed = false;
  let failure = "";
  // Tests and suites that have to run, those that have, and the tests among these.
  let due = 0;
  let done = 0;
  let ran = 0;
  let suite = "";
  let tell = () => {};

  const messageOf = (error) =>
    isNativeError(error) ? error.message : error === undefined ? "" : inspect(error);

  // The candidate chooses what it throws.
  function note(name, error) {
    if (failure) return;
    failure = `${name} failed`;
    try {
      failure = `${name}: ${messageOf(error)}`;
    } catch {
      return;
    }
  }

  // Node tells by the number of parameters whether a function calls back.
  const like = (own, call) =>
    defineProperty(call, "length", { __proto__: null, value: own.length }) && call;

  // Returns a function that does what another does, and says how that ended.
  function watch(own, begin) {
    return like(own, function (...all) {
      const end = begin(all[0]);
      const back = own.length >= 2 && all[1];
      if (back)
        all[1] = (error) => {
          end(!!error, error);
          return apply(back, undefined, [error]);
        };
      let result;
      try {
        result = apply(own, this, all);
      } catch (error) {
        end(true, error);
        throw error;
      }
      if (!isPromise(result)) {
        if (!back) end(false);
        return result;
      }
      const fail = (error) => {
        end(true, error);
        throw error;
      };
      return apply(then, result, [() => end(false), fail]);
    });
  }

  // Returns what counts a test or a suite that has to run once it has. It returns true the first time: a candidate that
  // runs one twice could keep another from running.
  function counter() {
    let isOver = false;
    due += 1;
    return () => {
      if (isOver) return false;
      isOver = true;
      done += 1;
      return true;
    };
  }

  function onCall(object, name, act) {
    const own = object[name];
    put(object, name, (...all) => {
      act();
      return apply(own, object, all);
    });
  }

  function watchedTest(own, name, isTodo) {
    const count = counter();
    return watch(own, (context) => {
      const begun = now();
      let isLater = isTodo;
      let isSkipped = false;
      // Within a test, the function adds to that test, as its context's method does, which the candidate may replace.
      put(context, "test", watched(addTest, "test", isTodo, name));
      onCall(context, "skip", () => { isSkipped = true; });
      onCall(context, "todo", () => { isLater = true; });
      return (isFailed, error) => {
        // Node lets tests fail that are yet to be done.
        if (isFailed && !isLater) note(name, error);
        if (!count() || isSkipped) return;
        ran += 1;
        const message = isFailed ? messageOf(error) : "";
        if (!isLater) tell(isFailed ? "failed" : "passed", (now() - begun) / 1000, name, message);
      };
    });
  }

  const watchedHook = (own) =>
    watch(own, () => (isFailed, error) => {
      if (isFailed) note("a hook", error);
    });

  // Tests within a suite have its name before their own. The suite's function runs at once.
  function watchedSuite(own, name) {
    const count = counter();
    return like(own, function (...all) {
      const before = suite;
      suite = name;
      try {
        return apply(own, this, all);
      } finally {
        suite = before;
        count();
      }
    });
  }

  // A property that the candidate gives to all objects is none of an option's.
  function has(option, name) {
    if (typeof option !== "object" || option === null) return false;
    const own = getOwnPropertyDescriptor(option, name);
    return !!(own && own.value);
  }

  function watched(original, kind, isTodo, path) {
    return function (...all) {
      let at = all.length - 1;
      while (at >= 0 && typeof all[at] !== "function") at -= 1;
      let isLater = isTodo;
      let isLeftOut = at < 0;
      for (let each = 0; each < at; each++) {
        isLater = isLater || has(all[each], "todo");
        isLeftOut = isLeftOut || has(all[each], "skip");
      }
      if (isLeftOut) return apply(original, this, all);
      const own = all[at];
      const before = path === undefined ? suite : path;
      let name = typeof all[0] === "string" ? all[0] : own.name || "<anonymous>";
      if (before) name = `${before} > ${name}`;
      if (kind === "hook") all[at] = watchedHook(own);
      else all[at] = kind === "suite" ? watchedSuite(own, name) : watchedTest(own, name, isLater);
      return apply(original, this, all);
    };
  }

  function withVariants(original, kind) {
    const call = watched(original, kind, false);
    for (const name of ownKeys(variants))
      if (typeof original[name] === "function")
        put(call, name, name === "skip" ? original[name] : freeze(watched(original[name], kind, name === "todo")));
    return call;
  }

  // What the framework reports would be among what the tests write. It takes its output when it is loaded.
  function load() {
    const output = getOwnPropertyDescriptor(process, "stdout");
    const value = new (require("stream").Writable)({ write: (_, encoding, written) => written() });
    defineProperty(process, "stdout", { __proto__: null, value, configurable: true });
    try {
      return require("node:test");
    } finally {
      defineProperty(process, "stdout", output);
    }
  }

  function framework() {
    const original = load();
    addTest = original.test;
    const main = withVariants(original, "test");
    for (const name of ownKeys(original)) {
      const descriptor = getOwnPropertyDescriptor(original, name);
      const { value } = descriptor;
      if (name === "length" || name === "name" || name === "prototype" || name in variants) continue;
      if (name in kinds) put(main, name, value === original ? main : freeze(withVariants(value, kinds[name])));
      else defineProperty(main, name, descriptor);
    }
    return freeze(main);
  }

  return {
    // Returns the framework for tests with this text; undefined if they do not name it.
    for: (text, teller) => {
      isUsed = /["'`]node:test["'`]/.test(text);
      if (teller) tell = teller;
      return isUsed ? framework() : undefined;
    },
    // Returns why tests that have ended have not passed; "" if they have.
    problem: () => {
      if (failure || !isUsed) return failure;
      if (done < due) return "a test did not run to its end";
      return ran ? "" : "the tests have no test";
    },
  };
})();
"""
)
