# SPDX-License-Identifier: Apache-2.0
"""%tutorial: the notebooks of tutorials/. The shell shows one step at a time, text and then a cell to run; a notebook gets a copy of the
file beside it, with a link."""

import functools
import html
import json
import os
import pathlib
import re
import shutil
import textwrap

import _tilelab_host as host

from .. import _core
from .._compiler import markdown
from .._session.view import CommandError, View, reject_if

_DETAILS = re.compile(r"<details><summary>Answer</summary>\n(.*?)</details>", re.S)


class Tutorial:
    """A notebook: .name ("layouts" of 02-layouts.ipynb), .title, and .steps, pairs of Markdown and code."""

    def __init__(self, path):
        self.path, self.group = path, "" if path.parent.name == "tutorials" else path.parent.name
        self.name = re.sub(r"^\d+-", "", path.stem)

    @functools.cached_property
    def steps(self):
        steps, text = [], []
        for cell in json.loads(self.path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code":
                steps.append(("\n\n".join(text), source))
                text = []
            else:
                text.append(source)
        return steps + [("\n\n".join(text), "")] * bool(text)

    @property
    def title(self):
        return markdown.plain(self.steps[0][0]).partition("\n")[0].replace("`", "")


@functools.cache
def tutorials():
    """{name: Tutorial} in order, those of the debugger last; empty if they are not installed."""
    package = pathlib.Path(__file__).resolve().parents[1]
    places = package / "tutorials", package / "_data/tutorials", package.parents[1] / "tutorials"  # installed, of a wheel, of the sources
    folder = next((folder for folder in places if folder.is_dir()), package)
    found = [Tutorial(path) for pattern in ("[0-9]*.ipynb", "debugger/*.ipynb") for path in sorted(folder.glob(pattern))]
    return {one.name: one for one in found}


def _tutorial(word):
    found = tutorials()
    number = f"{int(word):02}-" if word.isdigit() else None
    one = found.get(word) or next((one for one in found.values() if one.path.stem == word or number and one.path.name.startswith(number)), None)
    if one is None:
        import difflib

        near = difflib.get_close_matches(word, found, 1)
        raise CommandError(f"there is no tutorial {word}" + (f"; did you mean {near[0]}?" if near else "; %tutorial lists them"))
    return one


def _list():
    reject_if(not tutorials(), "the tutorials are not installed; they are the notebooks in the folder tutorials of the sources")
    rows = [[one.name, one.group, one.title] for one in tutorials().values()]
    table = _core.views.table(["tutorial", "about", "title"], rows)
    note = "%tutorial NAME opens one"
    data = [{"tutorial": name, "group": group, "title": title} for name, group, title in rows]
    return View(f"{table['text']}{note}\n", f"{table['html']}<div>{note}</div>", data)


def _shown(text):
    """Markdown as text, without the answers of exercises."""
    text = _DETAILS.sub("(%tutorial --answers shows the answer.)", text)
    return markdown.plain(text, min(host.width() or 100, 100) - 1)


def _step(shell, one, number):
    """Shows the text before cell `number` and types the cell at the next prompt."""
    text, code = one.steps[number]
    shell.tutorial_at_hand = one, number
    last = number + 1 == len(one.steps)
    note = "the end" if last else "run the cell, then %tutorial next" if code else "%tutorial next"
    if code:
        host.set_next_input(code, False)
    shown = [_shown(text)] if text else []
    return View("\n\n".join([*shown, f"[{one.name}, step {number + 1} of {len(one.steps)}: {note}]"]) + "\n", None,
                {"tutorial": one.name, "step": number + 1, "of": len(one.steps), "text": text, "code": code})


def _whole(one):
    parts = [part for text, code in one.steps for part in (_shown(text) if text else "", textwrap.indent(code, "    ")) if part]
    return View("\n\n".join(parts) + "\n", None, {"tutorial": one.name, "title": one.title, "steps": one.steps})


def _copy(one, target):
    """A copy of the notebook beside the running one; never overwrites a file."""
    path = pathlib.Path(os.path.expanduser(target or one.path.name))
    known = path.exists() and not target
    if not known:
        try:
            with open(path, "xb") as file, open(one.path, "rb") as source:
                shutil.copyfileobj(source, file)
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}") from None
    words = "is already in this folder: the tutorial" if known else "is a copy of the tutorial"
    link = f'<a href="{html.escape(str(path))}" target="_blank">{html.escape(str(path))}</a>'
    return View(f'{path} {words} "{one.title}"\n', f"<div>{link} {words} <i>{html.escape(one.title)}</i></div>",
                {"tutorial": one.name, "file": str(path), "new": not known})


def command_tutorial(shell, call):
    one, number = getattr(shell, "tutorial_at_hand", (None, 0))
    reject_if(len(call.args) > 1, "%tutorial takes one name")
    goes_on = call.args == ["next"]
    if call.args and not goes_on:
        one, number = shell.tutorial_at_hand = _tutorial(call.args[0]), -1
    if not call.args and not call.options.keys() - {"--json"}:
        return _list()
    reject_if(one is None, "no tutorial is open: %tutorial NAME opens one")
    if call.has("--notebook"):
        return _copy(one, call.options["--notebook"])
    if call.has("--answers"):
        answers = _DETAILS.findall("\n".join(text for text, _ in one.steps))
        reject_if(not answers, f"{one.name} has no exercises")
        return View("\n\n".join(f"Exercise {n}:\n\n{_shown(text)}" for n, text in enumerate(answers, 1)) + "\n", None, answers)
    if call.has("--text"):
        return _whole(one)
    reject_if(number + 1 == len(one.steps), f"that was the last step of {one.name}; %tutorial lists the others")
    return _copy(one, None) if host.request_header() and not goes_on else _step(shell, one, number + 1)
