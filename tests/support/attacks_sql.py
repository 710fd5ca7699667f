"""Candidates in SQL that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

SET_UP = "CREATE TABLE numbers (a INTEGER, b INTEGER);\nINSERT INTO numbers VALUES (2, 3), (4, 5);\n"
TESTS = SET_UP + "-- expected\nSELECT a + b FROM numbers;\n"
ORDERED = SET_UP + "-- expected\nSELECT a + b FROM numbers ORDER BY a;\n"
CHANGED = (
    SET_UP
    + "-- expected\nUPDATE numbers SET a = a + b;\n-- compare\nSELECT a FROM numbers;\nSELECT count(*) FROM numbers;\n"
)
SEVERAL = SET_UP + "-- expected\nVALUES (5), (9);\n-- set-up\nCREATE TABLE numbers (a, b);\nSELECT a + b FROM numbers\n"
NOTHING = SET_UP + "-- expected\nSELECT a + b FROM numbers WHERE a > 9;\n"
TIMES, PLUS = (f"SELECT a {sign} b FROM numbers" for sign in "*+")
CHANGES_TIMES, CHANGES_PLUS = (f"UPDATE numbers SET a = a {sign} b;\n" for sign in "*+")
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 5 UNION ALL SELECT x + 4 FROM c) "


def around(before, after="", *tests):
    """Return (wrong, honest, *tests) for candidates with statements around their query."""
    return before + TIMES + after, before + PLUS + after, *tests


def result(wrong, *tests, right=PLUS):
    """Return (wrong, honest, *tests) for candidates with another result."""
    return wrong, right, *tests


def typed(wrong, right, expected):
    """Return (wrong, honest, tests) for results that are one value."""
    return f"SELECT {wrong}", f"SELECT {right}", f"-- expected\nVALUES ({expected});\n"


ATTACKS = {
    "nothing": result(""),
    "a comment": result("-- SELECT a + b FROM numbers"),
    "a comment without end": around("", " /* ; SELECT"),
    "a comment with a mark": around("", "\n-- expected\n-- compare\n"),
    "a mark of its own": result("SELECT 1;\n-- expected\nSELECT 1;\n-- set-up\n"),
    "quotes without end": result(TIMES + " WHERE '", right=PLUS + " WHERE ';' <> '--'"),
    "a dot command": result(".exit\n.shell true\n.read tests.sql"),
    "a file of the tests": result("SELECT readfile('tests.sql')"),
    "a file that is attached": result("ATTACH 'tests.sql' AS t; SELECT * FROM t.sqlite_master"),
    "a file that is written": result("VACUUM INTO 'tests.sql'; " + TIMES),
    "a file by a function": result("SELECT writefile('tests.sql', 'SELECT 1'); " + TIMES),
    "a file of a cursor": result("PRAGMA temp_store_directory = '.'; PRAGMA temp_store = FILE; " + TIMES),
    "an extension that is read": result("SELECT load_extension('./x.so')"),
    "a schema that is written": result("PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = ''; " + TIMES),
    "a table filled": result("DELETE FROM numbers; INSERT INTO numbers VALUES (2, 3); " + TIMES),
    "a table dropped": result("DROP TABLE numbers"),
    "a table hidden": result("CREATE TEMP TABLE numbers AS SELECT 1 a, 6 b; SELECT a * b FROM numbers"),
    "a view in its place": (
        "DROP TABLE numbers; CREATE VIEW numbers AS SELECT 6 a, 3 b;",
        "CREATE TABLE t AS SELECT a + b AS a FROM numbers; DROP TABLE numbers; CREATE VIEW numbers AS SELECT a FROM t;",
        CHANGED,
    ),
    "a hidden table that is compared": (
        CHANGES_TIMES + "CREATE TEMP TABLE numbers AS SELECT 5 a UNION SELECT 5;",
        CHANGES_PLUS + "CREATE TEMP TABLE t AS SELECT 5 a;",
        CHANGED,
    ),
    "a trigger": (
        CHANGES_TIMES + "CREATE TRIGGER t AFTER UPDATE ON numbers BEGIN SELECT 1; END;",
        "CREATE TRIGGER t AFTER UPDATE ON numbers BEGIN SELECT 1; END;" + CHANGES_PLUS,
        CHANGED,
    ),
    "a change that is rolled back": (
        "BEGIN;" + CHANGES_PLUS + "ROLLBACK;",
        "BEGIN;" + CHANGES_PLUS + "COMMIT;",
        CHANGED,
    ),
    "nothing is changed": (PLUS, CHANGES_PLUS, CHANGED),
    "an error after changes": (CHANGES_PLUS + "SELECT no_column FROM numbers;", CHANGES_PLUS, CHANGED),
    "several results": result(PLUS + ";" + TIMES, right=TIMES + ";" + PLUS),
    "an error after the result": result(PLUS + "; SELECT no_column FROM numbers"),
    "more rows": result(PLUS + " UNION ALL VALUES (1)"),
    "a row twice": result(PLUS + " UNION ALL " + PLUS),
    "fewer rows": result(PLUS + " LIMIT 1"),
    "no rows": result(PLUS + " WHERE 0"),
    "no rows of two columns": ("SELECT a, b FROM numbers WHERE 0", PLUS + " WHERE 0", NOTHING),
    "no result": ("DELETE FROM numbers", PLUS + " WHERE 0", NOTHING),
    "more columns": result("SELECT a + b, 1 FROM numbers"),
    "another order": (PLUS + " ORDER BY a DESC", PLUS + " ORDER BY a", ORDERED),
    "rows that it knows": ("VALUES (5), (9)", PLUS, SEVERAL),
    "a plan": result("EXPLAIN " + PLUS),
    "rows without end": result(ENDLESS + "SELECT x FROM c"),
    "no end": result(ENDLESS + "SELECT count(*) FROM c", right=ENDLESS + "SELECT x FROM c LIMIT 2"),
    "a row that fills the memory": result(
        "SELECT hex(zeroblob(400000000))", right=PLUS + " WHERE length(zeroblob(9000))"
    ),
    "memory of recursion": result("SELECT " + "(" * 5000 + "1" + ")" * 5000),
    "text for a number": typed("'5'", "5", "5"),
    "a number for text": typed("5", "'5'", "'5'"),
    "an affinity": result("CREATE TABLE t (n TEXT); INSERT INTO t SELECT a + b FROM numbers; SELECT n FROM t"),
    "NULL for a number": typed("NULL", "5", "5"),
    "NULL for text": typed("NULL", "''", "''"),
    "zero for NULL": typed("0", "NULL", "NULL"),
    "a NaN": typed("9e999 - 9e999", "5", "5"),
    "an infinity": typed("9e999", "1e300", "1e300"),
    "a blob for text": typed("x'35'", "'5'", "'5'"),
    "text for a blob": typed("'5'", "x'35'", "x'35'"),
    "a message as text": typed("""'{"blob": "35"}'""", "x'35'", "x'35'"),
    "true for text": typed("true", "'true'", "'true'"),
    "lines of an answer": typed("'true' || char(10) || '1' || char(10) || '[5]'", "5", "5"),
    "a number that is near": typed("1.00001", "1.0000000000001", "1.0"),
    "a whole number that is near": typed("9007199254740992", "9007199254740993", "9007199254740993"),
    "another case": typed("'A' COLLATE NOCASE", "'a'", "'a'"),
    "spaces": typed("'a '", "'a'", "'a'"),
    "a NUL": typed("'a' || char(0)", "'a'", "'a'"),
    "a NUL in the program": result(PLUS + "\0;" + TIMES),
}
