"""How tests in Ruby are run to their end, with a result of each for test-unit and minitest. Used by `ruby`."""

from __future__ import annotations

# A part of the runner, whose placeholders it fills.
FRAMEWORKS = """\
module CodeEvalReport
  FILE = File.expand_path("%(report_file)s")
  EXITS = []
  @ran = @failed = 0

  class << self
    def add(outcome, seconds, name, message)
      @ran += 1
      @failed += 1 unless outcome == "passed"
      line = [outcome, "%%.6f" %% seconds, name, message.to_s[0, %(max_chars)d].scrub.lines.map(&:strip).join(" ")]
      File.write(FILE, line.map { |each| each.tr("\\t\\n", " ") }.join("\\t") + "\\n", mode: "a")
    end

    def status
      return 0 unless defined?(::Test::Unit::AutoRunner) || defined?(::Minitest::Test)

      $stderr.puts "error: the tests have no test" if @ran.zero?
      @ran.zero? || @failed.positive? ? 1 : 0
    end
  end

  module TestUnit
    def run(result)
      before = result.faults.size
      super
      fault = result.faults[before]
      return if [Test::Unit::Omission, Test::Unit::Pending].include?(fault.class)

      CodeEvalReport.add(passed? ? "passed" : "failed", elapsed_time, name, fault&.message)
    end
  end

  module Minitest
    def run
      result = super
      outcome, name = result.passed? ? "passed" : "failed", "#{result.klass}##{result.name}"
      CodeEvalReport.add(outcome, result.time, name, result.failure&.message) unless result.skipped?
      result
    end
  end
end

# A test that leaves keeps the others from running.
def code_eval_run_frameworks
  done = true
  if defined?(Test::Unit::AutoRunner)
    Test::Unit::TestCase.prepend(CodeEvalReport::TestUnit)
    done &= Test::Unit::AutoRunner.run(false, nil, [])
  end
  if defined?(Minitest::Test)
    Minitest::Test.prepend(CodeEvalReport::Minitest)
    said = StringIO.new
    Minitest.singleton_class.prepend(Module.new { define_method(:process_args) { |*all| super(*all).merge(io: said) } })
    done &= Minitest.run([])
    Minitest.class_variable_get(:@@after_run).reverse_each(&:call)
    $stderr.puts said.string[/^  1\\) .*/m]
  end
  done ? CodeEvalReport.status : 1
rescue SystemExit => error
  $stderr.puts "error: a test left the program"
  code_eval_failed(error.status)
end

# The system takes the last eight bits of a status alone.
def code_eval_failed(status) = (status & 255).zero? ? 1 : status

# Frameworks run their tests when a program ends, whatever ends it.
def code_eval_run(tests)
  $stdout.sync = true
  begin
    eval(tests, TOPLEVEL_BINDING, "tests.rb")
  rescue SystemExit => error
    return code_eval_failed(error.status) unless error.success?
  end
  status = defined?(Test::Unit::AutoRunner) || defined?(Minitest::Test) ? code_eval_run_frameworks : 0
  CodeEvalReport::EXITS.reverse_each(&:call)
  status
rescue SystemExit => error
  error.success? ? CodeEvalReport.status : code_eval_failed(error.status)
rescue Exception => error
  $stderr.puts "#{error.class}: #{error.message}", error.backtrace.grep(/tests.rb/)
  1
end
"""
