"""Candidate and tests in two processes: values, handles and exceptions between them."""
