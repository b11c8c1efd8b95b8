"""What a shared library is linked to, read from its file."""

from __future__ import annotations

import struct

_LOAD, _DYNAMIC = 1, 2
_NEEDED, _STRING_TABLE, _RPATH, _RUNPATH = 1, 5, 15, 29


def read_dependencies(data: bytes) -> tuple[list[str], list[str]]:
    """The names of the libraries that a 64-bit ELF file needs, and the folders in
    which it looks for them. Two empty lists for any other file."""
    try:
        return _read(data)
    except (struct.error, ValueError, IndexError):
        return [], []


def _read(data: bytes) -> tuple[list[str], list[str]]:
    if data[:6] != b"\x7fELF\x02\x01":
        return [], []
    (headers,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    segments = [
        struct.unpack_from("<IIQQQQ", data, headers + i * size) for i in range(count)
    ]

    def to_offset(address: int) -> int:
        for kind, _, offset, start, _, length in segments:
            if kind == _LOAD and start <= address < start + length:
                return int(offset + address - start)
        raise ValueError("no segment holds the address")

    entries = []
    for kind, _, offset, _, _, length in segments:
        if kind == _DYNAMIC:
            entries = list(struct.iter_unpack("<qQ", data[offset : offset + length]))
    table = [value for tag, value in entries if tag == _STRING_TABLE]
    if not table:
        return [], []
    strings = to_offset(table[0])

    def text(offset: int) -> str:
        start = strings + offset
        return data[start : data.index(b"\0", start)].decode()

    needed = [text(value) for tag, value in entries if tag == _NEEDED]
    folders = [text(value) for tag, value in entries if tag in (_RPATH, _RUNPATH)]
    return needed, [folder for joined in folders for folder in joined.split(":")]
