# SPDX-License-Identifier: Apache-2.0
"""`tilelab puzzle`: pages, hints, checks of files, notebooks and grading, without a session."""

import argparse
import json
import os
import runpy
import sys


def _parser():
    parser = argparse.ArgumentParser(prog="tilelab puzzle", description=(
        "Exercises in writing tile kernels, checked on the simulated GPU. In a terminal, `tilelab puzzle N` opens the shell with one."))
    parser.add_argument("number", nargs="?", type=int, metavar="N", help="selects a puzzle; lists all without it")
    parser.add_argument("--check", metavar="FILE", help="checks the kernels of a Python file or notebook; N is its puzzle")
    parser.add_argument("--hint", action="store_true", help="shows the next of three hints")
    parser.add_argument("--notebook", metavar="FILE", help="writes the puzzle as a notebook")
    parser.add_argument("-o", dest="directory", metavar="DIRECTORY", help="writes the notebook, or all, there")
    parser.add_argument("--grade", metavar="DIRECTORY", help="grades the notebooks in a directory, in parallel")
    parser.add_argument("--csv", metavar="FILE", help="with --grade: also writes the table as CSV; - is standard output")
    parser.add_argument("--seconds", type=float, default=60, metavar="S", help="with --grade: limits the time of each notebook (60)")
    parser.add_argument("--jobs", type=int, default=0, metavar="J", help="with --grade: runs J notebooks in parallel (one per core)")
    parser.add_argument("--engine", choices=("auto", "dask", "ray", "processes"), default="auto",
                        help="with --grade: selects what runs them (Dask or Ray if installed)")
    parser.add_argument("--json", action="store_true", help="prints the data as JSON")
    return parser


def _shown(view, as_json):
    print(view.json if as_json else str(view))
    return 0


def _checked(number, path, as_json):
    """Checks a user's own file: its code runs in this process."""
    import tilelab
    import tilelab.language

    from . import check
    from .._session.error import format_error
    from .._session.imports import search_first
    from .graded import code_cells, register_cells
    from .task import task

    names = {"__name__": "__tilelab__", "tilelang": tilelab, "T": tilelab.language}
    search_first(os.path.dirname(os.path.realpath(path)))
    try:
        if path.endswith(".ipynb"):
            register_cells(code_cells(path), names)
        else:
            names = runpy.run_path(path, init_globals=names, run_name="__tilelab__")
    except Exception as error:
        print("\n".join(format_error(error, sys.stderr.isatty())), file=sys.stderr)
        return 1
    made = check(number, *(names.get(part.kernel) for part in task(number).parts))
    _shown(made, as_json)
    return int(not made.solved)


def _made(given):
    """Writes notebooks."""
    from . import notebook
    from .task import task

    if given.notebook:
        if given.number is None:
            raise ValueError("--notebook needs the number of a puzzle")
        views = [notebook.write(given.number, given.notebook)]
    elif given.number is None:
        views = notebook.write_all(given.directory)
    else:
        os.makedirs(given.directory, exist_ok=True)
        views = [notebook.write(given.number, os.path.join(given.directory, task(given.number).name + ".ipynb"))]
    if given.json:
        print(json.dumps([json.loads(view.json) for view in views]))
    else:
        print("\n".join(map(str, views)))
    return 0


def _run(given):
    from . import hint, known_number, puzzle

    if given.number is not None:
        known_number(given.number)
    if given.grade:
        from . import grade

        return grade.main(given)
    if given.notebook or given.directory:
        return _made(given)
    if given.check or given.hint:
        if given.number is None:
            raise ValueError("which puzzle? tilelab puzzle N ...")
        return _checked(given.number, given.check, given.json) if given.check else _shown(hint(given.number), given.json)
    page = puzzle(given.number)
    _shown(page, given.json)
    if given.number is not None and not given.json:
        print("\n" + page.cell, end="")
    return 0


def main(words):
    given = _parser().parse_args(words)
    try:
        return _run(given)
    except ValueError as error:
        print(f"tilelab puzzle: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 1
    except OSError as error:
        print(f"tilelab puzzle: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
