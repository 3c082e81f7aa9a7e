# SPDX-License-Identifier: Apache-2.0
"""Translates the non-Python syntax of cells (%commands, !cmd, name?) to calls of __tilelab__ on the same lines."""

import re

# Cheap test: can the text contain anything that needs transforming?
_SUSPECT = re.compile(r"^[ \t]*[%!?:]|\?[ \t]*$|=[ \t]*[%!]", re.M)
_TOKEN = re.compile(r"""\#.*|[rRbBuUfF]{0,2}('{3}|"{3})|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|[()\[\]{}]|\\$""")
_COMMAND = re.compile(r"(\s*)%([A-Za-z_]\w*)[ \t]*(.*)$", re.S)
_COLON = re.compile(r"():([A-Za-z_]\w*)(?:[ \t]+(.*)|)$", re.S)
_SYSTEM = re.compile(r"(\s*)!(.*)$", re.S)
_ASSIGN = re.compile(r"(\s*[A-Za-z_][\w.,\[\]'\" *]*?\s*=\s*)([%!])(?!=)(.*)$", re.S)
_HELP = re.compile(r"(\s*)(?:(\?{1,2})\s*([%\w.\[\]'\"*]+)|([%\w.\[\]'\"*]+)\s*(\?{1,2}))\s*$")
CELL = re.compile(r"\s*%%([A-Za-z_]\w*|!)[ \t]*([^\n]*)\n?")

_PROMPT = re.compile(r"[ \t]*(?:tl\[\d+\]>|>>>|In \[\d+\]:)(?: |$)")
_MORE = re.compile(r"[ \t]*\.\.\.:?(?: |$)")


class Scan:
    """Tracks open strings and brackets across lines."""

    def __init__(self):
        self.quote = ""  # the open triple quote
        self.brackets = []
        self.backslash = False

    @property
    def at_start(self):
        """Whether the next line starts a statement."""
        return not (self.quote or self.brackets or self.backslash)

    def feed(self, line):
        """Scans one line without its newline."""
        self.backslash = False
        at = 0
        while True:
            if self.quote:
                if not (end := re.compile(r"(?:\\.|(?!" + self.quote + r").)*?" + self.quote, re.S).match(line, at)):
                    return
                self.quote, at = "", end.end()
            if not (token := _TOKEN.search(line, at)):
                return
            at = token.end()
            text = token.group()
            if token.group(1):
                self.quote = token.group(1)
            elif text in "([{":
                self.brackets.append(text)
            elif text in ")]}":
                if self.brackets:
                    self.brackets.pop()
            elif text == "\\":
                self.backslash = True
            elif text[0] == "#":
                return


def _call(indent, method, *arguments):
    return f"{indent}__tilelab__.{method}({', '.join(map(repr, arguments))})"


def _transform_line(line, first):
    match = _COMMAND.match(line) or (first and _COLON.match(line))
    if match and not line.rstrip().endswith("?"):
        return _call(match[1], "command", match[2], (match[3] or "").rstrip())
    match = _SYSTEM.match(line)
    if match and match[2].startswith("!"):
        return _call(match[1], "system_output", match[2][1:].strip())
    if match:
        return _call(match[1], "system", match[2].strip())
    match = _ASSIGN.match(line)
    if match and match[2] == "!":
        return match[1] + _call("", "system_output", match[3].strip())
    if match:
        name, _, rest = match[3].partition(" ")
        if re.fullmatch(r"[A-Za-z_]\w*", name):
            return match[1] + _call("", "command_value", name, rest.strip())
    if first and line.strip() in ("?", "??"):
        return _call("", "command", "help", "")
    match = _HELP.match(line)
    if match and (match[3] or match[4]).strip("%"):
        name, marks = match[3] or match[4], match[2] or match[5]
        return _call(match[1], "help", name, len(marks) - 1)
    return None


# Shell commands that work without %, unless the user has a variable of that name.
_BARE = re.compile(r"(ls|cd|pwd|clear|cls)(?:[ \t]+(?![=([])[^\n]*)?[ \t]*\Z")


def is_bare_command(code, names):
    match = _BARE.match(code.rstrip("\n"))
    return match is not None and match[1] not in names


def transform(code):
    """The cell as Python with the same number of lines (except for a %%cell command)."""
    if not _SUSPECT.search(code):
        return code
    if cell := CELL.match(code):
        body = code[cell.end():]
        start = code[: cell.end()].count("\n")  # lines above the body
        if cell[2].strip() in ("?", "??") and not body.strip():
            return _call("", "help", "%" + cell[1], 0)
        return _call("", "cell_command", cell[1], cell[2].rstrip(), body, start)
    lines, out, scan, first = code.split("\n"), [], Scan(), True
    i = 0
    while i < len(lines):
        line, joined = lines[i], 1
        if scan.at_start and line.strip():
            # A command line that ends in a backslash continues on the next line.
            while re.match(r"\s*[%!]", line) and line.endswith("\\") and i + joined < len(lines):
                line = line[:-1] + " " + lines[i + joined].strip()
                joined += 1
            new = _transform_line(line, first)
            first = False
            if new is not None:
                out.extend([new] + [""] * (joined - 1))
                i += joined
                continue
        scan.feed(lines[i])
        out.append(lines[i])
        i += 1
    return "\n".join(out)


def without_prompts(code):
    """Text copied from a session, without prompts and outputs; line numbers are kept."""
    lines = code.split("\n")
    if not _PROMPT.match(next((line for line in lines if line.strip()), "")):
        return code
    marks = [_PROMPT.match(line) or _MORE.match(line) for line in lines]
    return "\n".join(line[mark.end():] if mark else "" for line, mark in zip(lines, marks))


def without_margin(code):
    """Text copied from inside a block, without the indentation of its first line; line numbers are kept."""
    lines = code.split("\n")
    first = next((line for line in lines if line.strip()), "")
    margin = first[: len(first) - len(first.lstrip(" \t"))]
    return "\n".join(line.removeprefix(margin) for line in lines) if margin else code


def python_of(code):
    """The cell as Python, line by line, including the body of a %%command."""
    if not (cell := CELL.match(code)):
        return transform(code)
    return "\n" * code[: cell.end()].count("\n") + python_of(code[cell.end():])
