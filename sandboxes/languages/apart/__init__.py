"""Tests that run, or are compared, apart from the candidate: their texts are read, and the link between both sides."""
