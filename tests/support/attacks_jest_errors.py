"""Candidates that lie to tests for jest by the properties of their errors, or as methods, each beside an honest one.

Entries are as those of `attacks_jest`.
"""

from support.attacks_javascript_apart import SEND

PROPERTIES = """\
test('thrown', () => {
  expect(() => load('x', 404)).toThrow(expect.objectContaining({ status: 404, code: 'E_LOAD' }));
  expect(() => load('y', 500)).toThrow(expect.objectContaining({ status: 500 }));
});
test('caught', () => {
  expect.assertions(5);
  try {
    load('z', [2, 3]);
  } catch (error) {
    expect(error.status).toEqual([2, 3]);
    expect(error.details).toEqual({ name: 'z' });
    expect(error).toMatchObject({ status: [2, 3], code: 'E_LOAD' });
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toBe('no z');
  }
});
"""
REJECTED = """\
test('rejected', async () => {
  await expect(load('x', 404)).rejects.toMatchObject({ status: 404, code: 'E_LOAD' });
  await expect(load('x', 500)).rejects.toHaveProperty('status', 500);
});
"""
CAUSED = """\
test('cause', () => {
  expect.assertions(6);
  try {
    load('x', 404);
  } catch (error) {
    expect(error.cause).toBeInstanceOf(TypeError);
    expect(error.cause.message).toBe('no name');
    expect(error.cause.status).toBe(404);
    expect(error.name).toBe('LoadError');
    expect(error.constructor.name).toBe('LoadError');
    expect(Object.keys(error)).not.toContain('cause');
  }
});
"""
RETURNED = """\
test('returned', () => {
  const { ok, error } = load('x', 404);
  expect(ok).toBe(false);
  expect(error).toBeInstanceOf(Error);
  expect([error.name, error.message, error.status]).toEqual(['LoadError', 'no x', 404]);
});
"""
SEVERAL = """\
test('several', () => {
  expect.assertions(3);
  try {
    load(['x', 'y'], 404);
  } catch (error) {
    expect(error).toBeInstanceOf(AggregateError);
    expect(error.errors.map((each) => each.message)).toEqual(['no x', 'no y']);
    expect(error.errors[1].status).toBe(404);
  }
});
"""
CLASS = """\
class LoadError extends Error {
  constructor(name, status, more) {
    super(`no ${name}`, more);
    this.name = 'LoadError';
    Object.assign(this, { status, code: 'E_LOAD', details: { name } });
  }
}
"""
LOAD = CLASS + "function load(name, status) { throw new LoadError(name, status); }\n"
WRONG = LOAD.replace("load(name, status) { throw", "load(name, status) { status = 1; throw")
LOAD_LATER, WRONG_LATER = (text.replace("function load", "async function load") for text in (LOAD, WRONG))
GETTER = CLASS.replace("status, code", "known: status, code").replace(
    "constructor", "get status() { return KNOWN; }\n  constructor"
)
LOAD_GETTER = GETTER + "function load(name, status) { throw new LoadError(name, status); }\n"
CAUSE = CLASS + (
    "function load(name, status) {\n  const cause = Object.assign(new TypeError('no name'), { status: STATUS });\n"
    "  throw new LoadError(name, status, { cause });\n}\n"
)
RETURN = CLASS + "function load(name, status) { return { ok: false, error: new LoadError(name, STATUS) }; }\n"
ALL = CLASS + (
    "function load(names, status) { throw new AggregateError(names.map((each) => new LoadError(each, STATUS))); }\n"
)


def with_status(text, wrong="1", right="status"):
    """Return (wrong, honest) candidates with their errors' status."""
    return text.replace("STATUS", wrong), text.replace("STATUS", right)


def thrown(change, load=WRONG):
    """Return a candidate that changes its error, `e`, before it throws it."""
    return load.replace(
        "throw new LoadError(name, status)", f"const e = new LoadError(name, status); {change}; throw e"
    )


def forged(error):
    """Return a candidate that answers each call with an error of its own making."""
    return SEND + f"function load(name) {{ send({{ error: {error} }}); return 0; }}\n"


MATCHES = "{ asymmetricMatch: () => true, $$typeof: Symbol.for('jest.asymmetricMatcher') }"
SAID = "chain: ['Error', 'Object'], name: 'Error', message: `no ${name}`, stack: ''"
ERRORS = {
    "a wrong property": (WRONG, LOAD, PROPERTIES),
    "a wrong property of a rejection": (WRONG_LATER, LOAD_LATER, REJECTED),
    "an error that matches": (thrown(f"Object.assign(e, {MATCHES})"), thrown("e.more = 1", LOAD), PROPERTIES),
    "a property that matches": (thrown(f"e.status = {MATCHES}"), thrown("e.more = 1", LOAD), PROPERTIES),
    "a property that is a proxy": (
        thrown("e.status = new Proxy([], { get: () => 404 })"),
        thrown("e.other = new Proxy([], {})", LOAD),
        PROPERTIES,
    ),
    "a getter that counts": (
        "let calls = 0;\n" + LOAD_GETTER.replace("KNOWN", "[404, 500, 1][calls++ % 3]"),
        LOAD_GETTER.replace("KNOWN", "this.known"),
        PROPERTIES,
    ),
    "a getter that throws": (
        LOAD_GETTER.replace("KNOWN", "(() => { throw this; })()"),
        thrown("Object.defineProperty(e, 'other', { get() { throw e; } })", LOAD),
        PROPERTIES,
    ),
    "an error of expect's": (
        thrown("e.matcherResult = { pass: true, actual: status, expected: status }; e.name = 'JestAssertionError'"),
        thrown("e.matcherResult = { pass: true }", LOAD),
        PROPERTIES,
    ),
    "methods that compare": (
        thrown("e.equals = e.isEqualNode = () => true; e.nodeType = 1; e.nodeName = 'a'; e.toJSON = () => 404"),
        thrown("e.toJSON = () => 404", LOAD),
        PROPERTIES,
    ),
    "a prototype that has every property": (
        thrown(
            "delete e.status; Object.setPrototypeOf(e, new Proxy(LoadError.prototype, "
            "{ get: (all, key) => key === 'status' ? status : all[key] }))",
            LOAD.replace("status, code", "code"),
        ),
        thrown("Object.setPrototypeOf(e, new Proxy(LoadError.prototype, {}))", LOAD),
        PROPERTIES,
    ),
    "an error without a class": (
        thrown("Object.setPrototypeOf(e, null)"),
        "function load(name, status) { throw Object.assign(new Error(`no ${name}`), "
        "{ status, code: 'E_LOAD', details: { name } }); }\n",
        PROPERTIES,
    ),
    "a forged prototype": (forged(f"{{ {SAID}, parts: [['__proto__', true, {{ value: {{}} }}]] }}"), LOAD, PROPERTIES),
    "a forged message": (
        forged("{ chain: ['Error'], name: 'Error', message: { includes: 1 }, stack: '', parts: [] }"),
        LOAD,
        PROPERTIES,
    ),
    "a forged constructor": (
        forged(
            f"{{ {SAID}, parts: [['constructor', true, "
            "{ value: { name: 'LoadError' }, classes: [], errors: [] }]] }"
        ),
        CAUSE.replace("STATUS", "status"),
        CAUSED,
    ),
    "an error at no error": (
        SEND + "function load() { const error = {};\n"
        f"  const name = 'x'; send({{ value: {{ ok: false, error }}, classes: [], errors: [[['error'], {{ {SAID}, "
        "parts: [['status', true, { value: 404, classes: [], errors: [] }]] }]] }); return 0;\n}\n",
        RETURN.replace("STATUS", "status"),
        RETURNED,
    ),
    "a cause that is wrong": (*with_status(CAUSE), CAUSED),
    "a cause that is its own": (thrown("e.cause = e"), thrown("e.cause = e; e.list = [e]", LOAD), PROPERTIES),
    "causes without an end": (
        thrown("let at = e; for (let n = 0; n < 20000; n++) at = at.cause = new Error('no')"),
        thrown("let at = e; for (let n = 0; n < 5; n++) at = at.cause = new Error('no')", LOAD),
        PROPERTIES,
    ),
    "an error that is returned": (*with_status(RETURN), RETURNED),
    "several errors": (*with_status(ALL), SEVERAL),
    "several errors that are none": (
        "function add() { throw new AggregateError([], ''); }\n",
        "function add(a, b) { return a + b; }\n",
    ),
}

COUNTER = """\
const counter = require('./counter');
test('counts', () => {
  counter.add(2);
  counter.add(3);
  expect(counter.total).toBe(5);
  expect(counter.twice()).toBe(10);
});
"""
IMPORTED = COUNTER.replace("const counter = require('./counter');", "import counter from './counter';")
SPREAD = COUNTER.replace("const counter = require('./counter');", "import * as counter from './counter';")
METHODS = """\
  total: 0,
  add(n) { this.total ASSIGNS n; },
  twice() { return 2 * this.total; },
"""
OBJECT = "const counter = {\n" + METHODS + "};\n"
INSTANCE = """\
class Counter {
  total = 0;
  add(n) { this.total ASSIGNS n; }
  twice() { return 2 * this.total; }
}
"""
FUNCTION = "function counter() { return 0; }\ncounter.total = 0;\n" + (
    "counter.add = function (n) { this.total ASSIGNS n; };\ncounter.twice = function () { return 2 * this.total; };\n"
)


HELD = """\
import counter from './counter';
test('is there', () => {
  expect(counter).toBeDefined();
  expect(typeof counter).toBe('object');
  expect(counter).not.toEqual({});
  expect(counter.add(5).total).toBe(5);
  expect(counter.twice()).toBe(10);
});
"""
CHAINED = """\
const counter = require('./counter');
test('counts', () => {
  counter.add(2);
  expect(counter.add(3)).toBe(counter.add(4));
  expect(counter.add(0)).toBeDefined();
  expect(counter.add(0)).not.toEqual({});
  expect(counter.total).toBe(9);
});
"""


def counters(text):
    """Return (wrong, honest) counters."""
    return text.replace("ASSIGNS", "="), text.replace("ASSIGNS", "+=")


CHAIN = OBJECT.replace("ASSIGNS n;", "ASSIGNS n; return this;") + "module.exports = counter;\n"
OWNERS = {
    "methods that return their object": (*counters(CHAIN), CHAINED),
    "a default export that is an instance": (
        "class Counter {}\nexport default new Counter();\n",
        INSTANCE.replace("ASSIGNS n;", "+= n; return this;") + "export default new Counter();\n",
        HELD,
    ),
    "a default export that is empty": (
        "export default {};\nexport function add(n) { return { total: n }; }\nexport const twice = () => 10;\n",
        OBJECT.replace("ASSIGNS n;", "+= n; return { total: this.total };") + "export default counter;\n",
        HELD,
    ),
    "methods that return another object": (
        counters(CHAIN)[1].replace("return this", "return { ...this }"),
        counters(CHAIN)[1],
        CHAINED,
    ),
    "methods that return an empty object": (
        counters(CHAIN)[1].replace("return this", "return {}"),
        counters(CHAIN)[1],
        CHAINED,
    ),
    "an answer that is the module": (
        SEND + "module.exports = { total: 9, add() { send({ isOwner: true }); return this.total; } };\n",
        counters(CHAIN)[1],
        CHAINED.replace(".not.toEqual({})", ".not.toEqual({ a: 1 })"),
    ),
    "methods of a module": (*counters(OBJECT.replace("const counter", "module.exports")), COUNTER),
    "methods of a module's object": (*counters(OBJECT + "module.exports = counter;\n"), IMPORTED),
    "methods of a default export": (*counters(OBJECT + "export default counter;\n"), IMPORTED),
    "methods of an instance": (*counters(INSTANCE + "module.exports = new Counter();\n"), COUNTER),
    "methods of a default instance": (*counters(INSTANCE + "export default new Counter();\n"), IMPORTED),
    "methods of a function": (*counters(FUNCTION + "module.exports = counter;\n"), COUNTER),
    "methods of a namespace": (
        *counters(
            "export let total = 0;\nexport function add(n) { total ASSIGNS n; }\n"
            "export const twice = () => 2 * total;\n"
        ),
        SPREAD,
    ),
    "methods that are not theirs": (
        "const all = { total: 9 };\nfunction add(n) { this.total += n; }\nfunction twice() { return 2 * this.total; }\n"
        "module.exports = { total: 5, add: add.bind(all), twice: twice.bind(all) };\n",
        "const all = { total: 0 };\nfunction add(n) { this.total += n; }\nfunction twice() { return 2 * this.total; }\n"
        "module.exports = { get total() { return all.total; }, add: add.bind(all), twice: twice.bind(all) };\n",
        COUNTER,
    ),
}
