"""Bytes ↔ text: exact, or refused with the reason."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.model.codes import Code
from dovetail.model.errors import WorkspaceError
from dovetail.workspace.encoding import Decoded, Encoding, Undecodable, decode, encode

TEXTS = [
    (b"", "", Encoding.UTF_8),
    (b"a\r\nb\n", "a\r\nb\n", Encoding.UTF_8),
    ("é\u2028日".encode(), "é\u2028日", Encoding.UTF_8),
    (codecs.BOM_UTF8, "", Encoding.UTF_8_BOM),
    (codecs.BOM_UTF8 + b"a", "a", Encoding.UTF_8_BOM),
    (codecs.BOM_UTF8 * 2 + b"a", "\ufeffa", Encoding.UTF_8_BOM),
    (codecs.BOM_UTF16_LE + "aé\n".encode("utf-16-le"), "aé\n", Encoding.UTF_16_LE),
    (codecs.BOM_UTF16_BE + "a😀\r\n".encode("utf-16-be"), "a😀\r\n", Encoding.UTF_16_BE),
    (codecs.BOM_UTF16_LE, "", Encoding.UTF_16_LE),
]

NO_TEXTS = [
    (b"a\0b", Code.BINARY),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Code.BINARY),
    ("abc".encode("utf-16-le"), Code.BINARY),  # no BOM: never guessed
    (codecs.BOM_UTF32_LE + "a".encode("utf-32-le"), Code.BINARY),
    (codecs.BOM_UTF32_BE + "a".encode("utf-32-be"), Code.BINARY),
    (codecs.BOM_UTF16_LE + "a\0".encode("utf-16-le"), Code.BINARY),
    ("café".encode("latin-1"), Code.ENCODING),
    (b"ok\n\xff\xfe", Code.ENCODING),
    (b"\xed\xa0\x80", Code.ENCODING),  # half a surrogate pair
    (b"\xc0\x80", Code.ENCODING),  # an overlong NUL
    (codecs.BOM_UTF16_LE + b"a", Code.ENCODING),
    (codecs.BOM_UTF16_LE + b"\x00\xd8", Code.ENCODING),
    ("日本".encode("shift-jis"), Code.ENCODING),
]


@pytest.mark.parametrize(("data", "text", "encoding"), TEXTS)
def test_reads_text_and_writes_the_same_bytes(data: bytes, text: str, encoding: Encoding) -> None:
    assert decode(data) == Decoded(text, encoding)
    assert encode(text, encoding, "f") == data


@pytest.mark.parametrize(("data", "code"), NO_TEXTS)
def test_says_why_bytes_are_no_text(data: bytes, code: Code) -> None:
    read = decode(data)
    assert isinstance(read, Undecodable)
    assert read.code is code
    assert read.detail.endswith(".")


def test_names_the_byte_and_line_that_do_not_fit() -> None:
    read = decode(codecs.BOM_UTF8 + b"one\ntwo\ncaf\xe9\n")
    assert isinstance(read, Undecodable)
    assert "byte 14 (line 3)" in read.detail


@pytest.mark.parametrize("encoding", list(Encoding))
@pytest.mark.parametrize("text", ["a\ud800b", "a\0b"], ids=ascii)
def test_refuses_text_that_would_not_read_back(text: str, encoding: Encoding) -> None:
    with pytest.raises(WorkspaceError) as raised:
        encode(text, encoding, "f.txt")
    assert raised.value.code == "encoding"
    assert "`f.txt`" in raised.value.message


def test_a_file_without_bom_gets_none() -> None:
    assert encode("\ufeffa", Encoding.UTF_8, "f") == b"a"


@settings(max_examples=300)
@given(
    st.one_of(
        st.binary(max_size=40),
        st.text(max_size=20).map(lambda t: codecs.BOM_UTF16_LE + t.encode("utf-16-le", "surrogatepass")),
    )
)
def test_whatever_decodes_encodes_back_to_the_same_bytes(data: bytes) -> None:
    match decode(data):
        case Decoded(text, encoding):
            assert encode(text, encoding, "f") == data
        case Undecodable(code, _):
            assert code in (Code.BINARY, Code.ENCODING)
