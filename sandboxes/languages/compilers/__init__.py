"""Compilers that start faster: kept warm, or with what was compiled once for all programs."""
