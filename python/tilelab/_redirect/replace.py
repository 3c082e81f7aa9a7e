# SPDX-License-Identifier: Apache-2.0
"""Attributes that are replaced for a while."""

_ABSENT = object()


class Replacements:
    """A log of replaced attributes, true while there are any."""

    def __init__(self):
        self._undo = []

    def __bool__(self):
        return bool(self._undo)

    def put(self, owner, name, value):
        """owner.name = value, until undo()."""
        old = vars(owner).get(name, _ABSENT)
        setattr(owner, name, value)
        self.at_undo((lambda: delattr(owner, name)) if old is _ABSENT else (lambda: setattr(owner, name, old)))

    def at_undo(self, function):
        self._undo.append(function)

    def undo(self):
        while self._undo:
            self._undo.pop()()
