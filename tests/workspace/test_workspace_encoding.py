"""Bytes ↔ text: exact, or refused with the reason."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.model.codes import Code
from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.workspace.charsets import Charsets
from dovetail.workspace.encoding import Decoded, Encoding, Undecodable, check_encoding, decode, encode

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
    (codecs.BOM_UTF16_LE + b"a", Code.ENCODING),
    (codecs.BOM_UTF16_LE + b"\x00\xd8", Code.ENCODING),
    (b"caf\xe9\x01", Code.ENCODING),  # no text has such control characters
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


@pytest.mark.parametrize(
    "data",
    [b"caf\xe9", b"ok\n\xff\xfe", b"\xed\xa0\x80", b"\xc0\x80", "日本".encode("shift-jis"), "中文 x".encode("gbk")],
)
def test_bytes_whose_encoding_nobody_names_stand_for_themselves(data: bytes) -> None:
    read = decode(data)
    assert isinstance(read, Decoded)
    assert read.encoding == Encoding.BYTES
    assert "".join(sign for sign in read.text if sign.isascii()).encode() == bytes(byte for byte in data if byte < 0x80)
    assert encode(read.text, read.encoding, "f") == data
    with pytest.raises(WorkspaceError, match=r"holds U\+00E9, which"):
        encode(read.text + "é", read.encoding, "f")


NAMED = {
    "python": (b"#!/usr/bin/python\n# -*- coding: cp1252 -*-\nx = '\x80'\n", "cp1252"),
    "vim": (b'/* vim: set fileencoding=latin1 : */\nchar *x = "\xe9";\n', "iso8859-1"),
    "xml": ("<?xml version='1.0' encoding='Shift_JIS'?>\n<a>ア</a>\n".encode("shift_jis"), "shift_jis"),
    "css": (b'@charset "iso-8859-1";\na::before { content: "\xe9" }\n', "iso8859-1"),
    "although it would be UTF-8": ("# coding: latin-1\nx = 'é'\n".encode(), "iso8859-1"),
}


@pytest.mark.parametrize("name", NAMED)
def test_the_files_own_first_lines_name_its_encoding(name: str) -> None:
    data, codec = NAMED[name]
    read = decode(data)
    assert read == Decoded(data.decode(codec), codec)
    assert encode(data.decode(codec), codec, "f") == data


NOT_NAMED = [
    b"x = 1\n\n# coding: latin-1\ny = '\xe9'\n",  # in the third line
    b"open(f, encoding='latin-1')\n# \xe9\n",  # no comment
    b"# coding: utf-8\n# \xe9\n",
    b"# coding: klingon\n# \xe9\n",
    b"# coding: shift_jis\n" + b"# \x81\n",  # it is none
]


@pytest.mark.parametrize("data", NOT_NAMED)
def test_nothing_else_names_it(data: bytes) -> None:
    read = decode(data)
    assert isinstance(read, Decoded)
    assert read.encoding == Encoding.BYTES


def test_what_is_utf_8_beyond_ascii_is_no_other_encoding() -> None:
    assert decode("é".encode(), lambda: "cp1252") == Decoded("é", Encoding.UTF_8)
    assert decode(b"e", lambda: "cp1252") == Decoded("e", "cp1252")
    assert decode(b"\xe9", lambda: "cp1252") == Decoded("é", "cp1252")


def test_an_encoding_that_is_none_is_refused() -> None:
    assert (check_encoding("UTF-8"), check_encoding("Latin1")) == ("", "iso8859-1")
    for name in ("klingon", "base64", "idna", "utf-7", "rot13"):
        with pytest.raises(UsageError, match=name):
            check_encoding(name)


EDITORCONFIG = """\
root = true
[*]
indent_size = 4
[*.{c,h}]
charset = latin1
[src/**.txt]
charset = shift_jis ; as the old tools want it
[!*]
charset = utf-8
"""


def test_an_editorconfig_names_the_encoding_of_files(tmp_path: Path) -> None:
    (tmp_path / ".editorconfig").write_text(EDITORCONFIG)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / ".editorconfig").write_text("[*.h]\ncharset = cp1252\n")
    wanted = {"a.c": "iso8859-1", "src/a.c": "iso8859-1", "src/a.h": "cp1252", "src/x.txt": "shift_jis"}
    charsets = Charsets(tmp_path)
    for path, codec in {**wanted, "x.txt": Encoding.BYTES}.items():
        read = charsets.decode(b"\xb1", path)
        assert isinstance(read, Decoded)
        assert read.encoding == codec, path
    assert Charsets(tmp_path, "gbk").decode("中".encode("gbk"), "a.c") == Decoded("中", "gbk")


def test_an_editorconfig_that_takes_for_ever_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".editorconfig").write_text(f"[{'*a' * 12}b]\ncharset = latin1\n")
    read = Charsets(tmp_path).decode(b"\xb1", "a" * 200)
    assert isinstance(read, Decoded)
    assert read.encoding == Encoding.BYTES
    (tmp_path / "sub").mkdir()
    os.mkfifo(tmp_path / "sub/.editorconfig")
    assert isinstance(Charsets(tmp_path).decode(b"\xb1", "sub/a"), Decoded)


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
