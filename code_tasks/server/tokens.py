"""The tokens of clients, as the owner of a server gives them."""

from __future__ import annotations

import re
from collections.abc import Iterable

MIN_TOKEN_CHARS = 16
NAMED_TOKEN = re.compile(r"(?P<name>[A-Za-z0-9_.-]{1,32}):(?P<secret>.+)", re.DOTALL)


def parse_tokens(texts: Iterable[str]) -> dict[str, str]:
    """Return {name: secret} from texts such as "SECRET" or "NAME:SECRET". The first has the name "token-1".

    Raises:
        ValueError: if a secret is too short or is given twice. The message does not have it.
    """
    tokens: dict[str, str] = {}
    for number, text in enumerate(texts, start=1):
        match = NAMED_TOKEN.fullmatch(text)
        name, secret = (match["name"], match["secret"]) if match else (f"token-{number}", text)
        if len(secret) < MIN_TOKEN_CHARS or not (secret.isascii() and secret.isprintable()) or " " in secret:
            raise ValueError(
                f"token {number} must have at least {MIN_TOKEN_CHARS} characters of ASCII, without spaces: "
                'python -c "import secrets; print(secrets.token_urlsafe())" makes one'
            )
        if name in tokens or secret in tokens.values():
            raise ValueError(f"token {number} has the name or the secret of another one")
        tokens[name] = secret
    return tokens
