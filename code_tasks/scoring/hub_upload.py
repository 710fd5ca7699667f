"""The upload of results to the Hugging Face Hub, as a dataset with a card, with the user's own token.

The token is that of huggingface_hub: HF_TOKEN, or the one that `hf auth login` has stored. It goes into requests to the
Hub and nowhere else.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from code_tasks.scoring.dataset_card import DATA_FILE, PACKAGE, TAG, CardFacts, card, own_version, plain_text
from code_tasks.scoring.estimates import DEFAULT_KS
from code_tasks.scoring.tables import LISTS, NUMBERS, parquet
from sandboxes.outcome_labels import NOT_RUN
from sandboxes.validation import printable, short_repr

CARD_FILE, SUMMARY_FILE = "README.md", "summary.json"
REPO_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9_][\w.-]*", re.ASCII)
EMPTY = {".gitattributes"}
"""Files of a dataset that was only just created."""

MAX_REASON_CHARS = 500
VERDICT_FIELDS = ("task_id", "outcome", "grading", "duplicate_of", *NUMBERS, *(set(LISTS) - {"tests"}))
"""Fields that hold no text of a candidate or of a test."""

REASONS: Mapping[int | None, str] = {
    400: "the Hub refuses the dataset",
    401: "the Hub does not accept the token; `hf auth login` stores a new one, and HF_TOKEN goes before it",
    403: "the token may not write there; it needs the permission to write to repositories of this owner",
    404: "there is no such place on the Hub that the token may write to",
    409: "somebody else changes this dataset, or has created it meanwhile",
    412: "somebody else has changed this dataset meanwhile",
    413: "the results are too large for the Hub; with programs=False they are smaller",
    429: "the Hub has had too many requests; try again later",
}
"""The meanings of the Hub's statuses."""

BROKEN = "the Hub has a problem; try again later"
"""The meaning of all statuses from 500 on."""


class HubUploadError(Exception):
    """Results could not be uploaded. The message says why, and never has the token."""


@dataclass(frozen=True)
class HubDataSet:
    """A dataset of results on the Hub."""

    repo_id: str
    """"OWNER/NAME"."""

    token: str | None = field(default=None, repr=False)
    """None: huggingface_hub's own."""

    private: bool = True
    """True: only its owner and those whom the owner lets in can see it."""

    overwrite: bool = False
    """True: results that this project has uploaded before are replaced. No other dataset ever is."""

    def __post_init__(self) -> None:
        """Raise ValueError for an invalid id."""
        if not isinstance(self.repo_id, str) or not REPO_ID.fullmatch(self.repo_id):
            raise ValueError(f"a dataset on the Hub is named OWNER/NAME, not {short_repr(self.repo_id)}")

    def check(self) -> str | None:
        """Return the commit of the dataset, or None if there is none yet. Called before a run, and before an upload.

        Raises:
            HubUploadError: if there is no token, if it may not write there, or if the dataset must not be overwritten.
        """
        with self._explaining("can't upload to"):
            api = self._api()
            self._check_owner(api.whoami())
            if not api.repo_exists(self.repo_id, repo_type="dataset"):
                return None
            info = api.repo_info(self.repo_id, repo_type="dataset")
        files = {sibling.rfilename for sibling in info.siblings or ()}
        if files - EMPTY and TAG not in (*(info.tags or ()), *(getattr(info.card_data, "tags", None) or ())):
            raise HubUploadError(
                f"{self.repo_id} is a dataset that code-eval did not write; choose another name, or remove it"
            )
        if files - EMPTY and not self.overwrite:
            raise HubUploadError(
                f"{self.repo_id} has results already; choose another name, or allow to replace them (overwrite=True)"
            )
        if self.private and not info.private:
            raise HubUploadError(
                f"{self.repo_id} is public, and the results would be, too; choose another name, or allow it "
                "(private=False)"
            )
        return str(info.sha)

    def upload(self, files: Mapping[str, bytes | Path]) -> str:
        """Write all files in one commit, and return the URL of the dataset.

        Args:
            files: contents, or the paths of files, by their names in the dataset.

        Raises:
            HubUploadError: as `check`, and if the Hub refuses or breaks.
        """
        from huggingface_hub import CommitOperationAdd

        commit = self.check()
        api = self._api()
        if commit is None:
            with self._explaining("can't create"):
                api.create_repo(self.repo_id, repo_type="dataset", private=self.private)
        operations = [
            CommitOperationAdd(name, str(content) if isinstance(content, Path) else content)
            for name, content in files.items()
        ]
        left = "; the dataset is there, and still empty" if commit is None else ""
        with self._explaining("can't write the results to", left):
            api.create_commit(
                self.repo_id, operations, commit_message="Results", repo_type="dataset", parent_commit=commit
            )
        return f"{api.endpoint}/datasets/{self.repo_id}"

    def _api(self) -> Any:
        """Return the client of the Hub. Raises HubUploadError without a token."""
        from huggingface_hub import HfApi, get_token

        token = self.token or get_token()
        if not token:
            raise HubUploadError(
                "there is no token for the Hub; set HF_TOKEN, or store one with `hf auth login`. It needs the "
                "permission to write"
            )
        return HfApi(token=token, library_name=PACKAGE, library_version=own_version())

    def _check_owner(self, account: Mapping[str, Any]) -> None:
        """Raise HubUploadError if a token is for reading alone, or if its account does not know the owner."""
        role = ((account.get("auth") or {}).get("accessToken") or {}).get("role")
        if role == "read":
            raise HubUploadError("the token may only read; `hf auth login` stores one that may write")
        owner = self.repo_id.partition("/")[0]
        names = [str(each.get("name")) for each in (account, *(account.get("orgs") or ()))]
        if owner.lower() not in map(str.lower, names):
            raise HubUploadError(
                f"the token is for {', '.join(map(short_repr, names))}, and {self.repo_id} belongs to {owner!r}"
            )

    @contextmanager
    def _explaining(self, doing: str, left: str = "") -> Iterator[None]:
        """Turn every error into a HubUploadError that says what it means.

        Args:
            doing: the beginning of the message, before the dataset's name.
            left: the end of the message.
        """
        try:
            yield
        except HubUploadError:
            raise
        # The errors of huggingface_hub, of its HTTP clients and of its storage have no base in common.
        except Exception as error:
            first = first_cause(error)
            status = getattr(getattr(first, "response", None), "status_code", None)
            reason = REASONS.get(status) or (BROKEN if status and status >= 500 else self._without_token(f"{first!r}"))
            code = f" ({status})" if status else ""
            # A traceback would show the cause, which may have the token.
            raise HubUploadError(f"{doing} {self.repo_id}: {reason}{code}{left}") from None

    def _without_token(self, text: str) -> str:
        """Return a message of somebody else's, short, printable and without the token."""
        from huggingface_hub import get_token

        for token in filter(None, (self.token, get_token())):
            text = text.replace(token, "***")
        return printable(" ".join(text.split()))[:MAX_REASON_CHARS]


def first_cause(error: BaseException) -> BaseException:
    """Return the first error that led to another one, which may only say that a file was not uploaded."""
    seen = []
    while error.__cause__ is not None and not hasattr(error, "response") and error not in seen:
        seen.append(error)
        error = error.__cause__
    return error


def push_results(
    results: Any,
    target: HubDataSet,
    *,
    texts: Mapping[str, str],
    programs: bool = True,
    limits: Mapping[str, Any] = {},  # noqa: B006 (only read)
    ks: Sequence[int] = DEFAULT_KS,
) -> str:
    """Upload results, and return the URL of their dataset.

    Args:
        results: a `code_tasks.scoring.Results`.
        target: the dataset.
        texts: rows for the card, such as "model" and "benchmark".
        programs: False leaves out everything that candidates and tests wrote: programs, outputs, messages.
        limits: of a candidate.
        ks: as for `CardFacts`.

    Raises:
        HubUploadError: as `HubDataSet.upload`.
    """
    facts = CardFacts.of(results, ks)
    fields = results.fields if programs else [name for name in results.fields if name in VERDICT_FIELDS]
    summary = {
        **{name: plain_text(text) for name, text in texts.items()},
        "metrics": facts.scores(),
        "samples": facts.tally.samples,
        "tasks": len(facts.tally.tasks),
        "outcomes": {str(name or NOT_RUN): count for name, count in facts.tally.outcomes.items()},
        "isolation": list(facts.layers),
        "limits": dict(limits),
        "software": f"{PACKAGE} {own_version()}",
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, DATA_FILE)
        with path.open("wb") as file:
            file.writelines(parquet(fields, results))
        files: dict[str, bytes | Path] = {
            CARD_FILE: card(facts, texts, limits).encode(),
            SUMMARY_FILE: json.dumps(summary, indent=1).encode() + b"\n",
            DATA_FILE: path,
        }
        return target.upload(files)
