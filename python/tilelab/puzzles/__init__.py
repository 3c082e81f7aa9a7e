# SPDX-License-Identifier: Apache-2.0
"""Puzzles: tile kernels to write, checked on the simulated GPU. Nothing needs a GPU or torch.

    from tilelab import puzzles
    puzzles.puzzle()               # all of them, with what is solved
    puzzles.puzzle(3)              # one: the task, its specification, its cell
    puzzles.hint(3)                # help, in three steps
    puzzles.check(3, outer_sum)    # is this kernel right?
    puzzles.solution(3)            # our kernel, once yours is right or all hints were shown
"""

from . import progress


def known_number(number):
    from .task import numbers

    if number not in numbers():
        raise ValueError(f"unknown puzzle {number}; use 1 to {numbers()[-1]}")
    return number


def puzzle(number=None):
    """The page of a puzzle, or the list of all."""
    from . import page

    return page.overview() if number is None else page.page(known_number(number))


def hint(number, step=None):
    """The next hint, or one of the three."""
    from . import page

    step = step or page.next_hint(known_number(number))
    progress.hinted(number, step)
    return page.hint(number, step)


def solution(number):
    """The page with a solution; ValueError before the puzzle is solved or its last hint was shown."""
    from . import page

    if not progress.knows_solution(known_number(number), page.STEPS):
        raise ValueError(f"solve puzzle {number} first, or read its {page.STEPS} hints: %hint {number}")
    return page.solution(number)


def compiled_by(kernel, name):
    """The function that compiles the kernel for given sizes."""
    from .._compiler import settings
    from .._gpu.targets import target_name
    from ..jit import JITImpl

    if not isinstance(kernel, JITImpl):
        what = f"is a {type(kernel).__name__}" if not callable(kernel) else "is a plain function"
        raise TypeError(f"{name} {what}: write @tilelang.jit above it")
    # The simulator only runs kernels for GPUs.
    options = {"target": "mp_31"} if target_name(settings.target) == "cpu" else {}
    return lambda sizes: kernel.compile(**sizes, **options)


def check(number, *kernels, note=True, names=None):
    """Checks the kernels of a puzzle, in order; by default those of `names`, or of __main__. `note`: records the progress."""
    import __main__

    from . import page
    from .judge import Failure, Result, judge
    from .task import task

    one = task(known_number(number))
    given = dict(zip((part.kernel for part in one.parts), kernels)) if kernels else vars(__main__) if names is None else names
    results = []
    for part in one.parts:
        if part.kernel not in given:
            line = f"no function {part.kernel}; the cell of the puzzle defines it{page.near_kernel(given)}"
            results.append(Result(part.kernel, failure=Failure("missing", part.cases[0], line)))
            continue
        try:
            results.append(judge(part, compiled_by(given[part.kernel], part.kernel)))
        except TypeError as error:
            results.append(Result(part.kernel, failure=Failure("refused", part.cases[0], str(error))))
    made = page.verdict(number, results)
    if note:
        progress.tried(number, made.solved, made.within)
    return made


def forget():
    """Forgets the progress."""
    progress.forget()
