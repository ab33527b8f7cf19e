"""The samples of `docs/context.md`, run as they stand over small files, print what stands below them."""

import re
from pathlib import Path

import pytest
from test_context_map import FILES
from test_context_tree import CODE

PAGE = (Path(__file__).parents[2] / "docs/context.md").read_text(encoding="utf-8")
SAMPLES = re.findall(r"^```python\n(.*?)^```\n\n^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("source", "said"), SAMPLES)
def test_a_sample_prints_what_stands_below_it(
    source: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for path, text in {**FILES, "shelf.py": CODE}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    exec(compile(source, "context.md", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out.rstrip("\n") == said.rstrip("\n")


def test_all_samples_were_found() -> None:
    assert len(SAMPLES) == PAGE.count("```python")
