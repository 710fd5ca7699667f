"""Lua. The tests run apart from the candidate, and call its functions with values that are sent as tagged text."""

from __future__ import annotations

import re

from sandboxes.guest.common.interactors import LOST_STATUS
from sandboxes.guest.common.named_tests import MAX_MESSAGE_CHARS, REPORT_FILE
from sandboxes.languages.base import MEMORY_STATUS, Language, Recipe, SeparateRecipe, fixed_build, fixed_run, linked
from sandboxes.languages.comments import LUA_COMMENTS

DRIVER_FILE, RUNNER_FILE = "code_eval_driver.lua", "code_eval_runner.lua"
ENTRY_POINT = re.compile(r"\bcandidate\s*=\s*(\w+)")
WORD = re.compile(r"[A-Za-z_]\w*")

# A value is a letter and its text. A message is the number of its bytes, a line break and a value.
LINK = """\
local input, output = assert(io.open("/dev/fd/3", "r")), assert(io.open("/dev/fd/4", "w"))
local type, next, tostring, error, pairs = type, next, tostring, error, pairs
local format, concat, sub, find, match = string.format, table.concat, string.sub, string.find, string.match
local math_type, pack, unpack, tonumber, to_integer = math.type, table.pack, table.unpack, tonumber, math.tointeger

local function put(parts, value)
  local kind = type(value)
  if kind == "nil" then parts[#parts + 1] = "N"
  elseif kind == "boolean" then parts[#parts + 1] = value and "T" or "F"
  elseif kind == "string" then parts[#parts + 1] = "S" .. #value .. ";" .. value
  elseif kind == "number" then
    parts[#parts + 1] = math_type(value) == "integer" and format("I%%d;", value) or format("D%%a;", value)
  elseif kind == "table" then
    parts[#parts + 1] = "{"
    for key, each in next, value do
      put(parts, key)
      put(parts, each)
    end
    parts[#parts + 1] = "}"
  else error("a " .. kind .. " can't be sent to the other process", 0) end
end

local function encode(value)
  local parts = {}
  put(parts, value)
  return concat(parts)
end

local numbers = { inf = 1 / 0, ["-inf"] = -1 / 0, nan = 0 / 0, ["-nan"] = 0 / 0 }
local function get(text, place)
  local tag = sub(text, place, place)
  if tag == "N" then return nil, place + 1 end
  if tag == "T" or tag == "F" then return tag == "T", place + 1 end
  if tag == "{" then
    local found = {}
    place = place + 1
    while sub(text, place, place) ~= "}" do
      local key, value
      key, place = get(text, place)
      value, place = get(text, place)
      found[key] = value
    end
    return found, place + 1
  end
  local last = find(text, ";", place, true)
  if not last then error("an invalid value", 0) end
  local said = sub(text, place + 1, last - 1)
  if tag == "S" then return sub(text, last + 1, last + tonumber(said)), last + 1 + tonumber(said) end
  if tag == "I" then return to_integer(tonumber(said)), last + 1 end
  return numbers[said] or tonumber(said), last + 1
end

-- Tests may expect an error of the candidate's. One of the link's, which nobody expects, ends them.
local exit, stderr = os.exit, io.stderr
local function unsent(problem)
  stderr:write("error: ", problem, "\\n")
  exit(1)
end

local function write(text)
  return output:write(#text, "\\n", text) and output:flush()
end

local function read()
  local size = input:read("n", "l")
  local text = size and input:read(size)
  return text and (size == #text) and text or nil
end
"""

DRIVER = (
    LINK
    + """\
local pcall, rawequal, before = pcall, rawequal, {}
local function fail(problem)
  if type(problem) == "string" and find(problem, "not enough memory", 1, true) then exit(%(memory_status)d) end
end
for name, value in pairs(_G) do before[name] = value end
read()
local code, problem = loadfile("candidate.lua")
local done = code ~= nil
if code then done, problem = pcall(code) end
if not done then
  fail(problem)
  stderr:write("error: ", tostring(problem), "\\n")
  exit(1)
end
local names = {}
for name, value in next, _G do
  if type(name) == "string" and not rawequal(before[name], value) then
    if type(value) == "function" then names[name] = { f = true }
    else
      local can, _ = pcall(encode, value)
      if can then names[name] = { v = value } end
    end
  end
end
write(encode(names))
while true do
  local text = read()
  if not text then exit(0) end
  local call = get(text, 1)
  local results = pack(pcall(_G[call.name], unpack(call.arguments, 1, call.n)))
  local answer
  if results[1] then
    local values, all = {}, call.arguments
    for place = 2, results.n do values[place - 1] = results[place] end
    local can, said = pcall(encode, { n = results.n - 1, values = values, arguments = all })
    if not can then unsent(said) end
    answer = said
  else
    fail(results[2])
    local can, said = pcall(encode, { problem = results[2] })
    answer = can and said or encode({ problem = tostring(results[2]) })
  end
  write(answer)
end
"""
)

RUNNER = (
    LINK
    + """\
local function lost()
  stderr:write("the candidate ended before its tests were done\\n")
  exit(%(lost_status)d)
end

local function take()
  local text = read() or lost()
  local value = get(text, 1)
  if type(value) ~= "table" then error("an invalid answer", 0) end
  return value
end

local function call(name, ...)
  local arguments, before = pack(...), {}
  local n = arguments.n
  arguments.n = nil
  for place = 1, n do
    local can, said = pcall(encode, arguments[place])
    if not can then unsent(said) end
    before[place] = type(arguments[place]) == "table" and said
  end
  if not write(encode({ name = name, n = n, arguments = arguments })) then lost() end
  local answer = take()
  if answer.problem ~= nil then
    error(answer.problem, 0)
  end
  for place = 1, n do
    local now = type(answer.arguments) == "table" and answer.arguments[place]
    -- Functions may change the tables that they are given.
    if before[place] and type(now) == "table" then
      local table = arguments[place]
      for key in pairs(table) do if now[key] == nil then table[key] = nil end end
      for key, value in pairs(now) do
        if type(value) ~= "table" or encode(value) ~= encode(table[key]) then table[key] = value end
      end
    end
  end
  return unpack(answer.values, 1, answer.n)
end

-- Without mounts of its own, the candidate could put modules into this folder.
package.path = package.path:gsub("%%f[^\\0;]%%./[^;]*", "")
package.cpath = package.cpath:gsub("%%f[^\\0;]%%./[^;]*", "")
local file = io.open("tests.lua", "r")
local tests = file:read("a")
file:close()
os.remove("tests.lua")
os.remove("%(runner_file)s")
write(encode(true))

-- The tests alone see these names. LuaUnit sees Lua's own.
local words, entry_points, seen = %(words)s, %(entry_points)s, {}
for name, said in pairs(take()) do
  if words[name] and (_G[name] == nil or entry_points[name]) then
    if said.f then seen[name] = function(...) return call(name, ...) end
    else seen[name] = said.v end
  end
end
local function find_global(_, name)
  local value = rawget(seen, name)
  if value ~= nil then return value end
  return _G[name]
end
local function set_global(_, name, value)
  seen[name], _G[name] = nil, value
end

local open, clock, gsub, max = io.open, os.clock, string.gsub, math.max
local function now()
  local uptime = open("/proc/uptime", "r")
  local seconds = uptime and uptime:read("n")
  if uptime then uptime:close() end
  -- Lua's own clock counts the time of this process alone.
  return seconds or clock()
end
local function one_line(text) return (gsub(sub(tostring(text or ""), 1, %(max_chars)d), "%%s+", " ")) end

local has_begun, is_running, ran, failed = false, false, 0, 0
local function add_result(node, began)
  local outcome = node:isSuccess() and "passed" or "failed"
  ran, failed = ran + 1, failed + (node:isSuccess() and 0 or 1)
  local report = assert(open("%(report_file)s", "a"))
  local seconds = format("%%.6f", max(0, now() - began))
  report:write(concat({ outcome, seconds, one_line(node.testName), one_line(node.msg) }, "\\t"), "\\n")
  report:close()
end

local function luaunit() return package.loaded.luaunit end
local function leave(code)
  if code == nil or code == true then code = 0 end
  if code == 0 and luaunit() then
    if not has_begun then luaunit().LuaUnit.run() end
    if is_running then stderr:write("error: a test left the program\\n")
    elseif ran == 0 then stderr:write("error: the tests have no test\\n") end
    -- Tests need not hand on what LuaUnit returns.
    code = (is_running or ran == 0 or failed > 0) and 1 or 0
  end
  -- Of other numbers the system would take the last eight bits alone.
  exit(code == 0 and 0 or (math_type(code) == "integer" and code > 0 and code < 256) and code or 1)
end
os.exit = leave
package.preload.luaunit = function(...)
  package.preload.luaunit = nil
  local unit = dofile(assert(package.searchpath("luaunit", package.path)))
  -- LuaUnit looks in the message of each failure for what its own success begins with, and that message may quote the
  -- candidate.
  local random = assert(open("/dev/urandom", "r"))
  local secret = gsub(random:read(16), ".", function(byte) return format("%%02x", string.byte(byte)) end)
  random:close()
  unit.FAILURE_PREFIX, unit.SUCCESS_PREFIX, unit.SKIP_PREFIX = secret .. "F", secret .. "S", secret .. "K"
  local start, finish, began = unit.LuaUnit.startTest, unit.LuaUnit.endTest, nil
  unit.LuaUnit.startTest = function(...)
    has_begun, is_running, began = true, true, now()
    return start(...)
  end
  unit.LuaUnit.endTest = function(self)
    local node = self.result.currentNode
    is_running = false
    if not node:isSkipped() then add_result(node, began) end
    return finish(self)
  end
  return unit
end

local globals = setmetatable({}, { __index = find_global, __newindex = set_global })
local code, problem = load(tests, "@tests.lua", "t", globals)
local done = code ~= nil
if code then done, problem = pcall(code) end
if not done then
  stderr:write("error: ", tostring(problem), "\\n")
  exit(1)
end
leave(0)
"""
)


def driver_files(candidate: str) -> dict[str, str]:
    """Return the files of the candidate's process."""
    return {"candidate.lua": candidate, DRIVER_FILE: DRIVER % {"memory_status": MEMORY_STATUS}}


def runner_files(tests: str) -> dict[str, str]:
    """Return the files of the tests' process. Functions that the tests do not name are not called."""
    values = {
        "words": as_set(WORD.findall(tests)),
        "entry_points": as_set(ENTRY_POINT.findall(tests)),
        "lost_status": LOST_STATUS,
        "runner_file": RUNNER_FILE,
        "report_file": REPORT_FILE,
        "max_chars": MAX_MESSAGE_CHARS,
    }
    return {"tests.lua": tests, RUNNER_FILE: RUNNER % values}


def as_set(words: list[str]) -> str:
    """Return a table of Lua's with words as its keys."""
    return "{" + ", ".join(f'["{word}"] = true' for word in sorted({*words})) + "}"


LUA = Language(
    name="lua",
    label="Lua",
    with_tests=SeparateRecipe(
        driver_files,
        runner_files,
        linked("lua5.4", DRIVER_FILE, memory_status=MEMORY_STATUS),
        linked("lua5.4", RUNNER_FILE),
    ),
    standalone=Recipe(
        lambda candidate, tests: {"candidate.lua": candidate}, fixed_build(), fixed_run("lua5.4", "candidate.lua")
    ),
    version=lambda: ("lua5.4", "-v"),
    package="lua5.4",
    image="debian:bookworm with lua5.4, lua-unit and python3",
    highlight="python",
    canary=(
        "function add(a, b) return a + b end",
        "lu = require('luaunit')\nfunction test_add() lu.assertEquals(add(2, 3), 5) end\nos.exit(lu.LuaUnit.run())",
    ),
    comments=LUA_COMMENTS,
    tools=("lua5.4",),
)
