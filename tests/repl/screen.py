# SPDX-License-Identifier: Apache-2.0
"""A terminal screen after the written output: rows of characters, their colours, the cursor."""

import codecs
import re
import unicodedata

_SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b[=>]|\x1b(M)")


def _width(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    def __init__(self, rows, columns):
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.rest = ""
        self.row = self.column = 0
        self.style = ""
        self.size = (rows, columns)
        self.cells = [self._empty() for _ in range(rows)]

    def _empty(self):
        return [(" ", "")] * self.size[1]

    def resize(self, rows, columns):
        """As a terminal that does not break rows again."""
        self.size = (rows, columns)
        self.cells = [(row + self._empty())[:columns] for row in self.cells]
        while len(self.cells) > rows:
            del self.cells[0 if self.row else -1]
            self.row = max(0, self.row - 1)
        self.cells += [self._empty() for _ in range(rows - len(self.cells))]

    def lines(self):
        return ["".join(character for character, _ in row).rstrip() for row in self.cells]

    def styles(self, row):
        """The row as pairs of text and colour."""
        out = []
        for character, style in self.cells[row]:
            if out and out[-1][1] == style:
                out[-1] = (out[-1][0] + character, style)
            else:
                out.append((character, style))
        return out

    def feed(self, data):
        text = self.rest + self.decoder.decode(data)
        self.rest = ""
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                self._show(text[at])
                at += 1
                continue
            match = _SEQUENCE.match(text, at)
            if not match:
                if len(text) - at < 12:  # not all of it has come
                    self.rest = text[at:]
                    return
                raise AssertionError(f"a sequence that no test expects: {text[at:at + 12]!r}")
            self._command(match[2] or match[3], match[1] or "")
            at = match.end()

    def _show(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self._down()
        elif character == "\b":
            self.column = max(0, self.column - 1)
        elif character == "\t":
            self.column = min(self.size[1] - 1, self.column // 8 * 8 + 8)
        elif character >= " ":
            self._put(character, _width(character))

    def _put(self, character, width):
        if width == 0:
            before, style = self.cells[self.row][self.column - 1]
            self.cells[self.row][self.column - 1] = (before + character, style)
            return
        if self.column + width > self.size[1]:  # the wrap that waited for the next character
            self.column = 0
            self._down()
        for i in range(width):
            if self.column + i < self.size[1]:
                self.cells[self.row][self.column + i] = (character if i == 0 else "", self.style)
        self.column += width

    def _down(self):
        if self.row + 1 < self.size[0]:
            self.row += 1
        else:
            self.cells = self.cells[1:] + [self._empty()]

    def _command(self, letter, arguments):
        number = int(arguments) if arguments.isdigit() else 0
        if letter == "A":
            self.row = max(0, self.row - max(1, number))
        elif letter == "B":
            self.row = min(self.size[0] - 1, self.row + max(1, number))
        elif letter == "C":
            self.column = min(self.size[1] - 1, min(self.column, self.size[1] - 1) + max(1, number))
        elif letter == "D":
            self.column = max(0, self.column - max(1, number))
        elif letter == "H":
            self.row = self.column = 0
        elif letter == "K":
            self.cells[self.row][self.column:] = self._empty()[self.column:]
        elif letter == "J":
            first = 0 if number == 2 else self.row + 1
            if number != 2:
                self._command("K", "")
            self.cells[first:] = [self._empty() for _ in self.cells[first:]]
        elif letter == "m":
            self.style = "" if arguments in ("", "0") else self.style + arguments
        elif letter == "M":
            self.row = max(0, self.row - 1)
        elif letter not in "hl":
            raise AssertionError(f"a sequence that no test expects: {arguments}{letter}")
