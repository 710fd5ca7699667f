"""Calls a function in a process of its own."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from support.metric_and_command import SECONDS


def in_a_new_process(function, *arguments):
    """Return what a function returns in a process that has no threads of other tests: no fork is safe beside Ray's."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as processes:
        return processes.submit(function, *arguments).result(3 * SECONDS)
