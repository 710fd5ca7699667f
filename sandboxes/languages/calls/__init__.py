"""Programs that call a candidate's function with the arguments of cases, one file per language."""
