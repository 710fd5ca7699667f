"""The programs that run SQL: the candidate's process, the tests' process, and a shell for candidates without tests.

Python runs them, with its module of SQLite. They use nothing newer than Python 3.8.
"""

from __future__ import annotations

DATABASES = """\
import os, re, sqlite3, sys

FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}
# FTS5 itself asks for data_version and page_size.
PRAGMAS = {
    "collation_list", "compile_options", "data_version", "database_list", "defer_foreign_keys", "encoding",
    "foreign_key_check", "foreign_key_list", "foreign_keys", "function_list", "index_info", "index_list", "index_xinfo",
    "integrity_check", "page_size", "quick_check", "recursive_triggers", "synchronous", "table_info", "table_list",
    "table_xinfo", "user_version",
}
COMMENT = re.compile(r"--[^\\n]*|/\\*.*?(?:\\*/|\\Z)", re.DOTALL)

def may_run(action, first, second, database, trigger):
    # Databases are in memory. Other databases are files, which belong to the machine.
    denied = action in (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH)
    denied |= action == sqlite3.SQLITE_FUNCTION and str(second).lower() in FUNCTIONS
    denied |= action == sqlite3.SQLITE_PRAGMA and str(first).lower() not in PRAGMAS
    return sqlite3.SQLITE_DENY if denied else sqlite3.SQLITE_OK

def open_database():
    database = sqlite3.connect(":memory:", isolation_level=None)
    # Otherwise large results are sorted in files, which the limit of memory does not count.
    database.execute("PRAGMA temp_store = MEMORY")
    database.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    database.set_authorizer(may_run)
    return database

def statements(script):
    found, start, place = [], 0, 0
    while place := script.find(";", place) + 1:
        # A semicolon can lie in a literal, in a comment or in a trigger.
        if sqlite3.complete_statement(script[start:place]):
            found.append(script[start:place])
            start = place
    found.append(script[start:])
    return [statement for statement in found if COMMENT.sub("", statement).strip(" \\t\\r\\n\\f;")]

def last_result(database, script):
    # -> (number of columns, rows) of the last statement that returns rows; (0, []) if none does.
    columns, rows, each = 0, [], statements(script)
    for place, statement in enumerate(each, 1):
        cursor = database.execute(statement)
        if cursor.description:
            # A cursor locks its tables, which a later statement may drop.
            columns, rows = len(cursor.description), cursor if place == len(each) else cursor.fetchall()
    return columns, rows

def read_text(path):
    with open(path, encoding="utf-8", errors="surrogatepass") as file:
        return file.read()
"""

# A message is a line of JSON. A result is the number of its columns, a line for each of its rows, and `true`. An error
# of the candidate's is {"problem": text}, in place of any of these lines.
DRIVER = (
    DATABASES
    + """\
import json

PROBLEMS = sqlite3.Error, sqlite3.Warning, ValueError, OverflowError
pipe_in, pipe_out = open(3, encoding="utf-8"), open(4, "w", encoding="utf-8")

def say(message):
    pipe_out.write(json.dumps(message) + "\\n")

def as_json(value):
    return {"blob": value.hex()} if isinstance(value, bytes) else value

def serve():
    for line in pipe_in:
        kind, script = json.loads(line)
        try:
            if kind == "set-up":
                database = open_database()
                last_result(database, script)
                continue
            columns, rows = last_result(database, script if kind == "query" else read_text("%(candidate)s"))
            say(columns)
            for row in rows if kind != "change" else ():
                say([as_json(value) for value in row])
            say(True)
        except PROBLEMS as error:
            say({"problem": f"{type(error).__name__}: {error}"})
        rows = None
        pipe_out.flush()

try:
    serve()
except MemoryError:
    os._exit(%(memory_status)d)
except BrokenPipeError:
    # The tests have seen enough rows. Python's own end would write the rest.
    os._exit(0)
"""
)

RUNNER = (
    DATABASES
    + """\
import collections, json, math

MARK = re.compile(r"^[ \\t]*--[ \\t]*(set-up|expected|compare)[ \\t]*\\r?$", re.MULTILINE)
TOKEN = re.compile(r"'[^']*'|\\"[^\\"]*\\"|`[^`]*`|\\[[^\\]]*\\]|" + COMMENT.pattern + r"|[()]|\\w+", re.DOTALL)
HEX = re.compile("(?:[0-9a-f]{2})*")
TOLERANCE = 1e-9
LINE_CHARS = 1 << 26

class Wrong(Exception):
    pass

def tests_in(text):
    # -> [(set-up, expected, queries that compare)]
    [before, *marked] = MARK.split(text)
    tests = []
    for mark, part in [("set-up", before), *zip(marked[::2], marked[1::2])]:
        if mark == "set-up":
            tests.append({})
        if mark in tests[-1]:
            raise ValueError(f"a test has two parts with the mark {mark}")
        tests[-1][mark] = part
    return [complete(test) for test in tests if len(test) > 1 or statements(test["set-up"])]

def complete(test):
    set_up = statements(test["set-up"])
    if "expected" not in test:
        if not set_up:
            raise ValueError("a test has no expected query")
        test["expected"] = set_up.pop()
    return "\\n".join(set_up), test["expected"], statements(test.get("compare", ""))

def is_ordered(script):
    # ORDER BY in brackets is that of a subquery or of a window.
    depth, before = 0, ""
    for token in TOKEN.findall((statements(script) or [""])[-1]):
        if token.startswith(("--", "/*")):
            continue
        depth += (token == "(") - (token == ")")
        if depth == 0 and (before, token.lower()) == ("order", "by"):
            return True
        before = token.lower()
    return False

def expected_results(set_up, expected, queries):
    # -> [(columns, rows, whether their order counts)]
    database = open_database()
    last_result(database, set_up)
    found = []
    columns, rows = last_result(database, expected)
    if not queries:
        found.append((columns, [*rows], is_ordered(expected)))
    rows = None
    for query in queries:
        columns, rows = last_result(database, query)
        found.append((columns, [*rows], is_ordered(query)))
    if not all(columns for columns, _, _ in found):
        raise ValueError("a test's query returns no rows")
    return found

def lost():
    print("the candidate ended before its tests were done", file=sys.stderr)
    os._exit(%(lost_status)d)

def say(kind, script=""):
    try:
        pipe_out.write(json.dumps([kind, script]) + "\\n")
        pipe_out.flush()
    except BrokenPipeError:
        lost()

def take():
    line = pipe_in.readline(LINE_CHARS)
    if len(line) == LINE_CHARS:
        raise Wrong("a row is too large")
    if not line.endswith("\\n"):
        lost()
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise Wrong("an invalid answer") from None
    if type(message) is dict:
        raise Wrong(str(message.get("problem")))
    return message

def value_of(value):
    if type(value) is dict and HEX.fullmatch(str(value.get("blob"))):
        return bytes.fromhex(value["blob"])
    if value is None or type(value) is str or type(value) is float and value == value:
        return value
    if type(value) is int and -(1 << 63) <= value < 1 << 63:
        return value
    raise Wrong("an invalid value")

def take_result(columns, most):
    count = take()
    if type(count) is not int or count != columns:
        raise Wrong(f"expected {columns} columns, but there are {count}")
    rows = []
    while (row := take()) is not True:
        if type(row) is not list or len(row) != columns:
            raise Wrong("an invalid row")
        if len(rows) == most:
            raise Wrong(f"expected {most} rows, but there are more")
        rows.append(tuple(map(value_of, row)))
    if len(rows) < most:
        raise Wrong(f"expected {most} rows, but there are {len(rows)}")
    return rows

def is_same(one, other):
    # Numbers are equal by their values, of which one may be real. Nothing else is equal to a value of another type.
    if float in (type(one), type(other)) and {type(one), type(other)} <= {int, float}:
        return one == other or math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return type(one) is type(other) and one == other

def place_of(row):
    kinds = {type(None): 0, int: 1, float: 1, str: 2, bytes: 3}
    return [(kinds[type(value)], 0 if value is None else value) for value in row]

def show(row):
    text = ", ".join("NULL" if value is None else repr(value) for value in row)
    return text if len(text) < 200 else text[:200] + "..."

def compare(rows, expected, is_ordered):
    if is_ordered:
        for number, (row, right) in enumerate(zip(rows, expected), 1):
            if not all(map(is_same, row, right)):
                raise Wrong(f"row {number} is not the expected ({show(right)})")
        return
    # Rows that are equal but for a tolerance come close to each other when they are sorted.
    missing = sorted((collections.Counter(expected) - collections.Counter(rows)).elements(), key=place_of)
    others = sorted((collections.Counter(rows) - collections.Counter(expected)).elements(), key=place_of)
    for right in missing:
        match = next((place for place, row in enumerate(others) if all(map(is_same, row, right))), None)
        if match is None:
            raise Wrong(f"the expected row ({show(right)}) is missing")
        del others[match]

def check(test, results):
    set_up, _, queries = test
    say("set-up", set_up)
    say("change" if queries else "candidate")
    if queries:
        take(), take()
    for number, (columns, rows, ordered) in enumerate(results):
        if queries:
            say("query", queries[number])
        compare(take_result(columns, len(rows)), rows, ordered)

def main():
    text = read_text("%(tests)s")
    for path in ("%(tests)s", "%(runner)s"):
        os.unlink(path)
    try:
        tests = tests_in(text)
        results = [expected_results(*test) for test in tests]
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
        sys.exit(f"error in the tests: {error}")
    for number, (test, result) in enumerate(zip(tests, results), 1):
        try:
            check(test, result)
        except Wrong as error:
            sys.exit(f"error in test {number}: {error}" if len(tests) > 1 else f"error: {error}")

pipe_in, pipe_out = open(3, encoding="utf-8"), open(4, "w", encoding="utf-8")
main()
os._exit(0)
"""
)

SHELL = (
    DATABASES
    + """\
def as_text(value):
    if isinstance(value, float):
        # SQLite's own text of a real number is not Python's.
        [[value]] = plain.execute("SELECT CAST(? AS TEXT)", (value,))
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return "" if value is None else str(value)

def main():
    database = open_database()
    last_result(database, sys.stdin.read())
    for statement in statements(read_text("%(candidate)s")):
        for row in database.execute(statement):
            output.write("|".join(map(as_text, row)) + "\\n")
    output.flush()

plain, output = open_database(), open(1, "w", encoding="utf-8", errors="surrogateescape")
try:
    main()
except MemoryError:
    os._exit(%(memory_status)d)
except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
    sys.exit(f"error: {error}")
"""
)
