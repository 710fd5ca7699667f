"""The program of a candidate's process in JavaScript or TypeScript whose tests run apart. Used by `javascript`."""

from __future__ import annotations

from sandboxes.languages.apart.javascript_link import LINK

DRIVER_FILE = "code_eval_driver.js"

# The driver answers one call after the other. What it says decides nothing but the value of a call.
DRIVER = (
    LINK
    + """\
const file = path.resolve("candidate.js");
const module_ = new Module(file, null);
module_.filename = file;
module_.paths = Module._nodeModulePaths(path.dirname(file));
const required = Module.createRequire(file);
let lookUp = (name) => vm.runInThisContext(name);
let exported;

async function load() {
  const text = fs.readFileSync(file, "utf8");
  let script;
  try {
    const loader = vm.constants && vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    const importModuleDynamically = loader || ((specifier) => import(specifier));
    script = new vm.Script(text, { filename: file, importModuleDynamically });
  } catch (error) {
    if (!%(module)s.test(text)) fail(error);
    // No semicolon before the export: it would end a statement that the candidate left open.
    const shared = "export const codeEvalLookup = (codeEvalName) => eval(codeEvalName);";
    fs.writeFileSync("candidate.mjs", `${text}\\n${shared}\\n`);
    exported = await import(path.resolve("candidate.mjs"));
    lookUp = exported.codeEvalLookup;
    return;
  }
  const globals = { require: required, module: module_, exports: module_.exports };
  Object.assign(globals, { __filename: file, __dirname: path.dirname(file) });
  for (const name of Object.keys(globals))
    defineProperty(globalThis, name, { value: globals[name], writable: true, configurable: true });
  process.mainModule = module_;
  script.runInThisContext();
  exported = module_.exports;
}

// Returns what a request takes a name from, which is `this` in a call: the module for "member NAME", its default export
// for "part NAME". Other requests take it from nothing that the tests name.
function ownerOf(kind) {
  if (kind === "member") return exported;
  return kind === "part" ? find("default default") : undefined;
}

const has = (owner, name) =>
  owner !== null && owner !== undefined
  && (Object.hasOwn(owner, name) || !(name in Function.prototype) && name in Object(owner));

// Returns the value of a name that the candidate defines, or what it exports by that name alone. Tests may prefer what
// it exports: "import NAME", or "default NAME" for its default export, which tests call NAME.
function find(request) {
  const [name, kind] = request.split(" ").reverse();
  if (kind === "default" && typeof exported === "function") return exported;
  if (kind === "default" && has(exported, "default")) return exported.default;
  if (kind === "default" && name === "default") return exported;
  const owner = kind === "import" ? exported : ownerOf(kind);
  if (has(owner, name)) return owner[name];
  try {
    return lookUp(name);
  } catch (error) {
    if (has(exported, name)) return exported[name];
    throw error;
  }
}

function call(request, all) {
  const [, kind] = request.split(" ").reverse();
  return Reflect.apply(find(request), ownerOf(kind), all);
}

function kindOf(name) {
  try {
    const value = find(name);
    return typeof value === "function" ? "function" : value === undefined ? "" : "value";
  } catch {
    return "";
  }
}

// Returns a value with what a copy of it lacks: where objects of classes are, and what errors have.
function packed(value, around) {
  const found = { value, classes: [], errors: [] };
  note(value, [], found, new Set(), around);
  return found;
}

// Returns the built-in class of a value, whose copy has no other.
function baseOf(value) {
  if (Array.isArray(value)) return Array;
  if (types.isMap(value)) return Map;
  if (types.isSet(value)) return Set;
  if (types.isDate(value)) return Date;
  return types.isRegExp(value) ? RegExp : Object;
}

function note(value, place, found, seen, around) {
  if (typeof value === "function" || typeof value === "symbol")
    throw new TypeError(`a ${typeof value} can't be sent to the tests`);
  if (typeof value !== "object" || value === null || seen.has(value) || ArrayBuffer.isView(value)) return;
  seen.add(value);
  const prototype = Object.getPrototypeOf(value);
  if (types.isProxy(value)) throw new TypeError("a proxy can't be sent to the tests");
  const isPlain = types.isNativeError(value) || types.isBoxedPrimitive(value) || types.isAnyArrayBuffer(value);
  if (place && !isPlain && prototype !== baseOf(value).prototype) {
    const name = prototype && Object.hasOwn(prototype, "constructor") && prototype.constructor.name;
    found.classes.push([place, prototype === null ? null : String(name || "")]);
  }
  if (types.isMap(value) || types.isSet(value)) {
    // Places within them have no names.
    value.forEach((each, key) => [each, key].forEach((part) => note(part, null, found, seen, around)));
  } else if (types.isNativeError(value)) {
    if (place && !around.includes(value)) found.errors.push([place, said(value, around)]);
  } else {
    for (const key of Object.keys(value)) note(value[key], place && [...place, key], found, seen, around);
  }
}

// Returns an error that was thrown, or that is within a value. The errors around it, whose part it is, come first.
function said(error, around = []) {
  if (!types.isNativeError(error)) {
    try {
      return { thrown: sendable(packed(error, around)) };
    } catch {
      return { thrown: packed(`an object: ${inspect(error)}`, []) };
    }
  }
  const chain = [];
  for (let at = error; at; at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at, "constructor")) chain.push(String(at.constructor.name));
  const isOurs = (line) => line.includes(__filename) || line.includes("node:internal");
  const stack = String(error.stack).split("\\n").filter((line) => !isOurs(line)).join("\\n");
  const parts = partsOf(error, [...around, error]);
  return { chain, name: String(error.name), message: String(error.message), stack, parts };
}

const errorPrototypes = new Set(
  [AggregateError, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map(
    (each) => each.prototype
  )
);

// Returns the properties of an error that are data, also those of its classes. The tests don't have any others.
function partsOf(error, around) {
  const found = new Map();
  for (let at = error; at && !errorPrototypes.has(at); at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) {
      if (found.has(name) || ["constructor", "message", "name", "stack"].includes(name)) continue;
      found.set(name, null);
      try {
        const isShown = at === error && Object.prototype.propertyIsEnumerable.call(at, name);
        found.set(name, [name, isShown, sendable(packed(error[name], around))]);
      } catch {
        continue;
      }
    }
  return [...found.values()].filter((part) => part);
}

// Node can't copy an error that is its own cause.
function sendable(value) {
  v8.deserialize(v8.serialize(value));
  return value;
}

// Returns whether a value is the module or its default export, with functions that can't be sent. Methods return it.
function isUnsentOwner(value) {
  if (typeof value !== "object" || value === null || ![exported, ownerOf("part")].includes(value)) return false;
  try {
    sendable(packed(value, []));
    return false;
  } catch {
    return true;
  }
}

// A promise that nothing can settle any more leaves this process without work.
let isWaiting = false;
process.on("beforeExit", () => {
  if (isWaiting) write({ unsettled: true });
  reallyExit(0);
});

async function answer(bytes) {
  const [kind, name, all] = v8.deserialize(bytes);
  const before = v8.serialize(all);
  let value;
  let isPromise;
  try {
    value = kind === "value" ? find(name) : call(name, all);
    isPromise = types.isPromise(value) || !!value && typeof value.then === "function";
  } catch (error) {
    return { error: said(error) };
  }
  isWaiting = isPromise;
  try {
    if (isPromise) value = await value;
  } catch (error) {
    return { rejected: said(error) };
  } finally {
    isWaiting = false;
  }
  const place = typeof value === "object" && value !== null ? all.indexOf(value) : -1;
  const isOwner = place < 0 && isUnsentOwner(value);
  const isChanged = !before.equals(v8.serialize(all));
  const rest = { place, isOwner, all: isChanged ? all : undefined, isPromise };
  return { ...packed(place < 0 && !isOwner ? value : undefined, []), ...rest };
}

async function serve() {
  for (let bytes = read(); bytes; bytes = read()) {
    try {
      write(await answer(bytes));
    } catch (error) {
      write({ unsent: String(error && error.message) });
    }
  }
  reallyExit(0);
}

const first = read();
// The tests can't run here.
if (!first) reallyExit(0);
const names = v8.deserialize(first);
load().then(() => {
  write(names.map(kindOf));
  return serve();
}).catch(fail);
"""
)


def driver_text(module: str) -> str:
    """Return the program of the candidate's process.

    Args:
        module: what shows that a text is a module, as a literal of JavaScript.
    """
    return DRIVER % {"module": module}
