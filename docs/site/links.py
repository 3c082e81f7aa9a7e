# SPDX-License-Identifier: Apache-2.0
"""Links of the site's pages: pages and headings keep their address when they move; names in backticks become links."""

import os
import re

# A link outside of a code span: an even number of backticks follows on its line.
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)(?![^`\n]*`(?:[^`\n]*`[^`\n]*`)*[^`\n]*$)", re.M)
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def outside_of_code(text, change):
    """The text with `change` applied to what is not in a fenced or indented block."""
    out, at = "", 0
    for block in re.finditer(r"^(`{3,})[^\n]*\n.*?^\1$", text, re.M | re.S):
        out += change(text[at:block.start()]) + block[0]
        at = block.end()
    return out + change(text[at:])


class Links:
    """`pages`: {path in the repository: path in the site}. `names`: {text in backticks: label}."""

    def __init__(self, root, pages, names):
        self.root, self.pages, self.names = root, pages, names
        self.problems = []
        self.files = {}  # {path in the repository: path in the site} of pictures

    def moved(self, text, source, page):
        """The text of `source`, a path in the repository, as that page of the site."""

        def link(match):
            picture, words, target = match.groups()
            if re.match(r"[a-z]+:|#", target):
                return match[0]
            path, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(source), path))
            if not (self.root / path).exists():
                self.problems.append(f"{source}: no {target}")
            place = self.pages.get(path) or self.pages.get(os.path.join(path, "README.md"))
            if picture and not place:
                place = self.files.setdefault(path, "files/" + os.path.basename(path))
            if not place:
                return f"`{path}`" if words.strip("`") == path else f"{words} (`{path}`)"
            there = os.path.relpath(place, os.path.dirname(page) or ".")
            return f"{picture}[{words}]({there}{'#' + anchor if anchor else ''})"

        return outside_of_code(text, lambda part: LINK.sub(link, part))

    def named(self, text, own=()):
        """Names of the language, commands and messages in backticks become links, outside of headings and of `own` labels."""

        def name(match):
            word = match[1]
            command = re.match(r"%%?\w+", word)
            label = self.names.get(word) or self.names.get(word.removesuffix("()")) or (command and self.names.get(command[0]))
            return f"[`{word}`](#{label})" if label and label not in own else match[0]

        def lines(part):
            return "\n".join(line if line.startswith(("#", "    ", "(")) else CODE.sub(name, line) if "](" not in line else line
                             for line in part.split("\n"))

        return outside_of_code(text, lines)
