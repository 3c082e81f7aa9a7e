# SPDX-License-Identifier: Apache-2.0
"""The sections of docs/language, one for each name of the language: the text of `T.copy?`, %help, Shift-Tab and the site.
Signature, status and summary are in the compiler's table; docs/language/README.md describes the form of a section."""

import dataclasses
import functools
import pathlib
import re

_FENCE = re.compile(r"(`{3,})")
_CHAPTER = "[0-9][0-9]*.md"


@dataclasses.dataclass(frozen=True)
class Section:
    names: tuple    # ("T.copy",); functions of Python without "T."
    text: str       # Markdown, without the heading
    parts: dict     # {"Rules": text}, in order


@dataclasses.dataclass(frozen=True)
class Chapter:
    path: pathlib.Path
    title: str
    text: str       # before the first section
    sections: tuple

    @property
    def number(self):
        """The number of the SECTION of builtins.def, from 1."""
        return int(self.path.name[:2])


def docs_folder():
    """The folder `docs` of an installation, which is in the package, or of the source tree; None if there is none."""
    package = pathlib.Path(__file__).resolve().parents[1]
    return next((folder for folder in (package / "docs", package.parents[1] / "docs") if folder.is_dir()), None)


def split(text, mark):
    """[(heading, text)] of the headings `mark` outside of fenced blocks; the first heading is ""."""
    found, fence = [("", [])], ""
    for line in text.splitlines():
        match = _FENCE.match(line)
        if match and not fence:
            fence = match[1]
        elif fence and line.strip() == fence:
            fence = ""
        elif not fence and line.startswith(mark + " "):
            found.append((line[len(mark) + 1:].strip(), []))
            continue
        found[-1][1].append(line)
    return [(heading, "\n".join(lines).strip("\n")) for heading, lines in found]


def read_chapter(path):
    (_, head), *rest = split(path.read_text(encoding="utf-8"), "##")
    title, intro = split(head, "#")[-1]
    sections = [Section(tuple(name.strip() for name in names.split(",")), body, dict(split(body, "###")[1:]))
                for names, body in rest]
    return Chapter(path, title, intro, tuple(sections))


@functools.cache
def chapters():
    """All chapters, in the order of the guide; none if the documents are not installed."""
    folder = docs_folder()
    return [read_chapter(path) for path in sorted(folder.glob("language/" + _CHAPTER))] if folder else []


@functools.cache
def _by_name():
    return {name: section for chapter in chapters() for section in chapter.sections for name in section.names}


def section(name):
    """The section of "T.copy" or "range"; None if it has none."""
    return _by_name().get(name)
