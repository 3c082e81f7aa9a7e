# SPDX-License-Identifier: Apache-2.0
"""Commands on cells that ran: %save to a script or a notebook, %rerun."""

import os
import sys

import _tilelab_host as host

from .._session.notebooks import notebook_of, script_of
from .._session.source import register
from .._session.view import View, reject_if

_ENDS = ("exit", "quit", "exit()", "quit()")


class Cell:
    def __init__(self, session, line, text, output):
        self.session, self.line, self.text, self.output = session, line, text, output


def is_range(word):
    """3, 5-7, 5-, ~1/2-4, ~1/: as in %history."""
    session, slash, lines = word.rpartition("/")
    if slash and not (session[:1] == "~" and session[1:].isdigit()):
        return False
    return bool(lines or slash) and set(lines) <= set("0123456789-") and (not lines or lines[0].isdigit())


def cells_in(ranges):
    """The cells that the ranges name, in order."""
    earlier = any(word.startswith("~") for word in ranges)
    entries = [Cell(*entry) for entry in host.history(earlier)]
    current = entries[-1].session if entries else 0
    chosen = []
    for word in ranges:
        reject_if(not is_range(word), f"{word} is not a range of cells, such as 3 or 5-7, or ~1/ (the last session)")
        session, _, lines = word.rpartition("/")
        first, dash, last = lines.partition("-")
        low = int(first) if first else 1
        high = int(last) if last else low if first and not dash else sys.maxsize
        wanted = current - int(session[1:]) if session else current
        found = [cell for cell in entries if cell.session == wanted and low <= cell.line <= high]
        reject_if(not found, f"there is no cell {word}")
        chosen.extend(found)
    return chosen


def _is_notebook(path):
    return path.endswith(".ipynb")


def command_save(shell, call):
    reject_if(not call.args, "%save needs a file: %save work.py, %save work.ipynb, %save kernel.py 3 5-7")
    path = os.path.expanduser(call.args[0])
    if not os.path.splitext(path)[1]:
        path += ".py"
    reject_if(_is_notebook(path) and call.has("-a"), "-a is for scripts; a notebook is always overwritten")
    # The last cell is the one with this command: leave it out.
    cells = cells_in(call.args[1:]) if call.args[1:] else [Cell(*entry) for entry in host.history(False)][:-1]
    reject_if(not cells, "no cells yet")
    if os.path.exists(path) and not (call.has("-f") or call.has("-a")):
        reject_if(not host.has_input(), f"{path} exists; %save -f overwrites it")
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


# These prompt a person, or would overwrite files that the replayed session has saved.
_NOT_AGAIN = ("rerun", "save", "load", "edit", "paste")


def _command_of(cell):
    """The name of the command in a cell."""
    text = cell.text.lstrip()
    return text[1:].split(None, 1)[0] if text[:1] in ("%", ":") and text[1:].strip() else ""


def command_rerun(shell, call):
    """Reports a failing cell and continues with the others."""
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
    rest = f"; failed: {', '.join(failed)}" if failed else ""
    names = list(dict.fromkeys("%" + _command_of(cell) for cell in left_out))
    rest += f"; omitted: {', '.join(names)}" if names else ""
    return View(f"{len(cells)} cell{'s' if len(cells) != 1 else ''} ran again{rest}\n")
