"""Ways of working around the sandboxes: data sets of problems, and the `code-eval` command."""
