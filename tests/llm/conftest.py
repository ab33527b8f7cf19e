"""The mark `model`: tests that ask a real model run when they are asked for by ``-m model``, and not otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from local_model import Unavailable, local_model

_NOT_ASKED = "asks a real local model; run with -m model"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "model: asks a real local model, which may have to be fetched (180 MB)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "model" in config.getoption("markexpr"):
        return
    for item in items:
        if item.get_closest_marker("model") is not None:
            item.add_marker(pytest.mark.skip(reason=_NOT_ASKED))


@pytest.fixture(scope="session")
def model_url() -> Iterator[str]:
    """Base URL of a running local model."""
    try:
        with local_model() as url:
            yield url
    except Unavailable as why:
        pytest.skip(str(why))
