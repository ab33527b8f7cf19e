"""`dovetail new`: lists starter templates, and begins a project from one."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

from dovetail.cli import words
from dovetail.cli.inputs import Location, location_of
from dovetail.cli.output import Effect, Exit, print_json, reporting
from dovetail.cli.screen import Screen, Style, Styled
from dovetail.cli.terminal import NOBODY
from dovetail.model.errors import UsageError
from dovetail.session import templates
from dovetail.session.new_project import (
    NewProject,
    choose_by_model,
    choose_by_words,
    copy_into,
    files_of,
    make_project,
    template_from,
)
from dovetail.session.participants import Model
from dovetail.session.templates import Template

_AUTO = "auto"


def new_command(stated: argparse.Namespace) -> Exit:
    """`dovetail new [TEMPLATE] [DIR]`."""
    if stated.template is None and stated.source is None:
        return _list(stated)
    place = location_of(stated)
    variables = _variables(stated.var)
    if stated.source is not None:
        if stated.folder is not None:
            hint = f"Leave out `{stated.template}`: dovetail new --from {stated.source} {stated.folder}"
            raise UsageError("A template and --from were both given.", hint=hint)
        # With --from the template is named already, so the one word left is the folder.
        with template_from(stated.source, place.folder) as template:
            made = make_project(template, _folder(place, stated.template), variables, with_git=not stated.no_git)
    else:
        folder = _folder(place, stated.folder)
        made = make_project(templates.load(stated.template), folder, variables, with_git=not stated.no_git)
    return _tell(stated, made)


def _folder(place: Location, named: str | None) -> Path:
    if not named:
        raise UsageError("No folder was named.", hint="For example: dovetail new python-package my-project")
    return (place.folder / named).resolve()


def _variables(stated: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in stated:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"--var {text} sets nothing.", hint="Write --var NAME=VALUE")
        found[name] = value
    return found


def _list(stated: argparse.Namespace) -> Exit:
    known = templates.shipped()
    if stated.json:
        print_json(
            {
                "command": "new",
                "templates": [
                    {
                        "name": template.name,
                        "summary": template.summary,
                        "variables": {v.name: {"default": v.default, "summary": v.summary} for v in template.variables},
                    }
                    for template in known
                ],
            }
        )
        return Exit.OK
    screen = Screen.of(sys.stdout)
    for template in known:
        screen.line(Styled(f"{template.name:<20}", Style.TITLE), template.summary)
        for variable in template.variables:
            screen.line(" " * 20, f"--var {variable.name}=…  {variable.summary}")
    screen.line("To begin a project: dovetail new TEMPLATE DIR")
    return Exit.OK


def _tell(stated: argparse.Namespace, made: NewProject) -> Exit:
    files = words.count(len(made.paths), "file")
    with reporting(Effect(f"Made {files} in {made.folder}")):
        _draw(stated, made)
    return Exit.OK


def _draw(stated: argparse.Namespace, made: NewProject) -> None:
    if stated.json:
        print_json(
            {
                "command": "new",
                "template": made.template.name,
                "folder": str(made.folder),
                "paths": list(made.paths),
                "commit": made.commit,
                "note": made.note,
            }
        )
        return
    screen = Screen.of(sys.stdout)
    for path in made.paths:
        screen.line("  ", path)
    commit = f", and committed them as {made.commit[:12]}" if made.commit else ""
    screen.line(f"Made {words.count(len(made.paths), 'file')} in {made.folder}{commit}.")
    if made.note:
        screen.line(made.note)
    if made.template.begin and made.folder != Path.cwd():
        there = os.path.relpath(made.folder)
        screen.line("  $ ", f"cd {shlex.quote(f'./{there}' if there.startswith('-') else there)}")
    for command in made.template.begin:
        screen.line("  $ ", command)


def begin_from_template(
    stated: argparse.Namespace, place: Location, request: str, model: Model, name: str
) -> list[str]:
    """Copy the template that a request is to begin from into the folder; the files to hold, as a person types them."""
    chosen = _chosen(stated, request, model, name)
    made = copy_into(chosen, place.folder, {}, again=True)
    copied, there = len(made.paths) - len(made.there), len(made.there)
    said = f"Copied the template {chosen.name}: {words.count(copied, 'file')}."
    sys.stderr.write(said + (f" There already: {words.count(there, 'file')}." if there else "") + "\n")
    return list(made.texts)


def refuse_template(stated: argparse.Namespace, place: Location, request: str, model: Model, name: str) -> None:
    """Show what would be copied where nobody can be asked. Raises `UsageError`."""
    chosen = _chosen(stated, request, model, name)
    if not stated.json:
        screen = Screen.of(sys.stdout)
        for path in sorted(files_of(chosen, place.folder, {})):
            screen.line("  ", path)
        screen.line(f"The template {chosen.name} would be copied, and the model asked.")
    raise UsageError(NOBODY, hint="Add --yes.")


def _chosen(stated: argparse.Namespace, request: str, model: Model, name: str) -> Template:
    chosen = stated.template
    if chosen == _AUTO:
        known = templates.shipped()
        chosen = (choose_by_words(request, known) or choose_by_model(request, known, model, name)).name
    return templates.load(chosen)
