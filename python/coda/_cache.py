"""Compiled programs on disk.

An entry is one file, named by a hash of everything that decides what is in it. It
is written under another name and then renamed, so that no reader ever sees half
of one, and begins with a hash of the rest, so that a damaged one is noticed: it
is made again. Processes that compile the same thing at the same time write the
same file, one after the other.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import sys
import tempfile
import warnings
from typing import Any

_MAGIC = b"coda-cache 1\n"
_DIGEST = 32


def directory() -> pathlib.Path | None:
    """Where entries are: CODA_CACHE_DIR, else the platform's folder for caches.
    None if CODA_CACHE_DIR is empty: there is no cache."""
    named = os.environ.get("CODA_CACHE_DIR")
    if named is not None:
        return pathlib.Path(named).absolute() if named else None
    home = pathlib.Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "coda"
    base = os.environ.get("XDG_CACHE_HOME", "")
    # A relative path there is to be ignored, says the convention.
    return (pathlib.Path(base) if os.path.isabs(base) else home / ".cache") / "coda"


def make_key(**parts: Any) -> str:
    """A name for what is made of `parts`."""
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:40]


def pack(texts: dict[str, Any]) -> bytes:
    """One entry, or the content of a bundle."""
    payload = json.dumps(texts).encode()
    return _MAGIC + hashlib.blake2b(payload, digest_size=_DIGEST).digest() + payload


def unpack(data: bytes) -> dict[str, Any] | None:
    """What was packed, or None if the data is damaged or no such thing."""
    start = len(_MAGIC) + _DIGEST
    payload = data[start:]
    digest = hashlib.blake2b(payload, digest_size=_DIGEST).digest()
    if data[:start] != _MAGIC + digest:
        return None
    texts = json.loads(payload)
    return texts if isinstance(texts, dict) else None


def _path(key: str) -> pathlib.Path | None:
    folder = directory()
    return None if folder is None else folder / f"{key}.coda"


def load(key: str) -> dict[str, Any] | None:
    """The entry, or None if there is none that can be used."""
    path = _path(key)
    try:
        return None if path is None else unpack(path.read_bytes())
    except (OSError, ValueError):
        return None


_warned: set[str] = set()


def store(key: str, texts: dict[str, Any]) -> None:
    """Writes an entry. A folder that cannot be written is warned of once."""
    path = _path(key)
    if path is not None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, pack(texts))
        except OSError as error:
            if str(path.parent) not in _warned:
                _warned.add(str(path.parent))
                warnings.warn(
                    f"coda: the cache {path.parent} cannot be written "
                    f"({error.strerror}); CODA_CACHE_DIR names another folder, or "
                    "none if it is empty",
                    stacklevel=2,
                )


def write(path: pathlib.Path, data: bytes) -> None:
    """Puts a whole file in place of whatever is there."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
