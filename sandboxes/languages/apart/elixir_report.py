"""How a result of each test of ExUnit is reported. Used by `elixir`."""

from __future__ import annotations

# A part of the runner, whose placeholders it fills.
REPORT = """\
defmodule CodeEvalReport do
  use GenServer

  def start do
    :persistent_term.put(__MODULE__, :counters.new(2, []))
    :persistent_term.put(:code_eval_report, Path.expand("%(report_file)s"))
    :persistent_term.put(:code_eval_main, self())
  end

  def count, do: {:counters.get(counters(), 1), :counters.get(counters(), 2)}

  defp counters, do: :persistent_term.get(__MODULE__)

  def init(_), do: {:ok, nil}

  def handle_cast({:test_finished, %%ExUnit.Test{state: state} = test}, _)
      when state == nil or elem(state, 0) in [:failed, :invalid] do
    :counters.add(counters(), if(state, do: 2, else: 1), 1)
    seconds = :erlang.float_to_binary(test.time / 1.0e6, decimals: 6)
    line = [if(state, do: "failed", else: "passed"), seconds, one_line(to_string(test.name)), message(state)]
    File.write!(:persistent_term.get(:code_eval_report), Enum.join(line, "\t") <> "\n", [:append])
    {:noreply, nil}
  end

  # Of a module whose last callback has failed.
  def handle_cast({:module_finished, %%ExUnit.TestModule{state: {:failed, _}}}, _) do
    :counters.add(counters(), 2, 1)
    {:noreply, nil}
  end

  def handle_cast(_, _), do: {:noreply, nil}

  defp message({:failed, [{:error, %%{message: message}, _} | _]}) when is_binary(message), do: one_line(message)
  defp message({:failed, [{kind, reason, _} | _]}), do: one_line(Exception.format_banner(kind, reason))
  defp message(_), do: ""

  defp one_line(text) do
    text = if String.valid?(text), do: text, else: inspect(text)
    text |> String.slice(0, %(max_chars)d) |> String.split() |> Enum.join(" ")
  end
end

CodeEvalReport.start()
"""
