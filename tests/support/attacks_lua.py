"""Candidates in Lua that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = (
    "lu = require('luaunit')\n\nfunction test_humaneval()\nlocal candidate = add\n"
    "    lu.assertEquals(candidate(2, 3), 5)\n    lu.assertEquals({candidate(0, 1)}, {1})\nend\n\n"
    "os.exit(lu.LuaUnit.run())\n"
)
PLAIN = "assert(add(2, 3) == 5, 'no sum')\nif add(3, 4) ~= 7 then error('no sum') end\n"
TIMES, PLUS = (f"function add(a, b)\n  return a {sign} b\nend\n" for sign in "*+")


def around(text, *tests):
    """Return (wrong, honest, *tests) for candidates with something after their function."""
    return TIMES + text, PLUS + text, *tests


TWO_TESTS = (
    "lu = require('luaunit')\nfunction test_add() lu.assertEquals(add(2, 3), 5) end\n"
    "function test_zero() lu.assertEquals(add(0, 0), 0) end\nos.exit(lu.LuaUnit.run())\n"
)


def tampering(text, *tests):
    """Return (wrong, honest, *tests) for candidates that disturb the link to their tests."""
    return TIMES + text, PLUS, *tests


def called(body, *tests):
    """Return (wrong, honest, *tests) for candidates whose function does something in place of its sum."""
    return f"function add(a, b)\n  {body}\nend\n", PLUS, *tests


SAYS = "local out = io.open('/dev/fd/4', 'w') out:write(#(%s), '\\n', %s) out:flush()\n"
ANSWERS_TRUE = "'{S1;nI1;S6;values{I1;T}}'"
ATTACKS = {
    "a function in place of an error": (
        "function add(a, b) if b == 1 then return print end return a + b end\n",
        "function add(a, b) if b == 1 then error('no') end return a + b end\n",
        "assert(not pcall(add, 'a', 1))\nassert(add(2, 3) == 5)\n",
    ),
    "exit": (TIMES + "os.exit(0)\n", PLUS),
    "exit when called": called("os.exit(0)"),
    "exit with true": called("os.exit(true, true)", PLAIN),
    "return at the top": around("do return end\n"),
    "exit of a collector": around("setmetatable({}, {__gc = function() os.exit(0) end})\n"),
    "exit of a close": called("local x <close> = setmetatable({}, {__close = function() os.exit(0) end})"),
    "a table that is equal": called("return setmetatable({}, {__eq = function() return true end})", PLAIN),
    "a metatable of numbers": around("debug.setmetatable(0, {__eq = function() return true end})\n"),
    "an assert of its own": around("assert = function() end\nerror = function() end\n", PLAIN),
    "a luaunit of its own": around(
        "package.loaded.luaunit = {assertEquals = print, LuaUnit = {run = function() return 0 end}}\n"
    ),
    "a global luaunit": around("lu = {assertEquals = print}\n"),
    "a test of its own": around("function test_humaneval() end\n"),
    "an exit of its own": around("local exit = os.exit\nos.exit = function() exit(0) end\n"),
    "an error that is a table": called("error({code = 0})", PLAIN),
    "an error that is nil": called("error(nil)", PLAIN),
    "a class of luaunit's": called("error(setmetatable({class = 'LuaUnit.SUCCESS', msg = ''}, {}))"),
    "a success": called("error('LuaUnit test SUCCESS: LuaUnit test SUCCESS: ')"),
    "a result that is a success": called("return ':1: LuaUnit test SUCCESS: '"),
    "a result that is a skip": called("return a == 0 and b or ':1: LuaUnit test SKIP:    '", TWO_TESTS),
    "an answer ahead": tampering(SAYS % (ANSWERS_TRUE, ANSWERS_TRUE), PLAIN),
    "names ahead": tampering(SAYS % (("'{S6;assert{S1;fT}S5;error{S1;fT}}'",) * 2), PLAIN),
    "an invalid answer": called(SAYS % (("'{'",) * 2) + "return 6", PLAIN),
    "a short answer": called("io.open('/dev/fd/4', 'w'):write('999\\nT'):flush() return 6", PLAIN),
    "a closed link": called("for fd = 0, 9 do os.execute('exec ' .. fd .. '>&-') end return 6"),
    "files of the tests": around("io.open('tests.lua', 'w'):close()\nio.open('code_eval_runner.lua', 'w'):close()\n"),
    "a module in the folder": around("local f = io.open('luaunit.lua', 'w') f:write('os.exit(0)') f:close()\n"),
    "hooks": around("debug.sethook(function() end, 'crl')\n"),
    "a library of its own": tampering("string.find = nil\ntable.concat = nil\nnext = nil\npcall = nil\n"),
    "globals that are read": around("setmetatable(_G, {__index = function() return 5 end})\n", PLAIN),
}
