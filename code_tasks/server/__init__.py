"""`code-eval serve`: the evaluator behind HTTP, with a fair queue, limits that the owner sets, and metrics."""
