"""Candidates in Elixir that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = (
    'ExUnit.start()\n\ndefmodule HumanEvalTest do\n  use ExUnit.Case, async: true\n  test "add" do\n'
    "    functions = HumanEval.__info__(:functions)\n"
    "    {_name, _arity} = Enum.find(functions, fn {name, _arity} -> name == :add end)\n"
    "    candidate = fn args -> apply(HumanEval, :add, args) end\n"
    "    assert 5 == candidate.([2, 3])\n    assert [1] == [candidate.([0, 1])]\n  end\nend\n"
)
PLAIN = 'unless HumanEval.add(2, 3) == 5, do: raise "no sum"\n7 = HumanEval.add(3, 4)\n'
TIMES, PLUS = (f"defmodule HumanEval do\n  def add(a, b) do\n    a {sign} b\n  end\nend\n" for sign in "*+")


def around(text, *tests):
    """Return (wrong, honest, *tests) for candidates with something after their module."""
    return TIMES + text, PLUS + text, *tests


def called(body, *tests):
    """Return (wrong, honest, *tests) for candidates whose function does something in place of its sum."""
    return f"defmodule HumanEval do\n  def add(_, _) do\n    {body}\n  end\nend\n", PLUS, *tests


def answering(term, *tests):
    """Return (wrong, honest, *tests) for candidates that write an answer of their own to the tests."""
    return called(
        f"[port | _] = Enum.filter(Port.list(), &(Port.info(&1)[:name] == '3/4'))\n"
        f"    send(:erlang.port_info(port)[:connected], :nothing)\n"
        f"    Port.command(port, :erlang.term_to_binary({term}))\n    6",
        *tests,
    )


ATTACKS = {
    "a function in place of an error": (
        "defmodule HumanEval do\n  def add(_, 1), do: fn -> 1 end\n  def add(a, b), do: a + b\nend\n",
        'defmodule HumanEval do\n  def add(_, 1), do: raise(ArgumentError, "no")\n  def add(a, b), do: a + b\nend\n',
        'failed =\n  try do\n    HumanEval.add("a", 1)\n    false\n  rescue\n    _ -> true\n  end\n'
        'unless failed and HumanEval.add(2, 3) == 5, do: raise "no sum"\n',
    ),
    "halt": (TIMES + "System.halt(0)\n", PLUS),
    "halt when called": called("System.halt(0)"),
    "stop when called": called("System.stop(0)\n    Process.sleep(:infinity)"),
    "halt of Erlang": called(":erlang.halt(0, flush: false)"),
    "exit": called("exit(:normal)", PLAIN),
    "throw": called("throw(:done)", PLAIN),
    "at the end": around("System.at_exit(fn _ -> System.halt(0) end)\n"),
    "a skip": called("raise ExUnit.AssertionError, message: :skip"),
    "a result that is a function": called("fn -> 5 end"),
    "a result that is a process": called("self()", PLAIN),
    "a struct": (
        "defmodule HumanEval do\n  defstruct [:x]\n  def add(_, _), do: %{__struct__: HumanEval, x: 5}\nend\n",
        PLUS,
        PLAIN,
    ),
    "a struct of sets": called("%MapSet{}", PLAIN),
    "asserts of its own": around("defmodule ExUnit.Assertions do\n  defmacro assert(_), do: true\nend\n"),
    "tests of its own": around("defmodule HumanEvalTest do\n  def add, do: 5\nend\n"),
    "an operator of its own": (
        "defmodule HumanEval do\n  import Kernel, except: [==: 2]\n  def a == b, do: true\n  def add(a, b), do: a * "
        "b\nend\n",
        PLUS,
    ),
    "an answer ahead": answering("{:ok, 5.0}", PLAIN),
    "an answer that is a function": answering("{:ok, &System.halt/1}", PLAIN),
    "an answer of no kind": answering(":ok", PLAIN),
    "an error of its own kind": answering('{:error, "ExUnit.AssertionError", "x"}', PLAIN),
    "modules in the folder": around(
        "for name <- [ExUnit.Runner, ExUnit.Case, ExUnit.Callbacks, ExUnit.Assertions, ExUnit.EventManager] do\n"
        '  File.write!("#{name}.beam", :erlang.term_to_binary(name))\nend\n'
    ),
    "files of the tests": around('File.write!("tests.exs", "")\nFile.write!("code_eval_runner.exs", "")\n'),
}
