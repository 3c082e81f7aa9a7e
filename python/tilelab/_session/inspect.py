# SPDX-License-Identifier: Apache-2.0
"""name?, name?? and Shift-Tab in a notebook: signature, documentation, source."""

import builtins
import contextlib
import keyword
import re

_PATH = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[(?:\d+|'[^']*'|\"[^\"]*\")\])*")


def evaluate(shell, text):
    """(found, value) of a dotted name with constant subscripts; evaluates nothing else."""
    if not _PATH.fullmatch(text):
        return False, None
    try:
        return True, builtins.eval(text, shell.ns)
    except Exception:
        return False, None


def name_at(code, cursor):
    """The dotted name around the cursor; inside the parentheses of a call, also of tuples and lists in them, the called function."""
    for match in _PATH.finditer(code):
        if match.start() <= cursor <= match.end():
            # Cut after the word with the cursor.
            end = match.end()
            dot = code.find(".", cursor, end)
            return code[match.start():end if dot < 0 else dot]
    depth = 0
    for i in range(min(cursor, len(code)) - 1, -1, -1):
        if code[i] in ")]}":
            depth += 1
        elif code[i] in "([{":
            match = re.search(_PATH.pattern + r"\s*$", code[:i]) if depth == 0 and code[i] == "(" else None
            if match and not keyword.iskeyword(match.group().strip()):
                return match.group().strip()
            depth -= depth > 0
    return ""


def source_text(value):
    """The source of an object's definition, or ""."""
    import inspect

    ours = type(value).__module__.startswith("tilelab.")  # a class that users do not know
    for candidate in (value, getattr(value, "__wrapped__", None), getattr(value, "func", None), None if ours else type(value)):
        if candidate is None:
            continue
        with contextlib.suppress(TypeError, OSError):
            return inspect.getsource(candidate)
    return ""


def signature_of(value, name):
    import inspect

    try:
        return name + str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""


def _facts(value, name, detail):
    """[(label, text)] in display order."""
    import inspect

    facts = []
    if callable(value):
        facts.append(("signature", signature_of(value, name.rsplit(".", 1)[-1])))
    facts.append(("type", type(value).__qualname__))
    if not callable(value) and not inspect.ismodule(value):
        try:
            text = repr(value)
        except Exception:
            text = ""
        facts.append(("value", text if len(text) <= 500 else text[:497] + "..."))
        shape = getattr(value, "shape", None)
        if isinstance(shape, tuple) and "shape" not in text:
            facts.append(("shape", f"{shape} {getattr(value, 'dtype', '')}"))
        elif hasattr(type(value), "__len__"):
            with contextlib.suppress(Exception):
                facts.append(("length", str(len(value))))
    source = source_text(value) if detail else ""
    document = inspect.getdoc(value) if callable(value) or inspect.ismodule(value) else (
        inspect.getdoc(type(value)) if type(value).__module__ != "builtins" else "")
    if source:
        facts.append(("source", source.rstrip()))
    elif document:
        facts.append(("doc", document))
    with contextlib.suppress(TypeError, OSError):
        facts.append(("file", inspect.getfile(value)))
    return [(label, text) for label, text in facts if text]


def name_in_language(value, name):
    """"T.copy" if the value is that name of the language, "T" if it is the module, "range" for Python's function; else ""."""
    import sys

    from .._compiler import language_pages
    from ..names import StandIn

    language = sys.modules.get(__package__.rpartition(".")[0] + ".language")
    last = name.rpartition(".")[2]
    if language is not None and value is language:
        return "T"
    if language is not None and vars(language).get(last) is value and (
            f"T.{last}" in language_pages.rows() or isinstance(value, language.dtype)):
        return f"T.{last}"
    if isinstance(value, StandIn) and language_pages.lacks(last):
        return f"T.{last}"
    return last if getattr(builtins, last, None) is value and last in language_pages.rows() else ""


def _language_markdown(name, *words):
    """The entry of "T.copy", or for "T" the chapters; words select chapters by their title. For a dtype, the page about dtypes."""
    from .._compiler import language_pages

    if name != "T":
        return language_pages.entry(name) if name in language_pages.rows() else language_pages.lacks(name) or language_pages.dtypes_page()
    hint = "`%help T.copy` describes a name; `%help T WORD` lists the chapters whose title contains the word."
    return language_pages.listing(" ".join(words)) + ("" if words else "\n\n" + hint)


def language_text(name, *words):
    from .. import _core
    from .._compiler import markdown

    return _core.views.hanging(markdown.plain(_language_markdown(name, *words)))


def _language_bundle(name):
    from .._compiler import markdown

    return {"text/plain": language_text(name) + "\n", "text/html": f"<div>{markdown.to_html(_language_markdown(name))}</div>"}


def bundle(value, name, detail):
    """Text and HTML of name?. Source lines are not wrapped."""
    from html import escape

    from .. import _core

    ours = name_in_language(value, name)
    if ours.startswith("T"):
        return _language_bundle(ours)
    plain, rows = [], []
    for label, text in [*_facts(value, name, detail), *([("in a kernel", language_text(ours))] if ours else [])]:
        if "\n" in text:
            part = f"{label}:\n" + "\n".join("    " + line for line in text.split("\n"))
        else:
            part = f"{label + ':':11}{text}"
        plain.append(part if label == "source" else _core.views.hanging(part))
        rows.append(f'<tr><th style="text-align:left;vertical-align:top">{label}</th>'
                    f'<td style="text-align:left"><pre style="font-family:monospace;margin:0">{escape(text)}</pre></td></tr>')
    return {"text/plain": "\n".join(plain) + "\n", "text/html": f"<table>{''.join(rows)}</table>"}


def inspect_name(shell, name, detail):
    """The bundle for a typed name; {} if it is unknown. Names of `T` need no import."""
    from .._compiler import language_pages

    found, value = evaluate(shell, name)
    if not found and (name == "T" or name in language_pages.rows() or language_pages.lacks(name)):
        return _language_bundle(name)
    return bundle(value, name, detail) if found else {}


def inspect_at(shell, code, cursor, detail):
    import keyword

    import _tilelab_host as host

    line_start = code.rfind("\n", 0, cursor) + 1
    command = re.match(r"\s*(?:%%?|:)(\w+)", code[line_start:])
    if command and cursor - line_start <= command.end():
        for row in host.commands():
            if row["name"] == command[1]:
                return {"text/plain": row["help"]}
    name = name_at(code, cursor)
    return inspect_name(shell, name, detail) if name and not keyword.iskeyword(name) else {}
