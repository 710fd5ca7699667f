"""What the sandbox "restricted" brings into its guests: a policy for Python's language, on top of RestrictedPython."""
