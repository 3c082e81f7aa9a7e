# SPDX-License-Identifier: Apache-2.0
"""Commands on cells that ran: %save to a script or a notebook, %rerun."""

import os
import sys

import _tilelab_host as host

from .._session.source import register
from .._session.view import CommandError, View

_ENDS = ("exit", "quit", "exit()", "quit()")


class Cell:
    def __init__(self, session, line, text, output):
        self.session, self.line, self.text, self.output = session, line, text, output


def is_range(word):
    """3, 5-7, 5-, ~1/2-4, ~1/: as %history has them."""
    session, slash, lines = word.rpartition("/")
    if slash and not (session[:1] == "~" and session[1:].isdigit()):
        return False
    return bool(lines or slash) and set(lines) <= set("0123456789-") and (not lines or lines[0].isdigit())


def cells_in(ranges):
    """The cells that the ranges name, in their order."""
    earlier = any(word.startswith("~") for word in ranges)
    entries = [Cell(*entry) for entry in host.history(earlier)]
    current = entries[-1].session if entries else 0
    chosen = []
    for word in ranges:
        if not is_range(word):
            raise CommandError(f"{word} is no range of cells, such as 3 or 5-7, or ~1/ (the last session)")
        session, _, lines = word.rpartition("/")
        first, dash, last = lines.partition("-")
        low = int(first) if first else 1
        high = int(last) if last else low if first and not dash else sys.maxsize
        wanted = current - int(session[1:]) if session else current
        found = [cell for cell in entries if cell.session == wanted and low <= cell.line <= high]
        if not found:
            raise CommandError(f"there is no cell {word}")
        chosen.extend(found)
    return chosen


BETWEEN_CELLS = "# %%"


def script_of(cells):
    """The cells one after the other; with a line between them where a command takes a whole cell."""
    between = f"{BETWEEN_CELLS}\n" if any(cell.text.lstrip().startswith("%%") for cell in cells[1:]) else ""
    return between.join(cell.text if cell.text.endswith("\n") else cell.text + "\n" for cell in cells)


def cells_of_script(text):
    """The cells that script_of() has put together."""
    cells = [[]]
    for line in text.splitlines():
        cells.append([]) if line == BETWEEN_CELLS else cells[-1].append(line)
    return ["\n".join(lines) + "\n" for lines in cells]


def _lines(text):
    return text.rstrip("\n").splitlines(keepends=True)


def _notebook_cell(number, cell):
    result = {"output_type": "execute_result", "execution_count": cell.line, "metadata": {},
              "data": {"text/plain": _lines(cell.output or "")}}
    return {"cell_type": "code", "id": f"cell-{number}", "metadata": {}, "execution_count": cell.line,
            "source": _lines(cell.text), "outputs": [result] if cell.output else []}


def notebook_of(cells):
    return {"nbformat": 4, "nbformat_minor": 5, "cells": [_notebook_cell(i, cell) for i, cell in enumerate(cells)],
            "metadata": {"kernelspec": {"name": "tilelab", "display_name": "tilelab", "language": "python"},
                         "language_info": {"name": "python", "file_extension": ".py"}}}


def texts_of_notebook(path, text=None, text_too=True):
    """The cells of a notebook, or of one with that JSON; those of text as comments."""
    import json

    try:
        if text is None:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        texts = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(text)["cells"]]
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise CommandError(f"{path} is no notebook") from None
    parts = []
    for kind, text in texts:
        if kind != "code":
            text = "".join(f"# {line}".rstrip() + "\n" for line in text.splitlines()) if text_too else ""
        if text.strip():
            parts.append(text.rstrip("\n") + "\n")
    return parts


def cells_of_notebook(path, text=None):
    return "\n".join(texts_of_notebook(path, text))


def _is_notebook(path):
    return path.endswith(".ipynb")


def command_save(shell, call):
    if not call.args:
        raise CommandError("%save needs a file: %save work.py, %save work.ipynb, %save kernel.py 3 5-7")
    path = os.path.expanduser(call.args[0])
    if not os.path.splitext(path)[1]:
        path += ".py"
    if _is_notebook(path) and call.has("-a"):
        raise CommandError("-a is for scripts; a notebook is written anew")
    # Of all cells the one with this command, the last, is left out.
    cells = cells_in(call.args[1:]) if call.args[1:] else [Cell(*entry) for entry in host.history(False)][:-1]
    if not cells:
        raise CommandError("there is no cell yet")
    if os.path.exists(path) and not (call.has("-f") or call.has("-a")):
        if not host.has_input():
            raise CommandError(f"{path} exists, and this front end can't be asked; %save -f writes over it")
        if input(f"{path} exists; overwrite it (y/n)? ").strip().lower() not in ("y", "yes"):
            return View("nothing written\n")
    text = script_of(cells)
    if _is_notebook(path):
        import json

        text = json.dumps(notebook_of(cells), indent=1, ensure_ascii=False) + "\n"
    with open(path, "a" if call.has("-a") else "w", encoding="utf-8") as file:
        file.write(text)
    count = len(cells) if _is_notebook(path) else text.count("\n")
    noun = "cell" if _is_notebook(path) else "line"
    return View(f"wrote {path}, {count} {noun}{'s' if count != 1 else ''}\n")


# These ask a person, or would write over what the session that is repeated has saved.
_NOT_AGAIN = ("rerun", "save", "load", "edit", "paste")


def _command_of(cell):
    """The name of the command that a cell is."""
    text = cell.text.lstrip()
    return text[1:].split(None, 1)[0] if text[:1] in ("%", ":") and text[1:].strip() else ""


def command_rerun(shell, call):
    """A cell that fails is told; the others run all the same, as they did the first time."""
    entries = host.history(False)
    words = call.args or [str(entries[-2][1])] if len(entries) > 1 or call.args else []
    cells = [cell for cell in cells_in(words) if cell.text.strip() not in _ENDS]
    left_out = [cell for cell in cells if _command_of(cell) in _NOT_AGAIN]
    cells = [cell for cell in cells if cell not in left_out]
    failed = []
    for cell in cells:
        outer = shell.cell_name
        name = f"~{cell.session}/{cell.line}" if words[0].startswith("~") else str(cell.line)
        shell.cell_name = register(f"cell {name}, again", cell.text)
        try:
            shell.show_result(shell.run_body(cell.text))
        except Exception as error:
            failed.append(str(cell.line))
            sys.stdout.flush()
            print("\n".join(shell.lines_of(error)), file=sys.stderr)
        finally:
            shell.cell_name = outer
    told = f"; failed: {', '.join(failed)}" if failed else ""
    names = list(dict.fromkeys("%" + _command_of(cell) for cell in left_out))
    told += f"; left out: {', '.join(names)}" if names else ""
    return View(f"{len(cells)} cell{'s' if len(cells) != 1 else ''} ran again{told}\n")
