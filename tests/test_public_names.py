"""Every name that a package shows at its door says in a docstring what a caller must know."""

import importlib
import inspect
import pkgutil

import pytest

import dovetail

DOORS = ["dovetail", *(f"dovetail.{module.name}" for module in pkgutil.iter_modules(dovetail.__path__) if module.ispkg)]
SHOWN = [(door, name) for door in DOORS for name in getattr(importlib.import_module(door), "__all__", ())]


@pytest.mark.parametrize(("door", "name"), SHOWN)
def test_a_public_name_is_documented(door: str, name: str) -> None:
    shown = getattr(importlib.import_module(door), name)
    if not inspect.isroutine(shown) and not inspect.isclass(shown):
        return  # a module or a table; its comment stands beside it
    undocumented = [shown] if not inspect.getdoc(shown) else []
    if inspect.isclass(shown):
        undocumented += [
            method
            for key, method in vars(shown).items()
            if inspect.isfunction(method) and not key.startswith("_") and not inspect.getdoc(method)
        ]
    assert undocumented == []
