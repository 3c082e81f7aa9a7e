# SPDX-License-Identifier: Apache-2.0
"""Statements of a tile program as lines of text with locations in the user's source."""


class Line:
    """A statement; with `body`, one that ends in a colon, and `other`, the body of its else. `place`: (line, column, end line, end
    column)."""

    __slots__ = ("text", "place", "body", "other")

    def __init__(self, text, place, body=None, other=None):
        self.text, self.place, self.body, self.other = text, place, body, other

    def rows(self, indent=0):
        """(line of text, place) of the statement and of those in it."""
        yield "    " * indent + self.text, self.place
        if self.body is not None:
            yield from _block(self, self.body, indent + 1)
        if self.other:
            yield "    " * indent + "else:", self.place
            yield from _block(self, self.other, indent + 1)


def _block(owner, lines, indent):
    """The rows of an indented block."""
    for one in lines:
        yield from one.rows(indent)
    if not lines:
        yield "    " * indent + "pass", owner.place


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
