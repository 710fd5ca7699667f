"""Sessions: a process and a folder in a sandbox that outlive a call."""
