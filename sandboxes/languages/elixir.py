"""Elixir. The tests run apart from the candidate, and call its functions with values in Erlang's own format."""

from __future__ import annotations

import re

from sandboxes.guest.common.interactors import LOST_STATUS
from sandboxes.guest.common.named_tests import MAX_MESSAGE_CHARS, REPORT_FILE
from sandboxes.languages.apart.elixir_report import REPORT
from sandboxes.languages.base import Language, Recipe, SeparateRecipe, fixed_build, fixed_run, linked
from sandboxes.languages.comments import HASH_COMMENTS

DRIVER_FILE, RUNNER_FILE = "code_eval_driver.exs", "code_eval_runner.exs"
WORD = re.compile(r"[A-Za-z_]\w*[?!]?")
# The start scripts of Erlang and Elixir need /bin, which programs don't see. This is what they do.
START = """\
path() { echo "${1%/*}"; }
elixir=$(path "$(path "$(readlink -f "$(command -v elixir)")")")
export ROOTDIR=/usr/lib/erlang EMU=beam PROGNAME=erl
[ -d "$ROOTDIR" ] || ROOTDIR=$(path "$(path "$(readlink -f "$(command -v erl)")")")
for BINDIR in "$ROOTDIR"/erts-*/bin; do :; done
export BINDIR
exec "$BINDIR/erlexec" +S 1:1 +fnu -pa "$elixir"/lib/*/ebin -noshell -elixir ansi_enabled false -s elixir start_cli \\
    -extra "$@"
"""
COMMAND = ("env", "LC_ALL=C.UTF-8", "sh", "-c", START, "elixir")

# A message is a packet with a term of Erlang's. The tests' side makes no atom and no function of it.
LINK = """\
defmodule CodeEvalLink do
  def open, do: Port.open({:fd, 3, 4}, [:binary, :eof, packet: 4])

  def put(port, term), do: Port.command(port, :erlang.term_to_binary(term))

  def take(port) do
    receive do
      {^port, {:data, data}} -> {:ok, data}
      {^port, :eof} -> :eof
    end
  end

  def check(term) when is_function(term) or is_pid(term) or is_port(term) or is_reference(term) do
    raise ArgumentError, "#{inspect(term)} can't be sent to the other process"
  end

  def check([head | tail]) do
    check(head)
    check(tail)
  end

  def check(term) when is_tuple(term), do: check(Tuple.to_list(term))
  def check(term) when is_map(term), do: check(:maps.to_list(term))
  def check(_), do: :ok

  # Tests may expect an error of the candidate's. One of the link's, which nobody expects, ends them.
  def check_or_halt(term) do
    check(term)
  rescue
    error in ArgumentError ->
      IO.puts(:stderr, "error: " <> Exception.message(error))
      System.halt(1)
  end
end
"""

DRIVER = (
    LINK
    + """\
port = CodeEvalLink.open()
CodeEvalLink.take(port)

modules =
  try do
    Code.compile_file("candidate.exs")
  rescue
    error ->
      IO.puts(:stderr, Exception.format_banner(:error, error))
      System.halt(1)
  end

CodeEvalLink.put(port, for {module, _} <- modules, function_exported?(module, :__info__, 1) do
  {Atom.to_string(module), for({name, arity} <- module.__info__(:functions), do: {Atom.to_string(name), arity})}
end)

answer = fn answer, port ->
  case CodeEvalLink.take(port) do
    :eof -> System.halt(0)
    {:ok, data} ->
      {module, name, arguments} = :erlang.binary_to_term(data)
      reply =
        try do
          {:ok, apply(module, name, arguments)}
        rescue
          error -> {:error, inspect(error.__struct__), Exception.message(error)}
        catch
          kind, reason -> {:error, "RuntimeError", "#{kind}: #{inspect(reason)}"}
        end
      CodeEvalLink.check_or_halt(reply)
      CodeEvalLink.put(port, reply)
      answer.(answer, port)
  end
end
answer.(answer, port)
"""
)

RUNNER = (
    LINK
    + """\
defmodule CodeEvalTests do
  @errors [ArgumentError, ArithmeticError, BadArityError, BadMapError, CaseClauseError, FunctionClauseError] ++
            [KeyError, MatchError, RuntimeError, UndefinedFunctionError]

  # One process has the link. Each test of ExUnit is a process of its own.
  def serve(port) do
    receive do
      {from, tag, call} ->
        if call, do: CodeEvalLink.put(port, call)
        send(from, {tag, receive_answer(port)})
        serve(port)
    end
  end

  defp receive_answer(port) do
    case CodeEvalLink.take(port) do
      {:ok, data} -> :erlang.binary_to_term(data, [:safe])
      :eof -> lost()
    end
  rescue
    ArgumentError -> {:error, "RuntimeError", "an invalid value"}
  end

  defp lost do
    IO.puts(:stderr, "the candidate ended before its tests were done")
    System.halt(%(lost_status)d)
  end

  def ask(call) do
    tag = make_ref()
    send(:code_eval_link, {self(), tag, call})
    receive do
      {^tag, answer} -> answer
    end
  end

  def call(module, name, arguments) do
    CodeEvalLink.check_or_halt(arguments)
    case ask({module, name, arguments}) do
      {:ok, value} ->
        CodeEvalLink.check(value)
        value
      {:error, type, message} when is_binary(type) and is_binary(message) -> raise_as(type, message)
    end
  end

  defp raise_as(type, message) do
    case Enum.find(@errors, &(inspect(&1) == type)) do
      nil -> raise "#{type}: #{message}"
      known when known in [ArgumentError, ArithmeticError, RuntimeError, KeyError] -> raise known, message: message
      known -> :erlang.error(struct(known))
    end
  end

  def define(modules, words) do
    for {name, functions} <- modules, is_binary(name), String.starts_with?(name, "Elixir."),
        Enum.all?(String.split(name, "."), &(&1 == "Elixir" or &1 in words)),
        module = String.to_atom(name), not Code.ensure_loaded?(module) do
      functions = for {name, arity} <- functions, name in words, arity in 0..20, do: {String.to_atom(name), arity}
      body = for {name, arity} <- functions do
        arguments = Macro.generate_arguments(arity, __MODULE__)
        quote do
          def unquote(name)(unquote_splicing(arguments)) do
            CodeEvalTests.call(unquote(module), unquote(name), unquote(arguments))
          end
        end
      end
      Module.create(module, {:__block__, [], body}, Macro.Env.location(__ENV__))
    end
  end

  # Tests that leave with status 0 have failed if one of them has.
  def run(text) do
    quoted = Code.string_to_quoted!(text, file: "tests.exs")
    Code.eval_quoted(Macro.prewalk(quoted, &replace/1), [], file: "tests.exs")
    judge()
  rescue
    error ->
      IO.puts(:stderr, Exception.format_banner(:error, error))
      1
  catch
    :exit, reason when reason in [:normal, :shutdown, {:shutdown, 0}] ->
      judge()
    kind, reason ->
      IO.puts(:stderr, "error: #{kind} #{inspect(reason)}")
      1
  end

  defp judge do
    if Process.whereis(ExUnit.Server) do
      if CodeEvalReport.count() == {0, 0}, do: run_ex_unit()
      {passed, failed} = CodeEvalReport.count()
      if passed + failed == 0, do: IO.puts(:stderr, "error: the tests have no test")
      if failed == 0 and passed > 0, do: 0, else: 1
    else
      0
    end
  end

  # Tests may have chosen formatters of their own.
  def run_ex_unit(modules \\\\ []) do
    formatters = Application.get_env(:ex_unit, :formatters, [])
    ExUnit.configure(formatters: Enum.uniq([CodeEvalReport | formatters]))
    if modules == [], do: ExUnit.run(), else: ExUnit.run(modules)
  end

  def halt(status \\\\ 0, _ \\\\ []) do
    cond do
      # A test of ExUnit's is a process of its own.
      status in [0, :normal] and self() == :persistent_term.get(:code_eval_main) -> System.halt(judge())
      is_integer(status) and rem(status, 256) != 0 -> System.halt(status)
      true -> System.halt(1)
    end
  end

  defp replace({{:., place, [{:__aliases__, _, [:System]}, name]}, more, arguments}) when name in [:halt, :stop] do
    {{:., place, [CodeEvalTests, :halt]}, more, arguments}
  end

  defp replace({{:., place, [module, name]}, more, arguments})
      when {module, name} in [{:erlang, :halt}, {:init, :stop}] do
    {{:., place, [CodeEvalTests, :halt]}, more, arguments}
  end

  defp replace({{:., place, [{:__aliases__, _, [:ExUnit]}, :run]}, more, arguments}) do
    {{:., place, [CodeEvalTests, :run_ex_unit]}, more, arguments}
  end

  defp replace(other), do: other
end

"""
    + REPORT
    + """\
# Without mounts of its own, the candidate could put modules into this folder.
:code.del_path('.')
tests = File.read!("tests.exs")
Enum.each(["tests.exs", "%(runner_file)s"], &File.rm!/1)
parent = self()

link =
  spawn_link(fn ->
    port = CodeEvalLink.open()
    CodeEvalLink.put(port, :begin)
    send(parent, :begun)
    # The first message has no atoms.
    CodeEvalTests.serve(port)
  end)

receive do
  :begun -> Process.register(link, :code_eval_link)
end
CodeEvalTests.define(CodeEvalTests.ask(nil), ~w(%(words)s))
System.halt(CodeEvalTests.run(tests))
"""
)


def driver_files(candidate: str) -> dict[str, str]:
    """Return the files of the candidate's process."""
    return {"candidate.exs": candidate, DRIVER_FILE: DRIVER}


def runner_files(tests: str) -> dict[str, str]:
    """Return the files of the tests' process. Functions that the tests do not name are not called."""
    values = {"words": " ".join(sorted({*WORD.findall(tests)})), "lost_status": LOST_STATUS, "runner_file": RUNNER_FILE}
    values.update(report_file=REPORT_FILE, max_chars=MAX_MESSAGE_CHARS)
    return {"tests.exs": tests, RUNNER_FILE: RUNNER % values}


ELIXIR = Language(
    name="elixir",
    label="Elixir",
    with_tests=SeparateRecipe(
        driver_files,
        runner_files,
        linked(*COMMAND, DRIVER_FILE, reserves_memory=True),
        linked(*COMMAND, RUNNER_FILE, reserves_memory=True),
    ),
    standalone=Recipe(
        lambda candidate, tests: {"candidate.exs": candidate},
        fixed_build(),
        fixed_run(*COMMAND, "candidate.exs", reserves_memory=True),
    ),
    version=lambda: (*COMMAND, "-e", "IO.puts(System.version())"),
    package="elixir",
    image="elixir:1.17, with Python",
    highlight="python",
    canary=(
        "defmodule Sums do\n  def add(a, b), do: a + b\nend",
        "ExUnit.start()\ndefmodule T do\n  use ExUnit.Case\n"
        '  test "add" do\n    assert Sums.add(2, 3) == 5\n  end\nend',
    ),
    comments=HASH_COMMENTS,
    aliases=("ex", "exs"),
    tools=("elixir", "erl"),
)
