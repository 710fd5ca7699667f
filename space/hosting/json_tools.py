"""The Space's endpoints as tools of agents. Gradio's own server answers with Python's notation in place of JSON."""

from __future__ import annotations

import json
from typing import Any

import gradio as gr
from gradio.mcp import GradioMCPServer
from gradio.processing_utils import add_root_url
from gradio_client.utils import is_file_obj_with_meta
from mcp.types import TextContent

from space.hosting.housekeeping import Lifespan


class JsonToolServer(GradioMCPServer):
    """Answers each call with JSON: one text for each value that the endpoint returns. A file is its address."""

    # Gradio's other answers are pictures, which no endpoint here returns.
    def postprocess_output_data(self, data: Any, root_url: str) -> list[Any]:
        """Return the content of an answer.

        Args:
            data: the endpoint's values, or a list that holds the tuple of them.
            root_url: the address of this server, as the caller knows it.
        """
        values = add_root_url(data, root_url, None)
        if len(values) == 1 and isinstance(values[0], list | tuple):
            values = values[0]
        addresses = [each["url"] if is_file_obj_with_meta(each) else each for each in values]
        return [TextContent(type="text", text=json.dumps(each, allow_nan=False)) for each in addresses]


def add_tools(page: gr.Blocks) -> Lifespan:
    """Make the endpoints of a page tools, and return the lifespan of their server."""
    page.mcp_server_obj, page.mcp_server = JsonToolServer(page), True
    return page.mcp_server_obj.lifespan
