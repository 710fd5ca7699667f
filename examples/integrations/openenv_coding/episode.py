"""Episodes of OpenEnv's client with the server of this folder, which is started here. It runs offline."""

import threading
import time

import uvicorn
from server.app import app

from code_tasks.adapters.openenv import CodeAction, CodingEnv

TESTS = "assert add(2, 3) == 5\nassert add(-1, 1) == 0"
ANSWERS = ["def add(a, b): return a * b", "def add(a, b): return a + b"]

server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
thread = threading.Thread(target=server.run)
thread.start()
while not server.started:
    time.sleep(0.1)
port = server.servers[0].sockets[0].getsockname()[1]
try:
    with CodingEnv(base_url=f"http://127.0.0.1:{port}").sync() as env:
        for answer in ANSWERS:
            env.reset(tests=TESTS)
            env.step(CodeAction(code=answer))
            tried = env.step(CodeAction(code="print(add(2, 3))"))
            graded = env.step(CodeAction(code=answer, submit=True))
            print("tried:", tried.observation.stdout.strip(), "reward:", graded.reward)
finally:
    server.should_exit = True
    thread.join()
