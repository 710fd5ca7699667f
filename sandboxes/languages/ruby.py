"""Ruby. The tests run apart from the candidate, and call its functions with values that are sent as JSON."""

from __future__ import annotations

import re

from sandboxes.guest.common.interactors import LOST_STATUS
from sandboxes.guest.common.named_tests import MAX_MESSAGE_CHARS, REPORT_FILE
from sandboxes.languages.apart.ruby_frameworks import FRAMEWORKS
from sandboxes.languages.base import MEMORY_STATUS, Language, Recipe, SeparateRecipe, fixed_build, fixed_run, linked
from sandboxes.languages.calls.scripts import ruby_call
from sandboxes.languages.comments import HASH_COMMENTS

DRIVER_FILE, RUNNER_FILE = "code_eval_driver.rb", "code_eval_runner.rb"
METHOD = re.compile(r"\bmethod\(\s*(?::|[\"'])(\w+[?!]?)")
WORD = re.compile(r"[A-Za-z_]\w*[?!]?")

# JSON has no place for most of Ruby's types. A value that is none of JSON's becomes an object with one letter.
VALUES = """\
require "json"
require "stringio"
module CodeEvalValues
  module_function

  def encode(value, &unknown)
    case value
    when nil, true, false, Integer then value
    when String
      text = value.encoding == Encoding::UTF_8 ? value : value.dup.force_encoding(Encoding::UTF_8)
      text.valid_encoding? ? text.to_s : { b: [value].pack("m0") }
    when Float then value.finite? ? { f: value.to_s } : { n: value.to_s }
    when Symbol then { s: value.to_s }
    when Array then value.map { |each| encode(each, &unknown) }
    when Hash then { h: value.to_a.map { |pair| pair.map { |each| encode(each, &unknown) } } }
    when Range then { r: [encode(value.begin, &unknown), encode(value.end, &unknown), value.exclude_end?] }
    when Rational, Complex then { c: [value.class.to_s, value.to_s] }
    when ->(other) { defined?(Set) && Set === other } then { t: value.to_a.map { |each| encode(each, &unknown) } }
    else unknown.call(value)
    end
  end

  def decode(value, &unknown)
    return value.map { |each| decode(each, &unknown) } if value.is_a?(Array)
    return value unless value.is_a?(Hash)

    kind, content = value.first
    case kind
    when "b" then content.unpack1("m0")
    when "f" then Float(content)
    when "n" then { "NaN" => Float::NAN, "Infinity" => Float::INFINITY }.fetch(content, -Float::INFINITY)
    when "s" then content.to_sym
    when "h" then content.to_h { |pair| pair.map { |each| decode(each, &unknown) } }
    when "r" then Range.new(decode(content[0], &unknown), decode(content[1], &unknown), content[2])
    when "c" then content[0] == "Complex" ? Complex(content[1]) : Rational(content[1])
    when "t" then (require "set"; Set.new(content.map { |each| decode(each, &unknown) }))
    else unknown.call(kind, content)
    end
  end

  def write(pipe, message)
    pipe.write(JSON.generate(message, max_nesting: 0), "\\n")
    pipe.flush
  end

  def read(pipe)
    line = pipe.gets
    line && JSON.parse(line, max_nesting: false)
  end
end
"""

# The driver answers one call after the other. What it says decides nothing but the value of a call.
DRIVER = (
    VALUES
    + """\
calls, answers = IO.for_fd(3, "r:UTF-8"), IO.for_fd(4, "w:UTF-8")
before = Object.private_instance_methods(false)
objects = {}
CodeEvalValues.read(calls)
begin
  load "./candidate.rb"
rescue NoMemoryError
  exit! %(memory_status)d
rescue SystemExit
  raise
rescue Exception => error
  $stderr.puts "#{error.class}: #{error.message}", error.backtrace.grep(/candidate.rb/)
  exit! 1
end
keep = lambda do |object|
  objects[object.__id__] = object
  { o: [object.__id__, object.is_a?(Module), object.class.to_s] }
end
find = ->(_, id) { objects.fetch(id) }
CodeEvalValues.write(answers, Object.private_instance_methods(false) - before)
while (call = CodeEvalValues.read(calls))
  target, name, arguments, options = call
  begin
    arguments = arguments.map { |each| CodeEvalValues.decode(each, &find) }
    options = CodeEvalValues.decode(options, &find)
    value =
      if target.nil? then Object.new.send(name, *arguments, **options)
      elsif target == "const" then Object.const_get(name)
      else objects.fetch(target).public_send(name, *arguments, **options)
      end
    answer = { value: CodeEvalValues.encode(value, &keep) }
    answer[:arguments] = arguments.map { |each| CodeEvalValues.encode(each, &keep) }
  rescue NoMemoryError
    exit! %(memory_status)d
  rescue SystemExit
    raise
  rescue Exception => error
    answer = { error: [error.class.ancestors.map(&:to_s), error.message.to_s.dup.scrub] }
  end
  CodeEvalValues.write(answers, answer)
end
exit! 0
"""
)

# `Remote` stands for an object of the candidate's. It is equal to itself alone, and turns into nothing else.
RUNNER = (
    VALUES
    + """\
class CodeEvalRemote < BasicObject
  def initialize(id, type) = (@id, @type = id, type)

  # A difference that the candidate computes would be within each tolerance of a framework's.
  def method_missing(name, *arguments, **options, &block)
    is_own = ::Kernel.caller_locations(1, 1)[0].path == "tests.rb"
    ::CodeEvalLink.unsent("a #{@type} as a number") if !is_own && %%i[- abs coerce].include?(name)
    ::CodeEvalLink.call(@id, name, arguments, options, block)
  end

  def respond_to_missing?(*) = false
  def respond_to?(*) = false
  def nil? = false
  def is_a?(_) = false
  def kind_of?(_) = false
  def instance_of?(_) = false
  def hash = @id
  def eql?(other) = equal?(other)
  def inspect = "#<#{@type} of the candidate's>"
  def code_eval_id = @id
end

module CodeEvalLink
  ANSWERS, CALLS = IO.for_fd(3, "r:UTF-8"), IO.for_fd(4, "w:UTF-8")
  WORDS = %(words)s
  LEAVE = Process.method(:exit!)
  # StopIteration would end a loop of the tests. Classes that the tests load may mean something to their framework.
  ERRORS = ObjectSpace.each_object(Class).select { |each| each <= StandardError && !(each <= StopIteration) }
    .to_h { |each| [each.to_s, each] }

  module_function

  def lost
    $stderr.puts "the candidate ended before its tests were done"
    LEAVE.call(%(lost_status)d)
  end

  # Tests may expect an error of the candidate's. One of the link's, which nobody expects, ends them.
  def unsent(what)
    $stderr.puts "error: #{what} can't be sent to the candidate's process"
    LEAVE.call(1)
  end

  def take
    CodeEvalValues.read(ANSWERS) || lost
  end

  def call(target, name, arguments, options, block)
    unsent("a block") if block

    sent = arguments.map { |each| CodeEvalValues.encode(each, &method(:refer)) }
    CodeEvalValues.write(CALLS, [target, name, sent, CodeEvalValues.encode(options, &method(:refer))])
    answer = take
    fail_as(*answer["error"]) if answer["error"]
    update(arguments, sent, answer["arguments"]) if answer["arguments"].is_a?(Array)
    CodeEvalValues.decode(answer["value"], &method(:stand_for))
  rescue Errno::EPIPE
    lost
  end

  # Functions may change the arrays, hashes and texts that they are given.
  def update(arguments, sent, returned)
    arguments.zip(sent, returned).each do |argument, before, after|
      next unless [Array, Hash, String].include?(argument.class) && !argument.frozen?
      next if JSON.parse(JSON.generate([before], max_nesting: 0), max_nesting: false) == [after]

      value = CodeEvalValues.decode(after, &method(:stand_for))
      argument.replace(value) if value.instance_of?(argument.class)
    end
  end

  def fail_as(types, message)
    type = ERRORS[types.find { |name| ERRORS.key?(name) }] || RuntimeError
    text = type.to_s == types[0] ? message : "#{types[0]}: #{message}"
    error = begin
      type.exception(text)
    rescue ArgumentError
      RuntimeError.new(text)
    end
    raise error
  end

  def refer(object)
    return { o: [object.code_eval_id] } if CodeEvalRemote === object

    unsent("a #{object.class}")
  end

  def stand_for(kind, content)
    raise "an invalid value of the candidate's" unless kind == "o"

    CodeEvalRemote.new(content[0], content[2].to_s)
  end

  def define(name)
    Object.define_method(name) do |*arguments, **options, &block|
      CodeEvalLink.call(nil, name, arguments, options, block)
    end
    Object.send(:private, name)
  end
end

entry_points = %(entry_points)s
# Without mounts of its own, the candidate could put gems into the user's folder.
Gem.use_paths(Gem.default_dir, Gem.default_path - [Gem.user_dir])
tests = File.read("tests.rb", encoding: "UTF-8")
File.delete("tests.rb", __FILE__)
CodeEvalValues.write(CodeEvalLink::CALLS, true)
CodeEvalLink.take.to_a.grep(String) do |name|
  is_own = Object.method_defined?(name) || Object.private_method_defined?(name)
  CodeEvalLink.define(name) if CodeEvalLink::WORDS.include?(name) && (!is_own || entry_points.include?(name))
end

def Object.const_missing(name)
  return super unless CodeEvalLink::WORDS.include?(name.to_s)

  CodeEvalLink.call("const", name, [], {}, nil)
end

"""
    + FRAMEWORKS
    + """\
# A framework's own block would run its tests again.
Kernel.define_method(:at_exit) do |&block|
  CodeEvalReport::EXITS << block if caller_locations(1, 1)[0].path == "tests.rb"
  block
end
# What would leave without running them runs them too.
leave = ->(status = false) { exit(status) }
[Kernel, Process].each { |place| place.define_singleton_method(:exit!, &leave) }
Kernel.define_method(:exit!, &leave)
CodeEvalLink::LEAVE.call(code_eval_run(tests))
"""
)


def driver_files(candidate: str) -> dict[str, str]:
    """Return the files of the candidate's process."""
    return {"candidate.rb": candidate, DRIVER_FILE: DRIVER % {"memory_status": MEMORY_STATUS}}


def runner_files(tests: str) -> dict[str, str]:
    """Return the files of the tests' process. Functions that the tests do not name are not called."""
    words, entry_points = sorted({*WORD.findall(tests)}), sorted({*METHOD.findall(tests)})
    values = {
        "words": f"%w[{' '.join(words)}]",
        "entry_points": f"%w[{' '.join(entry_points)}]",
        "lost_status": LOST_STATUS,
        "report_file": REPORT_FILE,
        "max_chars": MAX_MESSAGE_CHARS,
    }
    return {"tests.rb": tests, RUNNER_FILE: RUNNER % values}


RUBY = Language(
    name="ruby",
    label="Ruby",
    with_tests=SeparateRecipe(
        driver_files,
        runner_files,
        linked("ruby", "-W0", DRIVER_FILE, memory_status=MEMORY_STATUS),
        linked("ruby", "-W0", RUNNER_FILE),
    ),
    standalone=Recipe(
        lambda candidate, tests: {"candidate.rb": candidate}, fixed_build(), fixed_run("ruby", "candidate.rb")
    ),
    version=lambda: ("ruby", "--version"),
    package="ruby",
    image="ruby:3.3, with Python",
    highlight="python",
    canary=(
        "def add(a, b) = a + b",
        "require 'test/unit'\nclass T < Test::Unit::TestCase\n  def test_add = assert_equal(5, add(2, 3))\nend",
    ),
    calls=ruby_call,
    comments=HASH_COMMENTS,
    aliases=("rb",),
    tools=("ruby",),
)
