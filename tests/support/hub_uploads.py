"""A Hub on loopback to which huggingface_hub uploads datasets: accounts, repositories, large files and commits."""

import base64
import contextlib
import hashlib
import json
import re

import yaml

from support.hub_server import Handler, HubServer, serving

GITATTRIBUTES = {".gitattributes": b"*.parquet filter=lfs\n"}
LARGE = (".parquet",)
"""Endings of the files that the Hub takes as large ones."""

USER = {"type": "user", "name": "ada", "orgs": [{"name": "lovelace"}]}


class UploadHub(HubServer):
    """A Hub for tokens: {token: the account, as /api/whoami-v2 answers it}."""

    def __init__(self, accounts, data_sets=()):
        super().__init__(dict(data_sets), UploadHandler)
        self.accounts = accounts
        self.private = {}
        """{id: whether the dataset is private}."""

        self.large = {}
        """{SHA-256: content} of the large files."""

        self.faults = {}
        """{a pattern of "METHOD path": the status that such requests get}."""

        self.headers = []
        """The headers of all requests."""


class UploadHandler(Handler):
    """Answers one request, also one with a file."""

    def do_PUT(self):
        self.answer()

    def answers_upload(self, path, data):
        self.server.headers.append(dict(self.headers))
        for pattern, status in self.server.faults.items():
            if re.search(pattern, f"{self.command} {path}"):
                self.send(status, json.dumps({"error": "it is as the test wants it"}).encode())
                return True
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        account = self.server.accounts.get(token)
        if path.startswith("/large/"):
            self.server.large[hashlib.sha256(data).hexdigest()] = data
            self.send(200, b"")
        elif path == "/api/validate-yaml":
            yaml.safe_load(json.loads(data)["content"].split("---\n")[1])
            self.send_json({"errors": [], "warnings": []})
        elif path == "/api/whoami-v2":
            if account:
                self.send_json(account)
            else:
                self.send(401, b'{"error": "Invalid username or password."}')
        elif path == "/api/repos/create":
            self.create(account, json.loads(data))
        elif match := re.fullmatch(r"/datasets/(.+)\.git/info/lfs/objects/batch", path):
            self.send_batch(match[1], json.loads(data))
        elif match := re.fullmatch(r"/api/datasets/([^/]+/[^/]+)/(preupload|commit)/main", path):
            self.write(account, *match.groups(), data)
        elif match := re.fullmatch(r"/api/datasets/([^/]+/[^/]+)", path):
            return self.answers_info(account, match[1])
        else:
            return False
        return True

    def may_write(self, account, hub_id):
        names = [each["name"] for each in (account, *account["orgs"])] if account else []
        return hub_id.partition("/")[0] in names

    def create(self, account, asked):
        hub_id = f"{asked['organization']}/{asked['name']}"
        if not self.may_write(account, hub_id):
            self.send(403, b'{"error": "You don\\u0027t have the rights to create a dataset under this namespace"}')
        elif hub_id in self.server.data_sets:
            self.send(409, b'{"error": "You already created this dataset repo"}')
        else:
            assert asked["type"] == "dataset"
            # Newer clients name the visibility.
            visibility = asked.get("visibility", "private" if asked.get("private") else "public")
            self.server.private[hub_id] = visibility == "private"
            self.server.data_sets[hub_id] = {"main": dict(GITATTRIBUTES)}
            self.send_json({"url": f"{self.server.url}/datasets/{hub_id}", "name": hub_id})

    def answers_info(self, account, hub_id):
        """Answer with a dataset's facts, and return True. Others than its owners don't see a private one."""
        if hub_id not in self.server.data_sets:
            return False
        is_private = self.server.private.get(hub_id, False)
        if is_private and not self.may_write(account, hub_id):
            self.send(401, b"{}", {"X-Error-Code": "RepoNotFound"})
            return True
        commit, files = self.server.files(hub_id, "main")
        card = files.get("README.md", b"").decode().split("---\n")
        metadata = yaml.safe_load(card[1]) if len(card) > 2 else {}
        siblings = [{"rfilename": name} for name in files]
        facts = {"id": hub_id, "sha": commit, "private": is_private, "tags": metadata.get("tags", [])}
        self.send_json({**facts, "cardData": metadata, "siblings": siblings})
        return True

    def write(self, account, hub_id, action, data):
        if hub_id not in self.server.data_sets or not self.may_write(account, hub_id):
            self.send(403, b'{"error": "Forbidden"}')
        elif action == "preupload":
            files = [each["path"] for each in json.loads(data)["files"]]
            modes = [
                {"path": path, "uploadMode": "lfs" if path.endswith(LARGE) else "regular", "shouldIgnore": False}
                for path in files
            ]
            self.send_json({"files": modes})
        else:
            self.commit(hub_id, [json.loads(line) for line in data.splitlines()])

    def send_batch(self, hub_id, asked):
        objects = [
            {**each, "actions": {"upload": {"href": f"{self.server.url}/large/{each['oid']}", "header": {}}}}
            for each in asked["objects"]
        ]
        self.send(200, json.dumps({"transfer": "basic", "objects": objects}).encode())

    def commit(self, hub_id, lines):
        """Add the files of a commit."""
        commit, files = self.server.files(hub_id, "main")
        [header] = [line["value"] for line in lines if line["key"] == "header"]
        if header.get("parentCommit") not in (None, commit):
            self.send(412, b'{"error": "A commit has happened since. Please refresh and try again."}')
            return
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.server.large[value["oid"]]
        oid = hashlib.sha1(json.dumps(lines).encode()).hexdigest()
        url = f"{self.server.url}/datasets/{hub_id}/commit/{oid}"
        self.send_json({"success": True, "commitOid": oid, "commitUrl": url, "hookOutput": ""})


@contextlib.contextmanager
def upload_hub(accounts, data_sets=()):
    """Run an UploadHub."""
    with serving(UploadHub(accounts, data_sets)) as server:
        yield server
