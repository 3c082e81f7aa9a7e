# SPDX-License-Identifier: Apache-2.0
"""%puzzle, %%puzzle and %hint."""

import ast

import _tilelab_host as host

from .._session.view import CommandError, reject_if
from .arguments import view


def _number(word):
    from ..puzzles.task import numbers

    if not word.isdigit() or int(word) not in numbers():
        raise CommandError(f"unknown puzzle {word}; use 1 to {numbers()[-1]}")
    return int(word)


def _names(shell):
    """Defines the modules that every kernel uses, unless the session has them."""
    import tilelab
    import tilelab.language

    shell.ns.setdefault("tilelang", tilelab)
    shell.ns.setdefault("T", tilelab.language)


def command_puzzle(shell, call):
    if call.cell is not None:
        return _solve(shell, call)
    from .. import puzzles
    from ..puzzles import progress

    if call.has("--forget"):
        puzzles.forget()
    if not call.args:
        reject_if(call.has("--check"), "%puzzle N --check: which puzzle?")
        return view(puzzles.puzzle())
    reject_if(len(call.args) > 1, "%puzzle takes one number")
    number = _number(call.args[0])
    _names(shell)
    if call.has("--check"):
        return view(puzzles.check(number))
    if call.has("--solution"):
        reject_if(not progress.knows_solution(number, 3), f"solve puzzle {number} first, or read its three hints: %hint {number}")
        return view(puzzles.solution(number))
    if call.has("--notebook"):
        from ..puzzles import notebook

        return view(notebook.write(number, call.options["--notebook"]))
    shell.puzzle_at_hand = number
    page = puzzles.puzzle(number)
    if not call.has("--json"):
        host.set_next_input(page.cell, False)
    return view(page)


def _solve(shell, call):
    """Runs the cell and checks its kernels."""
    from .. import puzzles

    reject_if(len(call.args) != 1, "%%puzzle takes the number of a puzzle")
    number = _number(call.args[0])
    shell.puzzle_at_hand = number
    _names(shell)
    shell.run_body(call.cell, call.lines_above)
    return view(puzzles.check(number, names=_judged_names(shell, number, call.cell)))


def _judged_names(shell, number, cell):
    """The names in which the check finds the puzzle's kernels: only those of this cell if it defines none under the given name."""
    from ..puzzles.task import task

    bound = _bound(cell)
    if bound is None or any(part.kernel in bound for part in task(number).parts):
        return shell.ns
    return {name: shell.ns[name] for name in bound if name in shell.ns}


def _bound(cell):
    """Names that a cell binds, in order; None if it is not pure Python."""
    try:
        tree = ast.parse(cell)
    except SyntaxError:
        return None
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.append(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.append(node.id)
        elif isinstance(node, ast.alias):
            found.append(node.asname or node.name)
    return found if "*" not in found else None


def command_hint(shell, call):
    from .. import puzzles
    from ..puzzles import progress
    from ..puzzles.task import numbers

    reject_if(len(call.args) > 2 or not all(word.isdigit() for word in call.args), "%hint [PUZZLE [STEP]]")
    if call.args:
        number = _number(call.args[0])
    else:
        done = progress.read()
        unsolved = [n for n in numbers() if not done.get(n, {}).get("solved")]
        at_hand = getattr(shell, "puzzle_at_hand", None)
        number = at_hand if at_hand in unsolved else next(iter(unsolved), None)
        reject_if(number is None, "all puzzles are solved; %hint PUZZLE [STEP]")
    step = int(call.args[1]) if len(call.args) == 2 else None
    reject_if(step is not None and not 1 <= step <= 3, f"use hints 1 to 3, not {step}")
    return view(puzzles.hint(number, step))
