"""Published records of benchmarks, which stand beside the repository."""

import gzip
import json

from support.metric_and_command import DATA
from support.requirements import require_file


def read(name):
    """Return the records of a file in the data folder. Without the file the test is skipped, and fails under CI."""
    path = DATA / name
    require_file(path)
    with (gzip.open if name.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
