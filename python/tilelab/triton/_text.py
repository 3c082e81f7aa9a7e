# SPDX-License-Identifier: Apache-2.0
"""Statements of a tile program as text with locations in the user's source, and their ast."""

import ast

from .._compiler.source import parsed


class Line:
    """A statement; with `body`, one that ends in a colon, and `other`, the body of its else. `place`: (line, column, end line, end
    column)."""

    __slots__ = ("text", "place", "body", "other")

    def __init__(self, text, place, body=None, other=None):
        self.text, self.place, self.body, self.other = text, place, body, other

    def lines(self, indent=0):
        yield "    " * indent + self.text
        if self.body is not None:
            yield from _block(self.body, indent + 1)
        if self.other:
            yield "    " * indent + "else:"
            yield from _block(self.other, indent + 1)

    def node(self):
        made = parsed("\n".join(self.lines())).body[0]  # at once: parsing a line at a time takes four times as long
        self._locate(made)
        return made

    def _locate(self, made):
        line, column, end, end_column = self.place
        todo = [made]
        while todo:
            one = todo.pop()
            if "lineno" in one._attributes:
                one.lineno, one.col_offset, one.end_lineno, one.end_col_offset = line, column, end, end_column
            for name in one._fields:  # as ast.iter_child_nodes, in half of its time
                if one is made and name in ("body", "orelse") and self.body is not None:
                    continue
                value = getattr(one, name)
                if isinstance(value, ast.AST):
                    todo.append(value)
                elif isinstance(value, list):
                    todo += [item for item in value if isinstance(item, ast.AST)]
        for lines, nodes in ((self.body, "body"), (self.other, "orelse")):
            for one, inner in zip(lines or (), getattr(made, nodes, ()), strict=bool(lines)):
                one._locate(inner)


def _block(lines, indent):
    """The lines of an indented block."""
    for one in lines:
        yield from one.lines(indent)
    if not lines:
        yield "    " * indent + "pass"


class Names:
    """Names of a program that are unique."""

    def __init__(self, taken=()):
        self.taken, self.numbers = set(taken), {}

    def new(self, wanted):
        name, number = wanted, self.numbers.get(wanted, 1)
        while name in self.taken:
            name, number = f"{wanted}_{number}", number + 1
        self.taken.add(name)
        self.numbers[wanted] = number
        return name
