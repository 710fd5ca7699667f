"""The shapes of other services' requests and answers, and what they mean in ours. Nothing here runs a program."""
