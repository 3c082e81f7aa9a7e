# SPDX-License-Identifier: Apache-2.0
"""%puzzle, %%puzzle and %hint."""

import _tilelab_host as host

from .._session.view import CommandError
from .arguments import view


def _number(word):
    from ..puzzles.task import numbers

    if not word.isdigit() or int(word) not in numbers():
        raise CommandError(f"there is no puzzle {word}; there are 1 to {numbers()[-1]}")
    return int(word)


def _names(shell):
    """What every kernel needs, where the session does not have it."""
    import tilelab
    import tilelab.language

    shell.ns.setdefault("tilelang", tilelab)
    shell.ns.setdefault("T", tilelab.language)


def command_puzzle(shell, call):
    if call.cell is not None:
        return _solve(shell, call)
    from .. import puzzles

    if call.has("--forget"):
        puzzles.forget()
    if not call.args:
        if call.has("--check"):
            raise CommandError("%puzzle N --check: which puzzle?")
        return view(puzzles.puzzle())
    if len(call.args) > 1:
        raise CommandError("%puzzle takes one number")
    number = _number(call.args[0])
    _names(shell)
    if call.has("--check"):
        return view(puzzles.check(number))
    if call.has("--notebook"):
        from ..puzzles import notebook

        return view(notebook.write(number, call.options["--notebook"]))
    page = puzzles.puzzle(number)
    if not call.has("--json"):
        host.set_next_input(page.cell, False)
    return view(page)


def _solve(shell, call):
    """The cell's kernels, checked."""
    from .. import puzzles

    if len(call.args) != 1:
        raise CommandError("%%puzzle takes the number of a puzzle")
    number = _number(call.args[0])
    _names(shell)
    shell.run_body(call.cell, call.lines_above)
    return view(puzzles.check(number))


def command_hint(shell, call):
    from .. import puzzles
    from ..puzzles import progress
    from ..puzzles.task import numbers

    if len(call.args) > 2 or not all(word.isdigit() for word in call.args):
        raise CommandError("%hint [PUZZLE [STEP]]")
    if call.args:
        number = _number(call.args[0])
    else:
        done = progress.read()
        number = next((n for n in numbers() if not done.get(n, {}).get("solved")), None)
        if number is None:
            raise CommandError("all puzzles are solved; %hint PUZZLE [STEP]")
    step = int(call.args[1]) if len(call.args) == 2 else None
    if step is not None and not 1 <= step <= 3:
        raise CommandError(f"there are hints 1 to 3, not {step}")
    return view(puzzles.hint(number, step))
