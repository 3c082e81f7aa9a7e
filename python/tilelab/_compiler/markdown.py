# SPDX-License-Identifier: Apache-2.0
"""Markdown of the documents as plain text for a terminal: paragraphs are filled, code is indented, headings are underlined."""

import re
import textwrap

_ITEM = re.compile(r"(\s*)([-*]|\d+\.) ")
WIDTH = 79


def _filled(lines, width):
    """A paragraph or an item of a list."""
    text = " ".join(line.strip() for line in lines)
    match = _ITEM.match(lines[0])
    indent = match[1] if match else ""
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=" " * match.end() if match else "",
                         break_long_words=False, break_on_hyphens=False)


def plain(text, width=WIDTH):
    out, paragraph, fence = [], [], ""

    def end():
        if paragraph:
            out.append(_filled(paragraph, width))
            paragraph.clear()

    for line in text.split("\n"):
        if fence:
            if line.strip() == fence:
                fence = ""
            else:
                out.append(("    " + line).rstrip())
        elif match := re.match(r"(`{3,})", line):
            end()
            fence = match[1]
        elif match := re.match(r"#+ (.*)", line):
            end()
            out += [match[1], "-" * len(match[1])]
        elif not line.strip() or line.startswith(("|", "    ")) and not paragraph:
            end()
            out.append(line.rstrip())
        else:
            if _ITEM.match(line):
                end()
            paragraph.append(line)
    end()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip("\n")
