"""An evaluation by verifiers: its taskset, rollouts, traces and runner, with rewards from this project's sandbox.

A server in this file plays the model, and `OneReply` is a harness that asks it once, so that the program needs no
network. With a model of your own, take verifiers' harness "null" in its place:

    HF_ALLOW_CODE_EVAL=1 vf-eval code-tasks --env.taskset.benchmark humaneval --env.agent.harness.id null \
        --env.agent.runtime.type subprocess --model MODEL --client.base-url URL
"""

import asyncio
import json
import os
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import verifiers.v1 as vf
from verifiers.v1.cli.eval.runner import run_eval
from verifiers.v1.configs.cli.eval import EvalConfig

__all__ = ["OneReply"]

ASK = """
import json, sys, urllib.request
url, secret, model, prompt = sys.argv[1:]
body = json.dumps({"model": model, "messages": [{"role": "user", "content": prompt}]}).encode()
headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
opener.open(urllib.request.Request(f"{url}/chat/completions", body, headers)).read()
"""


class OneReply(vf.Harness[vf.HarnessConfig]):
    """A harness that sends the prompt, and ends with the first reply."""

    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):
        """Ask the model in the runtime."""
        return await runtime.run_program([sys.executable, "-c", ASK, endpoint, secret, ctx.model, data.prompt], {})


def eval_config(url, folder, env, **others):
    """Return the configuration of an evaluation.

    Args:
        url: of the model's server.
        folder: gets the traces.
        env: the environment, as a TOML file has it in [env].
        others: more of the configuration.
    """
    agent = {"harness": {"id": "verifiers-eval"}, "runtime": {"type": "subprocess"}}
    # The server needs no key, and verifiers reads one from a variable.
    client = {"base_url": url, "api_key_var": "NO_KEY"}
    given = {"env": {"agent": agent, **env}, "client": client, "model": "scripted", "output_dir": folder}
    return EvalConfig.model_validate({**given, "push": False, "rich": None, **others})


def main():
    """Evaluate the scripted model on the first problems of the examples."""
    os.environ |= {"HF_ALLOW_CODE_EVAL": "1", "NO_KEY": "none"}
    problems = Path(__file__).parents[1] / "problems.jsonl"
    known = [json.loads(line) for line in problems.read_text().splitlines()]

    class Model(BaseHTTPRequestHandler):
        """Answers the first problem rightly, and all others wrongly."""

        def do_POST(self):  # noqa: N802
            """Answer one request."""
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            first = known[0]
            is_first = first["prompt"] in request["messages"][-1]["content"]
            code = first["prompt"] + first["canonical_solution"] if is_first else "def wrong():\n    pass\n"
            message = {"role": "assistant", "content": f"```python\n{code}```"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
            head = {"id": "0", "object": "chat.completion", "created": 0, "model": request["model"]}
            body = json.dumps({**head, "choices": choices, "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as server, tempfile.TemporaryDirectory() as folder:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        task = {"options": {"timeout": 20.0}}
        env = {"taskset": {"id": "code-tasks", "path": str(problems), "task": task}}
        config = eval_config(f"http://127.0.0.1:{server.server_port}/v1", folder, env, select={"limit": 3})
        episodes = asyncio.run(run_eval(config))
        server.shutdown()
    for [trace] in (episode.traces for episode in episodes):
        print(trace.task.data.id, trace.reward, trace.info["code_eval"]["outcome"])


if __name__ == "__main__":
    main()
