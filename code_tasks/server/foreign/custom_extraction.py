"""A request's own logic for the extraction of code, `custom_extract_logic`. SandboxFusion runs it in the server itself.

Here it runs in a sandbox, as a program of the client's. No candidate runs beside it: the completion is a text to it.
"""

from __future__ import annotations

import inspect
import json

from fastapi import Request

from code_tasks.server.errors import InvalidRequest
from code_tasks.server.foreign.programs import execute, make_raw_run, raw_limits
from code_tasks.server.protocols import fusion_extraction
from code_tasks.server.protocols.fusion_extraction import CodeBlock
from code_tasks.server.protocols.languages import FUSION_FENCES
from code_tasks.server.protocols.texts import decoded, encoded
from code_tasks.server.request_state import service_of
from sandboxes.validation import short_repr

FIELD = "config.custom_extract_logic"
MODULE, REQUEST_FILE, ANSWER_FILE = "fusion_extraction.py", "request.json", "blocks.json"
MEMORY_BYTES = 512 << 20
MAX_BLOCKS = 1000

DRIVER = """\
import functools, json
import fusion_extraction as extraction

with open("request.json", encoding="utf-8") as file:
    request = json.load(file)
blocks = []

def submit_code_blocks(code_blocks):
    for block in code_blocks:
        if not isinstance(block, extraction.CodeBlock):
            raise TypeError("submit_code_blocks takes a list of CodeBlock")
        blocks.append(block)

exec(request["logic"], {
    "CodeBlock": extraction.CodeBlock,
    "completion": request["completion"],
    "submit_code_blocks": submit_code_blocks,
    "extract_fenced_code": functools.partial(extraction.extract_fenced_code, fences=request["fences"]),
    "extract_heuristic_code": extraction.extract_heuristic_code,
})
with open("blocks.json", "w", encoding="utf-8") as file:
    json.dump([vars(block) for block in blocks], file)
"""


async def custom_blocks(request: Request, logic: str, completion: str, seconds: float) -> list[CodeBlock]:
    """Return the blocks that a request's own logic submits.

    Args:
        request: the client's.
        logic: Python code that calls `submit_code_blocks`.
        completion: the model's text.
        seconds: that the logic may take.

    Raises:
        InvalidRequest: if the logic fails.
        QueueFull, ShuttingDown, SandboxUnavailable: if it was not run to its end.
    """
    service = service_of(request)
    limits = raw_limits(service, seconds, min(MEMORY_BYTES, service.settings.max_memory_mb << 20))
    asked = {"logic": logic, "completion": completion, "fences": FUSION_FENCES}
    files = {
        MODULE: inspect.getsource(fusion_extraction).encode(),
        REQUEST_FILE: json.dumps(asked).encode(),
    }
    run = make_raw_run(service, DRIVER, "python", limits, seconds, files=files, fetch=[ANSWER_FILE])
    result = await execute(request, run)
    if result.run is None or not result.run.succeeded or ANSWER_FILE not in result.files:
        lines = decoded(result.run.stderr).strip().splitlines() if result.run else []
        reason = lines[-1] if lines else result.run.detail if result.run else ""
        raise InvalidRequest(FIELD, f"the logic failed: {reason or 'it has submitted nothing'}")
    return parse_blocks(result.files[ANSWER_FILE])


def parse_blocks(data: bytes) -> list[CodeBlock]:
    """Return the blocks of an answer, which the logic may have forged.

    Raises:
        InvalidRequest: if it is not a list of blocks.
    """
    try:
        values = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(FIELD, f"the blocks are not JSON: {error}") from None
    if not isinstance(values, list) or len(values) > MAX_BLOCKS:
        raise InvalidRequest(FIELD, f"it must submit at most {MAX_BLOCKS} blocks")
    blocks = []
    for value in values:
        fields = value if isinstance(value, dict) else {}
        priority, code, language = (fields.get(name) for name in ("priority", "code", "language"))
        if type(priority) is not int or not isinstance(code, str) or not isinstance(language, str):
            raise InvalidRequest(FIELD, f"a block needs a priority, a code and a language, not {short_repr(value)}")
        blocks.append(CodeBlock(priority, decoded(encoded(code)), language))
    return blocks
