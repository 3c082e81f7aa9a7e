# SPDX-License-Identifier: Apache-2.0
"""Views of a puzzle as text, HTML and data: its page, the list, a hint, the verdict on a kernel."""

import html
import json
import re
import sys
import textwrap

from .. import _core
from .._kernel.shown import Shown
from ..jit import JITImpl
from . import flow, progress
from .judge import sizes_text
from .task import numbers, solution_cell, task

STEPS = 3


def _width():
    host = sys.modules.get("_tilelab_host")
    return min(max((host.width() if host else 0) or 80, 40), 100)


def _speaks_unicode():
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return encoding.lower().replace("-", "") in ("utf8", "utf16", "utf32")


def _filled(text, indent=""):
    return textwrap.fill(" ".join(text.split()), _width(), initial_indent=indent, subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False)


def made_view(text, markup, data, ansi=None):
    text = text.rstrip("\n") + "\n"
    return Shown({"text": text, "ansi": ansi or text, "html": markup, "json": json.dumps(data)})


def budget_text(one):
    """The budget of each kernel in words."""
    out = []
    for part in one.parts:
        out.append(f"{part.kernel}, for {sizes_text(part.full)}:")
        once = [name for name, formula in part.moved.items() if formula == "1"]
        rest = [f"{name} {formula} times" for name, formula in part.moved.items() if formula != "1"]
        moved = ([f"{', '.join(once)} moved once"] if once else []) + rest
        words = "no operations" if part.operations == "0" else f"{part.number(part.operations, part.full):,} operations"
        out.append(f"  {'; '.join(moved)}; {words}")
    return "\n".join(out)


def _state(number):
    entry = progress.read().get(number, {})
    return "within the budget" if entry.get("within") else "solved" if entry.get("solved") else ("tried" if entry.get("tries") else "")


# The styles of messages (core/diagnostics/styled.cpp).
_STYLES = {"1": "font-weight:bold", "1;31": "color:#d9453d;font-weight:bold", "1;32": "color:#3a9a3a;font-weight:bold",
           "31": "color:#d9453d", "34": "color:#808080", "36": "color:#1e8a9e", "90": "color:#808080"}


def _pre(text):
    """Preformatted text, which may have terminal colours."""
    marked = re.sub("\x1b\\[([1-9][0-9;]*)m(.*?)\x1b\\[0m", lambda m: f'<span style="{_STYLES.get(m[1], "")}">{m[2]}</span>',
                    html.escape(text), flags=re.DOTALL)
    marked = re.sub("\x1b\\[[0-9;]*m", "", marked)  # of a style that began on an earlier line
    return f'<pre style="font-family:monospace;margin:0.5em 0">{marked}</pre>'


def _prose(text):
    """One paragraph; text in backticks is code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(" ".join(text.split())))


def page(number):
    """The task, its specification, its drawing and its budget. `.cell` is the code to complete."""
    one = task(number)
    drawn = flow.text(one.flow, _speaks_unicode())
    state = _state(number)
    head = f"Puzzle {number}: {one.title}" + (f"   ({state})" if state else "")
    what_to_do = f"Fill in the cell and run it: %%puzzle {number} checks it. %hint {number} shows hints in three steps."
    text = "\n".join([
        head, "", _filled(one.text), "", "In NumPy:", textwrap.indent(one.spec_text(), "    "), textwrap.indent(drawn, "  "),
        "", "Budget", _filled_lines(budget_text(one)), "", _filled(what_to_do)])
    markup = (f"<div><h3>{html.escape(head)}</h3><p>{_prose(one.text)}</p><div>In NumPy:</div>"
              f"{_pre(one.spec_text())}<div>{flow.svg(one.flow)}</div><div>Budget:</div>"
              f"{_pre(budget_text(one))}<p>{_prose(what_to_do)}</p></div>")
    data = {"puzzle": number, "title": one.title, "text": " ".join(one.text.split()), "spec": one.spec_text(),
            "cell": one.whole_cell, "flow": one.flow, "state": state,
            "parts": [{"kernel": p.kernel, "cases": p.cases, "full": p.full, "moved": p.moved,
                       "operations": p.operations} for p in one.parts]}
    shown = made_view(text, markup, data)
    shown.cell = one.whole_cell
    return shown


def _filled_lines(text):
    return "\n".join(_filled(line, "  " + line[:len(line) - len(line.lstrip())]) for line in text.split("\n"))


def overview():
    """The list of all puzzles with the progress."""
    done = progress.read()
    rows, data = [], []
    for number in numbers():
        entry = done.get(number, {})
        rows.append([str(number), task(number).title, _state(number).replace("the ", ""), str(entry.get("tries", "")),
                     str(entry.get("hints", ""))])
        data.append({"puzzle": number, "title": task(number).title, "state": _state(number),
                     "tries": entry.get("tries", 0), "hints": entry.get("hints", 0)})
    table = _core.views.table([">", "puzzle", "state", ">tries", ">hints"], rows)
    solved = sum(bool(done.get(n, {}).get("solved")) for n in numbers())
    following = next((n for n in numbers() if not done.get(n, {}).get("solved")), None)
    note = f"{solved} of {len(rows)} solved" + (f"; %puzzle {following} is next" if following else "")
    return made_view(table["text"] + note, table["html"] + f"<div>{html.escape(note)}</div>", data, table["ansi"] + note + "\n")


def hint(number, step):
    one = task(number)
    step = min(max(step, 1), STEPS)
    words = one.hints[step - 1]
    more = f"   (%hint {number} again shows more)" if step < STEPS else f"   (%puzzle {number} --solution shows a solution)"
    text = _filled(f"Hint {step} of {STEPS}, puzzle {number}: {words}{more}")
    return made_view(text, f"<div><b>Hint {step} of {STEPS}</b> {_prose(words)}</div>",
                  {"puzzle": number, "step": step, "of": STEPS, "hint": words})


def solution(number):
    """A kernel that is right and within the budget."""
    head, code = f"Puzzle {number}: {task(number).title}, a solution", solution_cell(number)
    return made_view(f"{head}\n\n{code}", f"<div><h3>{html.escape(head)}</h3>{_pre(code)}</div>", {"puzzle": number, "solution": code})


def next_hint(number):
    return min(progress.read().get(number, {}).get("hints", 0) + 1, STEPS)


# ---- the verdict


_COLOUR = re.compile(r"\033\[[\d;]*m")
_EXCERPT = re.compile(r"\s*(\d+ *)?\||\s*(-->|\.\.\.)")


def _fitted(text):
    """Wraps prose to the page; code and its markers stay unchanged."""
    return "\n".join(line if _EXCERPT.match(_COLOUR.sub("", line)) else _core.views.hanging(line) for line in text.split("\n"))


def near_kernel(names):
    """A hint at the last jit function among `names`, which the user likely meant."""
    made = [name for name, value in names.items() if isinstance(value, JITImpl) and not name.startswith("_")]
    return f" (is it {made[-1]}? Keep the given names)" if made else ""


def _headline(number, result):
    return f"puzzle {number}, {result.kernel}({sizes_text(result.failure.sizes)}): {result.failure.line}"


def _failed(number, result, ansi):
    failure = result.failure
    lines = [_headline(number, result)]
    more = failure.more
    if ansi and failure.shown:
        more = "\n".join(failure.shown.split("\n")[1:])
    if more:
        lines += ["  " + line if line else "" for line in more.split("\n")]
    smaller = f"{result.right} smaller size{'s are' if result.right != 1 else ' is'} right" if result.right else ""
    if failure.kind != "missing":
        lines.append(f"  this is the smallest size that fails{'; ' + smaller if smaller else ''}")
    return _fitted("\n".join(lines))


def _scored(result):
    rows = [[f"{row.name} transferred, times", f"{row.times:.4g}", f"{row.allowed:.4g}", _over(row)] for row in result.moved]
    done = result.operations.times
    rows.append(["operations", "not counted" if done is None else f"{done:,.0f}", f"{result.operations.allowed:,.0f}",
                 _over(result.operations)])
    return _core.views.table([result.kernel, ">it did", ">budget", ""], rows)


def _too_much(results):
    """The largest excess over a budget, in words."""
    rows = [(row.times / max(row.allowed, 1e-9), r, row) for r in results for row in [*r.moved, r.operations] if not row.within]
    _, result, row = max(rows, key=lambda entry: entry[0])
    if row is result.operations:
        return f"{result.kernel} computes {row.times:,.0f} operations, its budget is {row.allowed:,.0f}"
    return f"{result.kernel} moves {row.name} {row.times:.4g} times, its budget is {row.allowed:.4g}"


def _over(row):
    return "" if row.within else "over the budget"


def _failure_data(result):
    f = result.failure
    return f and {"kind": f.kind, "sizes": f.sizes, "line": f.line, "more": f.more, **f.data}


def verdict(number, results):
    """The result of checking a puzzle; `.solved`, `.within`, `.results`, and `.headline`, its first sentence."""
    wrong = [r for r in results if r.failure]
    solved, within = not wrong, all(r.within for r in results)
    if wrong:
        headline = _headline(number, wrong[0])
        text = "\n".join(_failed(number, r, False) for r in wrong)
        ansi = "\n".join(_failed(number, r, True) for r in wrong)
        markup = "".join(_pre(_failed(number, r, True)) + r.failure.picture for r in wrong)
    else:
        points = min(r.points for r in results)
        head = f"puzzle {number} is solved" + (
            f": {sum(r.right for r in results)} sizes are correct, and no check reports anything\n" if within else
            f", but {_too_much(results)}\n")
        headline = head.rstrip("\n")
        tail = f"memory score {points} of 100" + (", within the budget" if within else
                                                 ": correct, but the kernel can transfer or compute less")
        if number + 1 in numbers():
            tail += f"; %puzzle {number + 1} is next"
        tail += f"; %puzzle {number} --solution shows another"
        tables = [_scored(r) for r in results]
        text = _fitted(head) + "".join(t["text"] for t in tables) + _fitted(tail)
        ansi = _fitted(head) + "".join(t["ansi"] for t in tables) + _fitted(tail)
        markup = f"<div>{html.escape(head)}</div>" + "".join(t["html"] for t in tables) + f"<div>{html.escape(tail)}</div>"
    data = {"puzzle": number, "solved": solved, "within": within,
            "kernels": [{"kernel": r.kernel, "right": r.right, "failure": _failure_data(r), "points": r.points,
                         "moved": {m.name: {"times": m.times, "budget": m.allowed} for m in r.moved},
                         "operations": r.operations and r.operations.times} for r in results]}
    shown = made_view(text, markup, data, ansi.rstrip("\n") + "\n")
    shown.solved, shown.within, shown.results, shown.headline = solved, within, results, headline
    return shown
