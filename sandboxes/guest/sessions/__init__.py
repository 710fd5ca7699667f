"""The sandboxed part of a session: a server that starts commands, Python cells, and work on files."""
