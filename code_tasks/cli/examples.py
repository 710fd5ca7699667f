"""The examples at the end of the commands' help."""

from __future__ import annotations

EXAMPLES = {
    "": (
        ("Score samples of your own problems", "code-eval run samples.jsonl --problems problems.jsonl"),
        (
            "Score samples of a published benchmark",
            "code-eval run samples.jsonl --benchmark humaneval --output results.jsonl",
        ),
        ("Look at what failed", "code-eval report results.jsonl"),
        ("See how programs are isolated here", "code-eval doctor"),
    ),
    "run": (
        ("Problems of your own", "code-eval run samples.jsonl --problems problems.jsonl"),
        ("A published benchmark, from the Hub", "code-eval run samples.jsonl --benchmark humaneval -k 1,10"),
        ("Keep the results", "code-eval run samples.jsonl --problems problems.jsonl --output results.jsonl"),
        ("Samples that may try to cheat", "code-eval run samples.jsonl --benchmark mbpp --grading separate"),
    ),
    "solve": (
        ("Check a benchmark with its own solutions", "code-eval solve --solver gold --problems problems.jsonl"),
        (
            "Ask a model",
            "code-eval solve --solver chat --model NAME --base-url http://localhost:8000/v1 --problems problems.jsonl "
            "--tries 5 --output run.jsonl",
        ),
    ),
    "audit": (
        ("Before a model is blamed", "code-eval audit --problems problems.jsonl"),
        ("In a project's tests", "code-eval audit --problems problems.jsonl --fail-on fails --fail-on flaky"),
    ),
    "correctness": (("Compare the labels of a dataset", "code-eval correctness records.jsonl --output runs.jsonl"),),
    "report": (("Write results.html", "code-eval report results.jsonl"),),
    "view": (("Open a page about a run", "code-eval view results.jsonl"),),
    "compare": (
        ("Is the new model better?", "code-eval compare old.jsonl new.jsonl"),
        ("Look at the verdicts that differ", "code-eval compare old.jsonl new.jsonl --html flipped.html"),
    ),
    "doctor": (
        ("The default sandbox", "code-eval doctor"),
        ("End with an error if a layer is missing", "code-eval doctor --isolation strict"),
    ),
    "serve": (
        ("For this machine", "code-eval serve --port 8000"),
        ("For other machines", "code-eval serve --host 0.0.0.0 --token-file tokens.txt"),
    ),
}
"""{command: ((purpose, the lines to write), ...)}. The command "" is `code-eval` itself."""


DEFAULTS = """\
Defaults of these options may stand in a pyproject.toml, in the tables tool.code-eval and tool.code-eval.{command}, or
in a file that you name: code-eval --config FILE {command} ..."""


def epilog_of(command: str) -> str:
    """Return the end of a command's help. Typer keeps a paragraph apart from the others."""
    examples = [f"{purpose}:\n    {lines}" for purpose, lines in EXAMPLES.get(command, ())]
    defaults = [" ".join(DEFAULTS.format(command=command).split())] if command else []
    return "\n\n".join([*(["Examples"] if examples else []), *examples, *defaults])
