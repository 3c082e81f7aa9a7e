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
        for one in self.body or ():
            yield from one.lines(indent + 1)
        if self.other:
            yield "    " * indent + "else:"
            for one in self.other:
                yield from one.lines(indent + 1)

    def node(self):
        if self.body is None:
            made = parsed(self.text).body[0]
        else:
            made = parsed(self.text + "\n    pass").body[0]
        self._locate(made)
        if self.body:
            made.body = [one.node() for one in self.body]
        if self.other:
            made.orelse = [one.node() for one in self.other]
        return made

    def _locate(self, made):
        line, column, end, end_column = self.place
        todo = [made]
        while todo:
            one = todo.pop()
            if "lineno" in one._attributes:
                one.lineno, one.col_offset, one.end_lineno, one.end_col_offset = line, column, end, end_column
            for name in one._fields:  # as ast.iter_child_nodes, in half of its time
                value = getattr(one, name)
                if isinstance(value, ast.AST):
                    todo.append(value)
                elif isinstance(value, list):
                    todo += [item for item in value if isinstance(item, ast.AST)]


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
