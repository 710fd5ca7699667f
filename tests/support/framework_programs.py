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
  def test_omitted = omit('never')
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

FRAMEWORKS = {
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
    "JUnit 5": FrameworkPrograms("java", JUNIT_5, JAVA_CANDIDATE, *JAVA),
    "JUnit 4": FrameworkPrograms("java", JUNIT_4, JAVA_CANDIDATE, *JAVA, names=("a_small", "b_zero", "c_four")),
}
