"""The server of the environment. `python -m server.app --port 8000` starts it in this folder."""

import argparse
import os

import uvicorn

from code_tasks.adapters.openenv import create_coding_app

os.environ.setdefault("HF_ALLOW_CODE_EVAL", "1")  # this runs programs that nobody has read

app = create_coding_app(max_concurrent_envs=64, step_seconds=30, memory_mb=512, timeout=10)


def main():
    """Serve on this machine alone, unless another address is given."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    arguments = parser.parse_args()
    uvicorn.run(app, host=arguments.host, port=arguments.port)


if __name__ == "__main__":
    main()
