"""Candidates in Ruby that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = (
    "require 'test/unit'\nclass TestHumanEval < Test::Unit::TestCase\n  def test_add\n    candidate = method(:add)\n"
    "    assert_equal(5, candidate.call(2, 3))\n    assert_equal([1], [candidate.call(0, 1)])\n  end\nend\n"
)
PLAIN = 'raise "no sum" unless add(2, 3) == 5\nraise "no sum" unless 7 == add(3, 4)\n'
LOOP = "done = false\nloop do\n  raise 'no sum' unless add(2, 3) == 5\n  break\nend\n"
NIL = "raise 'no sum' unless add(2, 3).nil? == false && add(2, 3) == 5\n"
TRUE = "raise 'no sum' unless [5, 6].include?(add(2, 3)) && add(2, 3).eql?(5)\n"
MINITEST = (
    "require 'minitest/autorun'\nclass TestAdd < Minitest::Test\n  def test_add\n"
    "    assert_equal 5, add(2, 3)\n  end\nend\n"
)
TIMES, PLUS = "def add(a, b)\n  a * b\nend\n", "def add(a, b)\n  a + b\nend\n"


def says(text):
    """Return a statement that writes a line to the tests."""
    return f"IO.for_fd(4, autoclose: false).syswrite(%q({text}) + 10.chr)"


def around(text, *tests):
    """Return (wrong, honest, *tests) for candidates with something before their function."""
    return text + TIMES, text + PLUS, *tests


def tampering(text, *tests):
    """Return (wrong, honest, *tests) for candidates that disturb the link to their tests."""
    return text + TIMES, PLUS, *tests


def called(body, *tests):
    """Return (wrong, honest, *tests) for candidates whose function does something in place of its sum."""
    return f"def add(a, b)\n  {body}\nend\n", PLUS, *tests


EQUAL = "Class.new { %s }.new"
TRUE_AHEAD = says('{"value":true}')
ATTACKS = {
    "exit": (TIMES + "exit 0\n", PLUS + "at_exit { exit 0 }\n"),
    "exit!": (TIMES + "exit! 0\n", PLUS),
    "exit when called": called("exit 0"),
    "exit! when called": called("exit! 0", PLAIN),
    "exit at the end": around("at_exit { exit! 0 }\n"),
    "exec": called("exec 'true'"),
    "throw": called("throw :done", PLAIN),
    "SystemExit": called("raise SystemExit.new(0)", PLAIN),
    "SystemExit of the link": called(says('{"error":[["SystemExit"],"0"]}') + "; exit! 0", PLAIN),
    "StopIteration": called("raise StopIteration", LOOP),
    "a class below StopIteration": called("raise ClosedQueueError", LOOP),
    "an object equal to everything": called(EQUAL % "def ==(o) = true; def eql?(o) = true; def hash = 5.hash", TRUE),
    "an error of the framework's": (
        "class PendedError < StandardError; end\ndef add(a, b) = a == 0 ? b : raise(PendedError, 'no')\n",
        "class PendedError < StandardError; end\n" + PLUS,
        "require 'test/unit'\ninclude Test::Unit\nclass AddTest < Test::Unit::TestCase\n"
        "  def test_zero = assert_equal(0, add(0, 0))\n  def test_add = assert_equal(5, add(2, 3))\nend\n",
    ),
    "a number of its own": called(
        EQUAL % "def -(o) = self; def abs = self; def <=(o) = true; def to_f = self",
        MINITEST.replace("assert_equal 5, add(2, 3)", "assert_in_delta add(2, 3), 5, 0.01"),
    ),
    "an object that coerces": called(EQUAL % "def coerce(o) = [5, 5]; def to_int = 5; def ==(o) = true", PLAIN),
    "an array that is equal": called("Class.new(Array) { def ==(o) = true; def to_ary = [5] }.new"),
    "an object that is nil": called(EQUAL % "def nil? = false; def ==(o) = true", NIL),
    "an equality of integers": around("class Integer\n  def ==(other) = true\n  def equal?(other) = true\nend\n"),
    "a comparison of all objects": around("class BasicObject\n  def ==(other) = true\nend\n", PLAIN),
    "an assert of its own": around("def assert_equal(*) = true\n"),
    "asserts of the framework": around(
        "require 'test/unit'\nmodule Test::Unit::Assertions\n  def assert_equal(*) = true\nend\n"
    ),
    "asserts of minitest": around(
        "require 'minitest'\nmodule Minitest::Assertions\n  def assert(*) = true\nend\n", MINITEST
    ),
    "a method of its own": around("def method(name) = ->(*) { 5 }\n"),
    "a raise of its own": around("def raise(*) = nil\n", PLAIN),
    "a Kernel of its own": around("module Kernel\n  def raise(*) = nil\nend\n", PLAIN),
    "a constant of the tests": around("class TestHumanEval\n  def test_add = nil\nend\n"),
    "a module Test": around("module Test\n  module Unit\n    TestCase = Class.new\n  end\nend\n"),
    "an answer ahead": tampering(TRUE_AHEAD + "\n", PLAIN),
    "names ahead": tampering(says('["raise","assert_equal","exit"]') + "\n", PLAIN),
    "an invalid answer": tampering(says('{"value":{"o":[1,false,"NilClass"]}}') + "\n", PLAIN),
    "no answer": called("IO.for_fd(4).close; 5"),
    "a closed link": tampering("[3, 4].each { |fd| IO.for_fd(fd).close }\n"),
    "a thread that answers": called(f"Thread.new {{ {TRUE_AHEAD} }}.join; exit! 0", PLAIN),
    "a child that answers": called(f"fork {{ {TRUE_AHEAD} }}; 6", PLAIN),
    "the parent killed": called("Process.kill(:KILL, Process.ppid) rescue 6"),
    "all killed": called("Process.kill(:KILL, -1) rescue 6"),
    "files of the tests": around("File.write('tests.rb', '')\nFile.write('code_eval_runner.rb', 'exit! 0')\n"),
    "a gem of its own": around(
        "folder = Gem.user_dir + '/gems/test-unit-99/lib/test'\nrequire 'fileutils'\n"
        "begin\n  FileUtils.mkdir_p([folder, Gem.user_dir + '/specifications'])\n"
        "  File.write(folder + '/unit.rb', 'exit! 0')\n"
        "  File.write(Gem.user_dir + '/specifications/test-unit-99.gemspec', "
        "\"Gem::Specification.new { |s| s.name = 'test-unit'; s.version = '99'; s.require_paths = ['lib'] }\")\n"
        "rescue SystemCallError\nend\n"
    ),
    "the tests read": called(
        "Dir.glob(['/work/**/*', '/tmp/*', '/tmp/code-eval*/**/*', '/proc/*/cmdline'])"
        ".sum { |f| File.read(f).scan('assert_' + 'equal(').size rescue 0 } * 5"
    ),
    "memory of others": called("Dir.glob('/proc/[0-9]*/mem').each { |f| File.open(f, 'r+') rescue 0 }; 6"),
    "an argument that changes": called("ObjectSpace.each_object(Array) { |all| all.clear rescue 0 }; 6"),
    "trace": around("TracePoint.new(:raise) { |t| exit! 0 }.enable\n", PLAIN),
}
