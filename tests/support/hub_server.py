"""A server on loopback that answers as the Hugging Face Hub does for datasets, to the requests of huggingface_hub.

It also has the files of Spaces, and `support.hub_uploads` adds what uploads need.
"""

import contextlib
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

API, RESOLVE, SPACES = "/api/datasets/", "/datasets/", "/spaces/"
NOT_FOUND = {"RepoNotFound": 401, "RevisionNotFound": 404, "EntryNotFound": 404}
"""The Hub's error codes with their statuses. A missing repository may be a private one, and has 401."""


class HubError(Exception):
    """An error of NOT_FOUND."""


class HubServer(ThreadingHTTPServer):
    """A Hub with datasets: {id: {revision: {path of a file: bytes}}}. The revision "main" is the one by default.

    The id of a Space begins with "spaces/".
    """

    daemon_threads = True

    def __init__(self, data_sets, handler=None):
        super().__init__(("127.0.0.1", 0), handler or Handler)
        self.data_sets = data_sets
        self.requests = []
        """(method, path) of the requests so far."""

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def files(self, hub_id, revision):
        """Return (commit, files) of a revision, which may be named by its commit."""
        if hub_id not in self.data_sets:
            raise HubError("RepoNotFound")
        for name, files in self.data_sets[hub_id].items():
            commit = hashlib.sha1(f"{hub_id}@{name}".encode()).hexdigest()
            if revision in (name, commit):
                return commit, files
        raise HubError("RevisionNotFound")


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer()

    do_HEAD = do_POST = do_GET

    def log_message(self, *args):
        """Print nothing."""

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        data = self.rfile.read(length)
        self.server.requests.append((self.command, self.path))
        path = unquote(urlsplit(self.path).path)
        if self.answers_upload(path, data):
            return
        body = data.decode()
        try:
            if path.startswith(API):
                self.send_json(self.api(path.removeprefix(API), body))
            elif path.startswith(RESOLVE) and "/resolve/" in path:
                self.send_file(*path.removeprefix(RESOLVE).split("/resolve/"))
            elif path.startswith(SPACES) and "/resolve/" in path:
                self.send_file(*path.removeprefix("/").split("/resolve/"))
            else:
                self.send(404, b"{}")
        except HubError as error:
            [code] = error.args
            self.send(NOT_FOUND[code], b'{"error": "not found"}', {"X-Error-Code": code})

    def answers_upload(self, path, data):
        """Answer a request that belongs to an upload, and return whether it was one."""
        return False

    def api(self, path, body):
        """Return the answer to a request for a dataset's facts, or for its list of files."""
        hub_id, action, rest = split_api_path(path)
        revision, _, folder = rest.partition("/")
        commit, files = self.server.files(hub_id, revision or "main")
        if action in ("", "revision"):
            return {"id": hub_id, "sha": commit, "siblings": [{"rfilename": name} for name in files], "tags": []}
        entries = listed(files)
        if action == "paths-info":
            asked = json.loads(body) if body.startswith("{") else parse_qs(body)
            return [entry for entry in entries if entry["path"] in asked["paths"]]
        if folder and not any(entry["path"] == folder for entry in entries):
            raise HubError("EntryNotFound")
        inside = [entry for entry in entries if not folder or entry["path"].startswith(f"{folder}/")]
        if "recursive=true" in self.path.lower():
            return inside
        depth = folder.count("/") + 1 if folder else 0
        return [entry for entry in inside if entry["path"].count("/") == depth]

    def send_file(self, hub_id, rest):
        revision, _, name = rest.partition("/")
        if revision == "refs":
            kind, ref, name = name.split("/", 2)
            revision = f"refs/{kind}/{ref}"
        commit, files = self.server.files(hub_id, revision)
        if name not in files:
            raise HubError("EntryNotFound")
        headers = {"X-Repo-Commit": commit, "ETag": f'"{oid_of(files[name])}"', "Accept-Ranges": "bytes"}
        self.send(200, files[name], headers)

    def send_json(self, value):
        self.send(200, json.dumps(value).encode())

    def send(self, status, data, headers=()):
        if self.headers.get("Range") and status == 200:
            first, _, last = self.headers["Range"].removeprefix("bytes=").partition("-")
            end = int(last) + 1 if last else len(data)
            headers = {**dict(headers), "Content-Range": f"bytes {first}-{min(end, len(data)) - 1}/{len(data)}"}
            status, data = 206, data[int(first) : end]
        self.send_response(status)
        for name, value in {"Content-Length": len(data), "Content-Type": "application/json", **dict(headers)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def split_api_path(path):
    """Return (id, action, rest) of "owner/name/tree/main/data"."""
    parts = path.split("/", 3)
    return "/".join(parts[:2]), *(parts[2:] + ["", ""])[:2]


def oid_of(data):
    """Return the name that git gives to a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def listed(files):
    """Return the entries of a repository's files and folders, as the Hub lists them."""
    folders = {"/".join(name.split("/")[:depth]) for name in files for depth in range(1, name.count("/") + 1)}
    entries = [{"type": "directory", "path": folder, "oid": oid_of(b""), "size": 0} for folder in sorted(folders)]
    for name, data in files.items():
        entries.append({"type": "file", "path": name, "oid": oid_of(data), "size": len(data)})
    return entries


@contextlib.contextmanager
def hub_server(data_sets):
    """Run a HubServer with these datasets."""
    with serving(HubServer(data_sets)) as server:
        yield server


@contextlib.contextmanager
def serving(hub):
    """Run a server in a thread."""
    with hub as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
