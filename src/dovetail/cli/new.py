"""`dovetail new`: lists starter templates, and begins a project from one."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

from dovetail.cli import words
from dovetail.cli.inputs import Location, location_of
from dovetail.cli.output import DoneReport, Exit, print_json, reporting
from dovetail.cli.screen import Screen, Styled, TextStyle
from dovetail.cli.terminal import NOBODY
from dovetail.model.errors import UsageError
from dovetail.session import templates
from dovetail.session.conversation.participants import Model
from dovetail.session.templates import (
    NewProject,
    Template,
    choose_template,
    copy_into,
    files_of,
    make_project,
    template_from,
)


def new_command(args: argparse.Namespace) -> Exit:
    """`dovetail new [TEMPLATE] [DIR]`."""
    if args.template is None and args.source is None:
        return _list(args)
    location = location_of(args)
    variables: dict[str, str] = {}
    for text in args.var:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"--var {text} sets nothing.", hint="Write --var NAME=VALUE")
        variables[name] = value
    if args.source is not None:
        if args.folder is not None:
            hint = f"Leave out `{args.template}`: dovetail new --from {args.source} {args.folder}"
            raise UsageError("A template and --from were both given.", hint=hint)
        # With --from the template is named already, so the one word left is the folder.
        with template_from(args.source, location.folder) as template:
            project = make_project(template, _folder(location, args.template), variables, with_git=not args.no_git)
    else:
        folder = _folder(location, args.folder)
        project = make_project(templates.load(args.template), folder, variables, with_git=not args.no_git)
    with reporting(DoneReport(f"Made {words.count(len(project.paths), 'file')} in {project.folder}")):
        _draw(args, project)
    return Exit.OK


def _folder(location: Location, named: str | None) -> Path:
    if not named:
        raise UsageError("No folder was named.", hint="For example: dovetail new python-package my-project")
    return (location.folder / named).resolve()


def _list(args: argparse.Namespace) -> Exit:
    known = templates.shipped()
    if args.json:
        records = [
            {
                "name": template.name,
                "summary": template.summary,
                "variables": {v.name: {"default": v.default, "summary": v.summary} for v in template.variables},
            }
            for template in known
        ]
        print_json({"command": "new", "templates": records})
        return Exit.OK
    screen = Screen.of(sys.stdout)
    for template in known:
        screen.line(Styled(f"{template.name:<20}", TextStyle.TITLE), template.summary)
        for variable in template.variables:
            screen.line(" " * 20, f"--var {variable.name}=…  {variable.summary}")
    screen.line("To begin a project: dovetail new TEMPLATE DIR")
    return Exit.OK


def _draw(args: argparse.Namespace, project: NewProject) -> None:
    template, folder = project.template, project.folder
    if args.json:
        print_json(
            {
                "command": "new",
                "template": template.name,
                "folder": str(folder),
                "paths": list(project.paths),
                "commit": project.commit,
                "note": project.note,
            }
        )
        return
    screen = Screen.of(sys.stdout)
    for path in project.paths:
        screen.line("  ", path)
    commit = f", and committed them as {project.commit[:12]}" if project.commit else ""
    screen.line(f"Made {words.count(len(project.paths), 'file')} in {folder}{commit}.")
    if project.note:
        screen.line(project.note)
    if template.begin and folder != Path.cwd():
        there = os.path.relpath(folder)
        screen.line("  $ ", f"cd {shlex.quote(f'./{there}' if there.startswith('-') else there)}")
    for command in template.begin:
        screen.line("  $ ", command)


def begin_from_template(
    args: argparse.Namespace, location: Location, request: str, model: Model, name: str
) -> list[str]:
    """Copy the template that `ask` begins from into the folder; return its text files as a person types them."""
    template = _chosen(args, request, model, name)
    project = copy_into(template, location.folder, {}, again=True)
    copied, existed = len(project.paths) - len(project.existed), len(project.existed)
    already = f" There already: {words.count(existed, 'file')}." if existed else ""
    sys.stderr.write(f"Copied the template {template.name}: {words.count(copied, 'file')}.{already}\n")
    return list(project.texts)


def refuse_template(args: argparse.Namespace, location: Location, request: str, model: Model, name: str) -> None:
    """Show what would be copied, if nobody can be asked. Raises `UsageError`."""
    template = _chosen(args, request, model, name)
    if not args.json:
        screen = Screen.of(sys.stdout)
        for path in sorted(files_of(template, location.folder, {})):
            screen.line("  ", path)
        screen.line(f"The template {template.name} would be copied, and the model asked.")
    raise UsageError(NOBODY, hint="Add --yes.")


def _chosen(args: argparse.Namespace, request: str, model: Model, name: str) -> Template:
    if args.template == "auto":
        return templates.load(choose_template(request, templates.shipped(), model, name).name)
    return templates.load(args.template)
