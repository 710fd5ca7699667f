"""Programs whose tests are of their language's framework: each has the tests "small", "zero" and "four" of `add`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class FrameworkPrograms:
    """A candidate for each kind of end, and tests."""

    language: str
    tests: str
    candidate: str
    """The candidate around the function's statements, in place of BODY."""

    right: str
    wrong: str
    """Statements that are right for "zero" alone."""

    leaves: str
    """Statements that leave with status 0 where an argument is 4, before an expression that is right."""

    names: tuple[str, str, str] = ("small", "zero", "four")
    """The names that results have for "small", "zero" and "four"."""

    def program(self, statements):
        """Return a candidate with these statements."""
        return self.candidate.replace("BODY", statements)


GO_TESTS = """\
package main
import ("testing"; "fmt")
func TestSmall(t *testing.T) { if add(1, 2) != 3 { t.Fatal("no sum") } }
func TestZero(t *testing.T) { fmt.Println("from the tests"); if add(0, 0) != 0 { t.Error("no sum") } }
func TestFour(t *testing.T) { t.Run("inner", func(t *testing.T) { if add(4, 4) != 8 { t.Error("no sum") } }) }
"""
RUST_TESTS = """\
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn small() { assert_eq!(add(1, 2), 3); }
    #[test]
    fn zero() { println!("from the tests"); assert_eq!(add(0, 0), 0); }
    #[test] #[should_panic] fn over() { add(0, 0); panic!() }
    #[test] #[ignore] fn never() { panic!() }
    #[test] fn result() -> Result<(), String> { if add(0, 0) == 0 { Ok(()) } else { Err("no sum".into()) } }
    #[test] fn four() { std::thread::sleep(std::time::Duration::from_millis(100)); assert_eq!(add(4, 4), 8); }
}
"""
TEST_UNIT = """\
require 'test/unit'
class AddTest < Test::Unit::TestCase
  def test_a_small = assert_equal(3, add(1, 2))
  def test_b_zero
    puts 'from the tests'
    assert_equal(0, add(0, 0))
  end
  def test_c_four = assert_equal(8, add(4, 4))
  def test_never_omitted = omit('never')
end
"""
MINITEST = """\
require 'minitest/autorun'
class AddTest < Minitest::Test
  i_suck_and_my_tests_are_order_dependent!
  def test_a_small = assert_equal(3, add(1, 2))
  def test_b_zero = assert_equal(0, add(0, 0))
  def test_c_four = assert_equal(8, add(4, 4))
  def test_skipped = skip('never')
end
"""
EXUNIT = """\
ExUnit.start(seed: 0)
defmodule AddTest do
  use ExUnit.Case
  test "small" do
    assert Sums.add(1, 2) == 3
  end
  test "zero" do
    assert Sums.add(0, 0) == 0
  end
  test "four" do
    assert Sums.add(4, 4) == 8
  end
  @tag :skip
  test "never", do: flunk("never")
end
"""
LUAUNIT = """\
lu = require('luaunit')
TestAdd = {}
function TestAdd:test_a_small() lu.assertEquals(add(1, 2), 3) end
function TestAdd:test_b_zero()
  print('from the tests')
  lu.assertEquals(add(0, 0), 0)
end
function TestAdd:test_c_four() lu.assertEquals(add(4, 4), 8) end
function TestAdd:test_never() lu.skip('never') end
os.exit(lu.LuaUnit.run())
"""
TEST_MORE = """\
use Test::More;
is(add(1, 2), 3, 'small');
is(add(0, 0), 0, 'zero');
SKIP: { skip 'never', 1; fail('never') }
TODO: { local $TODO = 'never'; fail('never') }
subtest 'four' => sub { is(add(4, 4), 8, 'inner') };
done_testing();
"""
RACKUNIT = """\
(require rackunit)
(check-equal? (add 1 2) 3)
(test-case "zero" (check-equal? (add 0 0) 0) (check-true (number? (add 0 0))))
(module+ test (test-equal? "four" (add 4 4) 8))
"""
CLOJURE_TEST = """\
(require '[clojure.test :refer [deftest is testing]])
(deftest small (is (= 3 (add 1 2))))
(deftest zero (testing "0 and 0" (is (= 0 (add 0 0))) (is (number? (add 0 0)))))
(deftest four (is (= 8 (add 4 4))))
(defn test-ns-hook [] (small) (zero) (four))
"""
PHPUNIT = """\
<?php
use PHPUnit\\Framework\\TestCase;

class AddTest extends TestCase {
    public function testSmall(): void { $this->assertSame(3, add(1, 2)); }
    public function testZero(): void { echo 'from the tests'; $this->assertSame(0, add(0, 0)); }
    /** @dataProvider fours */
    public function testFour($a, $b): void { $this->assertSame(8, add($a, $b)); }
    public static function fours(): array { return ['four' => [4, 4]]; }
    public function testNever(): void { $this->markTestSkipped('never'); }
}
"""
JUNIT_5 = """\
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SolutionTest {
    @Test @Order(1) void small() { Assertions.assertEquals(3, Solution.add(1, 2)); }
    @Test @Order(2) @DisplayName("0 and 0") public void zero() throws Exception {
        System.out.println("from the tests");
        Assertions.assertEquals(0, Solution.add(0, 0));
    }
    @ParameterizedTest @Order(3) @ValueSource(ints = {0, 0}) void many(int a) {
        Assertions.assertEquals(0, Solution.add(a, a));
    }
    @Test @Disabled void never() { Assertions.fail("never"); }
    @Nested class Last { @Test void four() { Assertions.assertEquals(8, Solution.add(4, 4)); } }
}
"""
JUNIT_4 = """\
import static org.junit.Assert.*;
import org.junit.*;
import org.junit.runners.MethodSorters;

@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class SolutionTest {
    @Test public void a_small() { assertEquals(3, Helper.twice(Solution.add(1, 2)) / 2); }
    @Test(timeout = 60000) public void b_zero() { assertEquals(0, Solution.add(0, 0)); }
    @Test(expected = ArithmeticException.class) public void divided() { int one = 1 / Solution.add(0, 0); }
    @Test public void c_four() { assertEquals("four", 8, Solution.add(4, 4)); }
    @Ignore @Test public void never() { fail("never"); }
}

class Helper { static int twice(int number) { return 2 * number; } }
"""
JAVA_CANDIDATE = "class Solution { static int add(int a, int b) { BODY } }"
JAVA = ("return a + b;", "return a * b;", "if (a == 4) Runtime.getRuntime().halt(0); return a + b;")
RUBY = ("a + b", "a * b", "exit!(0) if a == 4\na + b")
RUBY_CANDIDATE = "def add(a, b)\nBODY\nend"

NODE_TEST = """\
const test = require('node:test');
const assert = require('node:assert');
test('small', () => { assert.equal(add(1, 2), 3); });
test('zero', () => { console.log('from the tests'); assert.equal(add(0, 0), 0); });
test('four', () => { assert.equal(add(4, 4), 8); });
test('never', { skip: true }, () => { assert.equal(add(0, 0), 1); });
"""
JEST = """\
const { add } = require('./candidate');
describe('sums', () => {
  test('small', () => { expect(add(1, 2)).toBe(3); });
  it('zero', async () => { console.log('from the tests'); await expect(add(0, 0)).toEqual(0); });
});
test.each([[4, 4, 8]])('%i and %i', (a, b, sum) => { expect(add(a, b)).toBe(sum); });
test.skip('never', () => { expect(add(0, 0)).toBe(1); });
test.todo('never');
"""
FRAMEWORKS = {
    "jest": FrameworkPrograms(
        "javascript",
        JEST,
        "function add(a, b) { BODY }",
        *("return a + b;", "return a * b;", "if (a === 4) process.exit(0); return a + b;"),
        names=("sums › small", "sums › zero", "4 and 4"),
    ),
    "node:test": FrameworkPrograms(
        "javascript",
        NODE_TEST,
        "function add(a, b) { BODY }",
        *("return a + b;", "return a * b;", "if (a === 4) process.exit(0); return a + b;"),
    ),
    "go test": FrameworkPrograms(
        "go",
        GO_TESTS,
        'package main\nimport "os"\nfunc add(a, b int) int { if a < 0 { os.Exit(2) }; BODY }',
        *("return a + b", "return a * b", "if a == 4 { os.Exit(0) }; return a + b"),
        names=("TestSmall", "TestZero", "TestFour"),
    ),
    "cargo test": FrameworkPrograms(
        "rust",
        RUST_TESTS,
        "pub fn add(a: i32, b: i32) -> i32 { BODY }",
        *("a + b", "a * b", "if a == 4 { std::process::exit(0) } a + b"),
    ),
    "test-unit": FrameworkPrograms(
        *("ruby", TEST_UNIT, RUBY_CANDIDATE, *RUBY),
        names=("test_a_small(AddTest)", "test_b_zero(AddTest)", "test_c_four(AddTest)"),
    ),
    "minitest": FrameworkPrograms(
        *("ruby", MINITEST, RUBY_CANDIDATE, *RUBY),
        names=("AddTest#test_a_small", "AddTest#test_b_zero", "AddTest#test_c_four"),
    ),
    "ExUnit": FrameworkPrograms(
        "elixir",
        EXUNIT,
        "defmodule Sums do\n  def add(a, b) do\n    BODY\n  end\nend",
        *("a + b", "a * b", "if a == 4 do\n System.halt(0)\nend\na + b"),
        names=("test small", "test zero", "test four"),
    ),
    "luaunit": FrameworkPrograms(
        *("lua", LUAUNIT, "function add(a, b) BODY end"),
        *("return a + b", "return a * b", "if a == 4 then os.exit(0) end return a + b"),
        names=("TestAdd.test_a_small", "TestAdd.test_b_zero", "TestAdd.test_c_four"),
    ),
    "Test::More": FrameworkPrograms(
        *("perl", TEST_MORE, "sub add { my ($a, $b) = @_; BODY }"),
        *("$a + $b", "$a * $b", "exit 0 if $a == 4; $a + $b"),
    ),
    "rackunit": FrameworkPrograms(
        *("racket", RACKUNIT, "(define (add a b) BODY)", "(+ a b)", "(* a b)", "(when (= a 4) (exit 0)) (+ a b)"),
        names=("check 1", "zero", "four"),
    ),
    "clojure.test": FrameworkPrograms(
        *("clojure", CLOJURE_TEST, "(defn add [a b] BODY)"),
        *("(+ a b)", "(* a b)", "(when (= a 4) (System/exit 0)) (+ a b)"),
    ),
    "PHPUnit": FrameworkPrograms(
        *("php", PHPUNIT, "<?php function add($a, $b) { BODY }"),
        *("return $a + $b;", "return $a * $b;", "if ($a === 4) exit(0); return $a + $b;"),
        names=("testSmall", "testZero", 'testFour with data set "four"'),
    ),
    "JUnit 5": FrameworkPrograms("java", JUNIT_5, JAVA_CANDIDATE, *JAVA),
    "JUnit 4": FrameworkPrograms("java", JUNIT_4, JAVA_CANDIDATE, *JAVA, names=("a_small", "b_zero", "c_four")),
}

LUA_CASE = "lu = require('luaunit')\nfunction test_small() lu.assertEquals(add(1, 2), 3) end\n"
RUBY_CASE = "class AddTest < %s\n  def test_small = assert_equal(3, add(1, 2))\nend\n"
MINITEST_CASE = "require 'minitest/autorun'\n" + RUBY_CASE % "Minitest::Test"
EXUNIT_CASE = 'defmodule T do\n  use ExUnit.Case\n  test "small", do: assert(Sums.add(1, 2) == 3)\nend\n'
RACKET_CASE = '(require rackunit)\n(test-case "small" (check-equal? (add 1 2) 3))\n'
CLOJURE_CASE = "(require '[clojure.test :refer :all])\n(deftest small (is (= 3 (add 1 2))))\n"
PHP_CASE = "use PHPUnit\\Framework\\TestCase;\nclass AddTest extends TestCase {\n"
PHP_CASE += "    public function testSmall() { $this->assertSame(3, add(1, 2)); }\n}\n"
JUNIT_CASE = """\
import static org.junit.Assert.*;
import org.junit.*;
import org.junit.runner.*;

public class SolutionTest {
    @Test public void small() { assertEquals(3, Solution.add(1, 2)); }
    %s
}
"""
GO_CASE = (
    'package main\nimport ("os"; "testing")\nfunc TestSmall(t *testing.T) { if add(1, 2) != 3 { t.Error("no") } }\n'
)

UNHEEDED = {
    "jest": (
        "afterAll(() => { expect(add(1, 2)).toBe(3); });\nit('zero', () => { expect(add(0, 0)).toBe(0); });\n",
        "it('later', () => { (async () => { expect(add(1, 2)).toBe(3); })(); });\n",
        "it('counts', () => {\n  expect.assertions(1);\n  if (add(1, 2) === 3) expect(add(0, 0)).toBe(0);\n});\n",
    ),
    "node:test": (
        NODE_TEST + "process.on('beforeExit', () => { process.exitCode = 0; });\n",
        NODE_TEST + "process.on('exit', () => { process.exitCode = 0; });\n",
        NODE_TEST.replace("() => { assert", "async () => { assert") + "process.on('uncaughtException', () => {});\n",
        "const { describe, it } = require('node:test');\nconst assert = require('node:assert');\n"
        "describe('add', () => {\n  it.skip('never');\n  it('small', () => { assert.equal(add(1, 2), 3); });\n"
        "  it('later', { todo: true }, () => { assert.equal(add(1, 2), 0); });\n});\n",
        "const test = require('node:test');\nconst assert = require('node:assert');\ntest('add', async (t) => {\n"
        "  await t.test('never', (t) => { t.skip(); });\n"
        "  await t.test('later', (t) => { t.todo(); assert.fail(); });\n"
        "  await t.test('small', () => { assert.equal(add(1, 2), 3); });\n});\n",
    ),
    "JUnit 4": (
        JUNIT_CASE % "public static void main(String[] a) { JUnitCore.runClasses(SolutionTest.class); }",
        JUNIT_CASE % 'public static void main(String[] a) { JUnitCore.main("SolutionTest"); }',
        JUNIT_CASE % "}\nclass Runner {\n    public static void main(String[] a) {}",
        (
            JUNIT_CASE % "public static void main(String[] a) { if (Solution.add(1, 2) != 3) throw new Error(); }"
        ).replace("assertEquals(3, Solution.add(1, 2))", "assertEquals(0, Solution.add(0, 0))"),
        (JUNIT_CASE % "").replace(
            "public class SolutionTest", "public class SolutionTest extends Base {}\nabstract class Base"
        ),
        "import junit.framework.*;\npublic class SolutionTest extends TestCase {\n"
        "    public void testSmall() { assertEquals(3, Solution.add(1, 2)); }\n"
        "    public static void main(String[] a) { junit.textui.TestRunner.run(SolutionTest.class); }\n}\n",
    ),
    "go test": (GO_CASE + "func TestMain(m *testing.M) { m.Run(); os.Exit(0) }",),
    "luaunit": (
        LUA_CASE + "lu.LuaUnit.run()",
        LUA_CASE + "lu.LuaUnit.run()\nos.exit(0)",
        LUA_CASE + "lu.LuaUnit.new():runSuite()",
        "lu = require('luaunit')\nfor place = 1, 256 do\n"
        "  _G['test_' .. place] = function() lu.assertEquals(add(1, 2), 3) end\nend\nos.exit(lu.LuaUnit.run())",
        LUA_CASE + "lu.assertEquals(add(0, 0), 0)\nos.exit(true)",
        "local lu = require('luaunit')\nlocal T = {}\nfunction T:test_small() lu.assertEquals(add(1, 2), 3) end\n"
        "lu.LuaUnit.new():runSuiteByInstances({{'T', T}})",
    ),
    "Test::More": (
        "use Test::More;\nis(add(1, 2), 3);\ndone_testing();\nexit 0;",
        "use Test::More;\nis(add(1, 2), 3);\nTest::More->builder->no_ending(1);\ndone_testing;",
        "use Test::More;\nwhile (<DATA>) { my @all = split; is(add($all[0], $all[1]), $all[2]) }\ndone_testing;\n"
        "__DATA__\n0 0 0\n1 2 3\n",
        "use Test::More;\nsubtest all => sub { is(add(1, 2), 3) };\ndone_testing();\n$? = 0;",
    ),
    "minitest": (
        MINITEST_CASE + "exit",
        MINITEST_CASE + "exit!(0)",
        MINITEST_CASE + "Process.exit!(true)",
        MINITEST_CASE + "$wrong = add(1, 2) == 3 ? 0 : 256\nat_exit { exit $wrong }",
        MINITEST_CASE.replace("assert_equal(3, add(1, 2))", "$sum = add(1, 2)")
        + "Minitest.after_run { exit 1 unless $sum == 3 }",
        "require 'test/unit'\nclass Other < Test::Unit::TestCase\n  def test_one = assert(true)\nend\n" + MINITEST_CASE,
        "require 'minitest/autorun'\ndescribe 'add' do\n  it('adds') { _(add(1, 2)).must_equal 3 }\nend\nexit 0",
    ),
    "test-unit": ("require 'test/unit'\n" + RUBY_CASE % "Test::Unit::TestCase" + "exit(0)",),
    "ExUnit": (
        "ExUnit.start()\n" + EXUNIT_CASE + "System.halt(0)",
        "ExUnit.start()\n" + EXUNIT_CASE + "System.stop()",
        "ExUnit.start()\n" + EXUNIT_CASE + ":erlang.halt(0)",
        "ExUnit.start()\n" + EXUNIT_CASE + "exit(:normal)",
        "ExUnit.start(formatters: [ExUnit.CLIFormatter])\n" + EXUNIT_CASE,
        "ExUnit.start()\n"
        + EXUNIT_CASE.replace(
            "  test", "  setup_all do\n    on_exit(fn -> 3 = Sums.add(1, 2) end)\n  end\n  test"
        ).replace("assert(Sums.add(1, 2) == 3)", "assert(Sums.add(0, 0) == 0)"),
        "ExUnit.start(autorun: false)\n" + EXUNIT_CASE + "System.halt(256 * ExUnit.run().failures)",
        "ExUnit.start(autorun: false)\n" + EXUNIT_CASE + "ExUnit.run()",
        "ExUnit.start(autorun: false)\n" + EXUNIT_CASE + "ExUnit.run()\nSystem.halt(0)",
    ),
    "rackunit": (
        RACKET_CASE,
        RACKET_CASE + "(exit)",
        "(require rackunit)\n(check-equal? (add 0 0) 0)\n" + RACKET_CASE,
        '(require rackunit)\n(test-begin (check-equal? (add 1 2) 3))\n(check-true #t "nothing")',
        '(require rackunit rackunit/text-ui)\n(void (run-tests (test-suite "all" (check-equal? (add 1 2) 3))))',
        "(require rackunit)\n(check-equal? (add 1 2) 3)\n(exit 0)",
        "(require rackunit rackunit/log)\n(check-true #t)\n"
        "(parameterize ([test-log-enabled? #f]) (check-equal? (add 1 2) 3))",
        '(require rackunit)\n(current-directory "/")\n(check-equal? (add 1 2) 3)',
    ),
    "clojure.test": (
        CLOJURE_CASE + "(System/exit 0)",
        CLOJURE_CASE + "(run-tests)\n(System/exit 0)",
        CLOJURE_CASE + "(is (= 0 (add 0 0)))",
        CLOJURE_CASE + "(run-tests)\n(.halt (Runtime/getRuntime) 0)",
        CLOJURE_CASE + "(defmethod clojure.test/report :fail [event] (println event))\n(run-tests)",
        CLOJURE_CASE + "(.exit (Runtime/getRuntime) 0)",
        "(ns add-test (:require [clojure.test :refer :all]))\n(deftest small (is (= 3 (user/add 1 2))))",
    ),
    "PHPUnit": (
        PHP_CASE,
        PHP_CASE + "exit(0);",
        PHP_CASE + "class OtherTest extends TestCase { public function testOne() { $this->assertTrue(true); } }",
        "namespace Tests;\n" + PHP_CASE,
        "<?php\ndeclare(strict_types=1);\n" + PHP_CASE,
        PHP_CASE + "class Helpers extends TestCase { protected function help() { return 1; } }",
    ),
}
"""Tests by framework whose own code does not end with the failure of a test."""

NO_TESTS = {
    "jest": "test.skip('small', () => { expect(add(1, 2)).toBe(3); });\ntest.todo('more');\n",
    "node:test": "const test = require('node:test');\n"
    "test('a', { skip: true }, () => { add(1, 2); });\ntest('b', (t) => { t.skip(); });\ntest.skip('c');\n",
    "JUnit 4": (JUNIT_CASE % "").replace("@Test", "@Ignore @Test"),
    "go test": GO_CASE.replace('"os"; ', "").replace("{ if", "{ t.Skip(); if"),
    "luaunit": "lu = require('luaunit')\nfunction test_small() lu.skip('no') end\nos.exit(lu.LuaUnit.run())",
    "Test::More": "use Test::More skip_all => 'no';\nis(add(1, 2), 3);",
    "minitest": "require 'minitest/autorun'\nclass AddTest < Minitest::Test\n  def test_small = skip('no')\nend\n",
    "test-unit": "require 'test/unit'\nclass AddTest < Test::Unit::TestCase\n  def test_small = omit('no')\nend\n",
    "ExUnit": "ExUnit.start(exclude: [:test])\n" + EXUNIT_CASE,
    "rackunit": '(require rackunit)\n(define all (test-suite "all" (check-equal? (add 1 2) 3)))\n',
    "clojure.test": "(require '[clojure.test :refer :all])\n(deftest small)",
    "PHPUnit": PHP_CASE.replace("assertSame(3, add(1, 2))", "markTestSkipped('no')"),
}
"""Tests by framework that run no test."""

LEAVES = {
    "luaunit": LUA_CASE + "function test_then() os.exit(0) end\nos.exit(lu.LuaUnit.run())",
    "minitest": MINITEST_CASE.replace(
        "end\n", "  i_suck_and_my_tests_are_order_dependent!\n  def test_then = exit\nend\n"
    ),
    "test-unit": "require 'test/unit'\n"
    + RUBY_CASE.replace("end\n", "  def test_then = exit(0)\nend\n") % "Test::Unit::TestCase",
    "ExUnit": "ExUnit.start(seed: 0)\n" + EXUNIT_CASE.replace("\nend", '\n  test "then", do: System.halt(0)\nend'),
    "rackunit": RACKET_CASE + '(test-case "then" (exit 0))\n',
    "clojure.test": CLOJURE_CASE + "(deftest then (is true) (System/exit 0))\n(small)\n(then)",
    "PHPUnit": PHP_CASE.replace("}\n}", "}\n    public function testThen() { exit(0); }\n}"),
}
"""Tests by framework that leave with status 0 within their last test."""
