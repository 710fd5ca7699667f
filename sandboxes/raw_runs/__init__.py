"""Raw runs: programs that run as they stand, whose ends are told and not judged."""
