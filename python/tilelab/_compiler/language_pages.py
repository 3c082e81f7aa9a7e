# SPDX-License-Identifier: Apache-2.0
"""The sections of docs/language and docs/commands, one for each name of the language and each command: the text of `T.copy?`, %help,
Shift-Tab and the site. Signature, status and summary are in the tables; docs/language/README.md describes the form of a section."""

import dataclasses
import functools
import pathlib
import re

from .. import _core
from ..names import language as absent

# Names of T that are Python: (signature or None, summary).
_PYTHON = {
    "T.prim_func": ("function=None, private=False, check_well_formed=True", "Decorator: the source of a kernel, with its parameters annotated."),
    "T.macro": ("function", "Decorator: a function that is elaborated in place where a kernel calls it."),
    "T.extern_model": ("name", "Decorator: what the simulator and the cpu run in place of a function that T.call_extern calls."),
    "T.GemmWarpPolicy": (None, "How T.gemm distributes C over the warps of a block: Square, FullRow or FullCol."),
    "T.PrimFunc": (None, "The type of what @T.prim_func returns."),
    "T.PrimExpr": (None, "The type of expressions, for annotations and isinstance."),
    "T.Var": (None, "The type of T.dynamic extents."),
    "T.dtype": ("value", "The dtype of a name, or of a type of Python, NumPy or torch."),
    "T.dtypes": (None, "The module of the dtypes alone."),
    "T.is_float4": ("value", "Whether a dtype has four bits."),
    "T.is_float4_e2m1fn": ("value", "Whether it is float4_e2m1fn, two elements per byte."),
    "T.is_float4_e2m1_unpacked": ("value", "Whether it is float4_e2m1 with one element per byte."),
    "T.resolve_torch_storage_dtype": ("value", "The dtype of the torch tensor that stores a dtype."),
}

_FENCE = re.compile(r"(`{3,})")
_CHAPTER = "[0-9][0-9]*.md"


@dataclasses.dataclass(frozen=True)
class Section:
    names: tuple    # ("T.copy",), ("%layout",); functions of Python without "T."
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
    places = (package / "docs", package.parents[1] / "docs")
    return next((folder for folder in places if (folder / "language").is_dir()), None)


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
def chapters(room="language"):
    """All chapters of docs/language or docs/commands, in order; none if the documents are not installed."""
    folder = docs_folder()
    return [read_chapter(path) for path in sorted((folder / room).glob(_CHAPTER))] if folder else []


@functools.cache
def _by_name(room):
    return {name: section for chapter in chapters(room) for section in chapter.sections for name in section.names}


def section(name):
    """The section of "T.copy" or "range"; None if it has none."""
    return _by_name("language").get(name)


def section_of_command(name):
    """The section of "layout"."""
    return _by_name("commands").get("%" + name) or _by_name("commands").get("%%" + name)


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of the compiler's table."""

    signature: str  # None: not a function
    status: str
    summary: str
    chapter: str    # its title

    def call(self, name):
        """The call, with its parameters in lines of at most 76 columns."""
        if self.status != "works" or self.signature is None:
            return name
        lines, start = [name + "("], " " * (len(name) + 1)
        for word in re.split(r"(?<=,) ", self.signature):
            if len(lines[-1]) + len(word) > 75 and lines[-1].strip():
                lines[-1] = lines[-1].rstrip()
                lines.append(start)
            lines[-1] += word + " " * word.endswith(",")
        return "\n".join(lines) + ")"

    def described(self):
        """The summary, and the status of a name that does not work."""
        status = {"accepted": "Accepted without effect: ", "planned": "Planned, not yet supported. ", "refused": "Unsupported. "}
        return status.get(self.status, "") + self.summary.rstrip(".") + "."


@functools.cache
def rows():
    """{"T.copy": its row}; functions of Python without "T."."""
    found = {name.removeprefix("builtins.") if name.startswith("builtins.") else f"T.{name}": Row(*row)
             for name, *row in _core.builtins()}
    return found | {name: Row(signature, "works", summary, "Decorators and types") for name, (signature, summary) in _PYTHON.items()}


def lacks(name):
    """The answer to "T.ptx_mma", a name of TileLang that tilelab lacks; "" for others."""
    status, why = absent.ROWS.get(name.removeprefix("T."), ("", ""))
    return f"    {name}\n\n{'Planned, not yet supported' if status == 'planned' else 'Unsupported'}. {why}" if status else ""


def dtypes_page():
    """The page about dtypes, which answers T.float16?."""
    folder = docs_folder()
    return (folder / "language/dtypes.md").read_text(encoding="utf-8") if folder else ""


def options_without_effect(name):
    """Sentences about the options of a name that change nothing."""
    by_kind = {}
    for builtin, option, kind, why in _core.options():
        if f"T.{builtin}" == name:
            start = "With `tilelab.hardware_units` off, no effect: " if kind == "plain" else "No effect: "
            by_kind.setdefault(start, {}).setdefault(why, []).append(f"`{option}`")
    return [start + "; ".join(f"{', '.join(options)} ({why})" for why, options in reasons.items()) + "."
            for start, reasons in by_kind.items()]


def head(name):
    """Signature, summary and options of a name, as Markdown."""
    row = rows()[name]
    call = row.call(name).replace("\n", "\n    ")
    return "\n\n".join([f"    {call}", row.described(), *options_without_effect(name)])


def entry(name):
    """Everything about a name, as Markdown; what has no section yet is short."""
    found = section(name)
    together = [other for other in found.names if other != name] if found else []
    shared = [f"This section also describes {', '.join(f'`{other}`' for other in together)}."] if together else []
    return "\n\n".join([head(name), *shared, *([found.text] if found else [])])


def listing(word=""):
    """The chapters with their names; the chapters whose title contains the word, with the summary of each name."""
    by_chapter = {}
    for name, row in rows().items():
        by_chapter.setdefault(row.chapter, []).append((name, row))
    out = []
    for title, names in by_chapter.items():
        if word.lower() not in title.lower():
            continue
        if word:
            text = "\n".join(f"- `{name}`: {row.described()}" for name, row in names)
        else:
            other = [name for name, row in names if row.status != "works"]
            text = ", ".join(name for name, row in names if row.status == "works") + (f" (and {len(other)} without effect)" if other else "")
        out.append(f"### {title}\n\n{text}")
    return "\n\n".join(out)
