"""Right candidates in SQL as people, models and the benchmarks Spider and BIRD write them, each with its tests."""

PEOPLE = (
    "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, height REAL);\n"
    "INSERT INTO people VALUES (1, 'Ann', 30, 1.6), (2, 'Bob', 20, 1.8), (3, 'Cid', NULL, 1.7),\n"
    "  (4, 'Dee; -- x', 30, 0.1);\n"
)
SQL = {
    "a gold query after its set-up": (
        "SELECT name FROM people WHERE age > 25",
        PEOPLE + "SELECT name FROM people WHERE age=30",
    ),
    "another order": (
        "SELECT name FROM people ORDER BY name DESC",
        PEOPLE + "-- expected\nSELECT name FROM people;\n",
    ),
    "an order that counts": (
        "select name from people order by height desc",
        PEOPLE + "-- expected\nSELECT name FROM people ORDER BY -height;\n",
    ),
    "rows as values": ("SELECT count(*), max(age) FROM people", PEOPLE + "-- expected\nVALUES (4, 30);\n"),
    "order of a window and a subquery": (
        "SELECT name, row_number() OVER (ORDER BY height) FROM people ORDER BY name DESC",
        PEOPLE + "-- expected\n"
        "SELECT name, row_number() OVER (ORDER BY height) FROM (SELECT * FROM people ORDER BY id) -- ORDER BY id\n;",
    ),
    "no rows": ("SELECT name FROM people WHERE age > 99", PEOPLE + "SELECT name FROM people WHERE 0"),
    "NULL": ("SELECT age FROM people WHERE id = 3", PEOPLE + "-- expected\nVALUES (NULL);"),
    "sums of reals": (
        "SELECT sum(height), avg(height) FROM (SELECT * FROM people ORDER BY id DESC)",
        PEOPLE + "-- expected\nVALUES (5.2, 1.3);",
    ),
    "whole reals": ("SELECT CAST(age AS REAL) FROM people WHERE id = 1", PEOPLE + "-- expected\nVALUES (30);"),
    "an infinity": ("SELECT 9e999, -9e999", "SELECT 1e1000, -1e1000"),
    "a blob": ("SELECT x'00ff'", "-- expected\nVALUES (CAST(x'00ff' AS BLOB));"),
    "text that is not UTF-8": ("SELECT CAST(x'ff41' AS TEXT)", "SELECT CAST(x'ff' AS TEXT) || 'A'"),
    "equal rows": ("SELECT age FROM people ORDER BY 1", PEOPLE + "SELECT age FROM people"),
    "changes": (
        "UPDATE people SET age = age + 1;\nDELETE FROM people WHERE age IS NULL;",
        PEOPLE + "-- expected\nDELETE FROM people WHERE id = 3;\nUPDATE people SET age = age + 1;\n"
        "-- compare\nSELECT * FROM people;\nSELECT count(*) FROM people;\n",
    ),
    "a view": (
        "CREATE VIEW adults AS SELECT name FROM people WHERE age >= 21;",
        PEOPLE + "-- expected\nCREATE VIEW adults AS SELECT name FROM people WHERE age > 20;\n"
        "-- compare\nSELECT * FROM adults;",
    ),
    "a trigger": (
        "CREATE TRIGGER t AFTER INSERT ON people BEGIN UPDATE people SET age = 1 WHERE id = NEW.id; SELECT 1; END;",
        PEOPLE + "-- expected\nSELECT 1;\n-- compare\n"
        "INSERT INTO people (id, age) VALUES (9, 1) RETURNING id;\nSELECT age FROM people WHERE id = 9;",
    ),
    "several statements": (
        "-- Adults.\nCREATE TEMP TABLE t AS SELECT * FROM people WHERE age > 20;\nSELECT 1;\n"
        "SELECT name FROM t; /* done */\nDROP TABLE t;\n-- end",
        PEOPLE + "SELECT name FROM people WHERE age > 20;\n-- the end\n",
    ),
    "a transaction": (
        "BEGIN; DELETE FROM people; ROLLBACK;\n"
        "BEGIN; INSERT INTO people (id) VALUES (7); COMMIT; SELECT count(*) FROM people",
        PEOPLE + "-- expected\nVALUES (5);",
    ),
    "RETURNING": (
        "INSERT INTO people (name) VALUES ('Eve') RETURNING id, name",
        PEOPLE + "-- expected\nVALUES (5, 'Eve');\n",
    ),
    "several databases": (
        "SELECT max(n) FROM t",
        "-- Each test has its database.\n-- set-up\n"
        "CREATE TABLE t (n);\nINSERT INTO t VALUES (3), (4);\n-- expected\nVALUES (4);\n"
        "-- set-up\nCREATE TABLE t (n);\n-- expected\nVALUES (NULL);\n",
    ),
    "a foreign key": (
        "PRAGMA foreign_keys = ON;\nSELECT name FROM pragma_table_info('people') WHERE pk",
        PEOPLE + "-- expected\nVALUES ('id');",
    ),
    "a full-text index": (
        "CREATE VIRTUAL TABLE names USING fts5(name);\nINSERT INTO names SELECT name FROM people;\n"
        "SELECT name FROM names WHERE names MATCH 'ann'",
        PEOPLE + "-- expected\nVALUES ('Ann');",
    ),
    "the beginning of a dump": (
        "SELECT name FROM people WHERE id = 2",
        "PRAGMA foreign_keys=OFF;\nPRAGMA encoding = 'UTF-16';\nBEGIN TRANSACTION;\n"
        + PEOPLE
        + "COMMIT;\nSELECT 'Bob'",
    ),
    "a recursive query": (
        "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 20000) SELECT x, x || '' FROM n",
        "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT 20000) SELECT x, '' || x FROM n",
    ),
}
