# SPDX-License-Identifier: Apache-2.0
"""What a puzzle is: its words, its NumPy specification, its cell, its sizes and its budget."""

import ast
import dataclasses
import functools
import importlib
import inspect
import pkgutil
import textwrap
from typing import Callable


@dataclasses.dataclass
class Part:
    """One kernel of a puzzle, a jit function of the name `kernel`."""

    spec: Callable     # the NumPy specification: (*inputs) -> the output
    make: Callable     # (rng, **sizes) -> the inputs
    cases: list        # sizes, the smallest first; some have tails
    full: dict         # the sizes whose traffic is held against the budget
    moved: dict        # tensor -> how often the budget lets it be read or written whole, a formula of the sizes
    operations: str    # that the budget allows on floats, a formula of the sizes
    slack: Callable = None  # (*inputs) -> what a sum may be off, beside two roundings of the result
    demands: Callable = None  # (kernel) -> what it lacks, or ""
    dtype: str = ""    # of the output, as the puzzle's cell declares it

    @property
    def kernel(self):
        return self.spec.__name__

    def number(self, formula, sizes):
        return eval(formula, {"__builtins__": {}, "ceildiv": lambda a, b: -(-a // b)}, sizes)


@dataclasses.dataclass
class Task:
    title: str
    text: str          # three lines
    flow: list         # columns of the drawing: (caption, [label, ...])
    cell: str          # what the learner fills in
    hints: tuple       # three steps
    parts: list
    number: int = 0

    def __post_init__(self):
        for node in ast.walk(ast.parse(self.body)):
            for part in self.parts:
                if isinstance(node, ast.FunctionDef) and node.name == part.kernel:
                    part.dtype = _output_dtype(node)

    @property
    def name(self):
        """Of its notebook: 05-row-sums."""
        return f"{self.number:02}-" + "-".join(self.title.lower().replace(",", "").split())

    @property
    def body(self):
        """The cell without the command in its first line."""
        return textwrap.dedent(self.cell).strip("\n") + "\n"

    @property
    def whole_cell(self):
        return f"%%puzzle {self.number}\n{self.body}"

    def spec_text(self):
        return "\n".join(inspect.getsource(part.spec).rstrip("\n") + "\n" for part in self.parts)


def _output_dtype(function):
    """Of the T.empty(shape, dtype) in a kernel."""
    return next(node.args[1].value for node in ast.walk(function)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "empty")


@functools.lru_cache(maxsize=None)
def _modules():
    from . import tasks

    return {int(m.name[1:3]): m.name for m in pkgutil.iter_modules(tasks.__path__) if m.name[1:3].isdigit()}


def numbers():
    return sorted(_modules())


@functools.lru_cache(maxsize=None)
def task(number):
    """The puzzle of that number; KeyError where there is none."""
    found = importlib.import_module(f"{__package__}.tasks.{_modules()[number]}").TASK
    found.number = number
    return found
