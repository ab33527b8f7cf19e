"""Short hashes of lines, as editing tools show them beside the lines: ``5#VK`` or ``12:9f``.

A tool shows eight bits of a hash. As two letters they are of XXH32, of the line without any blank or without those at
its end; then the seed of a line without letters and digits is its number. As two hexadecimal digits they are of XXH32
or FNV-1a, of the line without any blank.
"""

from __future__ import annotations

_LETTERS = "ZPMQVRWSNKTXJBYH"
_MASK = 0xFFFFFFFF
_P1, _P2, _P3, _P4, _P5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393


def fits(hash_: str, line: str, number: int) -> bool:
    """Return whether a tool would show this hash beside the line of this number, from 1."""
    solid, trimmed = "".join(line.split()).encode(), line.rstrip().encode()
    seed = 0 if any(map(str.isalnum, line)) else number
    letters = (xxh32(solid) & 0xFF, xxh32(trimmed, seed) & 0xFF)
    digits = (xxh32(solid) & 0xFF, _fnv1a(solid) & 0xFF)
    return hash_ in {_LETTERS[byte >> 4] + _LETTERS[byte & 15] for byte in letters} | {f"{b:02x}" for b in digits}


def hash_of(line: str) -> str:
    """Return the hash of a line as two hexadecimal digits."""
    return f"{xxh32(''.join(line.split()).encode()) & 0xFF:02x}"


def xxh32(data: bytes, seed: int = 0) -> int:
    """Return the hash XXH32 of some bytes."""
    at, size = 0, len(data)
    # By the specification of xxHash: from 16 bytes on four lanes of four bytes each, then words, then single bytes.
    if size >= 16:
        lanes = [seed + _P1 + _P2, seed + _P2, seed, seed - _P1]
        while at <= size - 16:
            for lane in range(4):
                word = int.from_bytes(data[at : at + 4], "little")
                lanes[lane] = _turned(lanes[lane] + word * _P2, 13) * _P1 & _MASK
                at += 4
        total = sum(_turned(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True))
    else:
        total = seed + _P5
    total += size
    while at <= size - 4:
        total = _turned(total + int.from_bytes(data[at : at + 4], "little") * _P3, 17) * _P4
        at += 4
    for byte in data[at:]:
        total = _turned(total + byte * _P5, 11) * _P1
    total &= _MASK
    total = (total ^ total >> 15) * _P2 & _MASK
    total = (total ^ total >> 13) * _P3 & _MASK
    return total ^ total >> 16


def _turned(word: int, by: int) -> int:
    """The 32 low bits of a number, rotated to the left."""
    word &= _MASK
    return (word << by | word >> 32 - by) & _MASK


def _fnv1a(data: bytes) -> int:
    value = 0x811C9DC5
    for byte in data:
        value = (value ^ byte) * 0x01000193 & _MASK
    return value
