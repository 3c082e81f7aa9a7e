# SPDX-License-Identifier: Apache-2.0
"""The compiler's commands: %kernels, %passes, %ir, %diff, %source, %map, %explain, %check."""

import difflib
import html
import sys

from .. import _core
from .._kernel import watched
from .._kernel.arguments import describe
from .._kernel.registry import named, registry
from .._session.display import json_text
from .._session.view import CommandError, View, reject_if
from .._tools import check
from .._tools.exact import CheckedExactly, Exact
from .._tools.ir_diff import compared
from .._tools.reference import judged
from . import variants
from .arguments import asking, constants, one, one_line, target, view
from .calls import kernel_or_call, reference
from .kernels import kernel_of


def command_kernels(shell, call):
    rows, seen = [], set()
    chosen = [e for word in call.args for e in named(word) or [kernel_of(word, shell.ns, {}, CommandError)]]
    for entry in reversed(registry):
        # A rerun cell compiles the same kernel again: a name means the latest.
        if (call.args and entry not in chosen) or entry.full_name in seen:
            continue
        seen.add(entry.full_name)
        params = ", ".join(f"{p.name}: {p.dtype}" + ("" if p.scalar else " " + "x".join(map(str, p.shape)))
                           for p in entry.kernel.params)
        took = "" if entry.last_run is None else f"{entry.last_run * 1e3:.1f} ms"
        rows.append([entry.full_name, took, entry.status, params])
    if not rows:
        return View("no kernels yet\n", None, [])
    return view(_core.views.table(["kernel", ">last run", "status", "parameters"], rows))


def command_passes(shell, call):
    if not call.args:
        return view(_core.views.pass_list())
    entry = one(shell, call, "passes KERNEL [NAME=VALUE...]")
    return view(asking(entry.pipeline(target(call)).passes))


def command_ir(shell, call):
    if call.cell is not None:
        return variants.command_ir_cell(shell, call)
    reject_if(call.has("--as"), "--as is for %%ir, which compiles a variant; %ir only shows")
    entry = one(shell, call, "ir KERNEL [NAME=VALUE...]")
    after = call.options.get("--after", "")
    level = call.options.get("--level", "")
    reject_if(after and level, "use either --after or --level: both select a snapshot")
    pipeline = asking(entry.pipeline, target(call))
    return view(asking(pipeline.ir, after or ("" if level else "elaborate"), level, call.has("--spans")))


def command_diff(shell, call):
    values, rest = constants(call.args, shell)
    if len(rest) == 1:
        entry = kernel_of(rest[0], shell.ns, values, CommandError)
        pipeline = asking(entry.pipeline, target(call))
        return view(asking(pipeline.diff, call.options.get("--from", ""), call.options.get("--to", "")))
    reject_if(len(rest) != 2, "%diff takes a kernel, or two to compare: %diff add#1 add#2")
    a, b = (kernel_of(word, shell.ns, values, CommandError) for word in rest)
    return view(asking(compared, a, b, call.options.get("--to", "")))


def command_source(shell, call):
    entry = one(shell, call, "source KERNEL [NAME=VALUE...]")
    for form, show in (("--ptx", _ptx), ("--sass", _sass)):
        if call.has(form):
            entry = entry.for_target(target(call) or entry.kernel.target)
            text = asking(show, entry.kernel)
            return View(f"// {entry.full_name}\n{text}", f"<pre>{html.escape(text)}</pre>", json_text({"kernel": entry.full_name, form[2:]: text}))
    return view(asking(asking(entry.pipeline, target(call)).source, call.has("--host")))


def _ptx(kernel):
    return kernel._get_ptx()


def _sass(kernel):
    from .._tools import sass

    return sass.text(kernel)


def command_map(shell, call):
    entry, line = one_line(shell, call, "map KERNEL [LINE] [NAME=VALUE...]")
    return view(asking(asking(entry.pipeline, target(call)).map, call.options.get("--after", ""), line, call.has("--code")))


def command_explain(shell, call):
    """Explains a message, a kernel or a term of the glossary; without an argument, the last error."""
    values, rest = constants(call.args, shell)
    if not rest:
        return view(_joined([_core.views.explain_word(name) for name in _last_messages()]))
    name = rest[0].partition("[")[2].rstrip("]") if rest[0].startswith(("error[", "warning[", "note[")) else rest[0]
    if len(rest) == 1 and name in _core.views.message_names():
        return view(_core.views.explain_word(name))
    try:
        reject_if(len(rest) > 2 or (len(rest) == 2 and not rest[1].isdigit()), "%explain MESSAGE, %explain TERM, or %explain KERNEL [LINE]")
        entry = kernel_of(rest[0], shell.ns, values, CommandError)
    except CommandError as error:
        entry, no_kernel = None, str(error)
    if entry is None:  # not in the handler: the kernel's error would be shown as the context of the word's
        return view(_explained(" ".join([name, *rest[1:]]), no_kernel))
    return view(asking(asking(entry.pipeline, target(call)).explain, int(rest[1]) if len(rest) == 2 else 0))


def _explained(words, no_kernel):
    """The glossary page of a term; otherwise an error that offers the nearest message or term."""
    try:
        return _core.views.explain_word(words)
    except ValueError as problem:
        if "-" in words:  # not a name of Python: a message or a term was meant
            raise CommandError(str(problem)) from None
    near = difflib.get_close_matches(words, _core.views.explained_words(), 1, 0.75)
    kind = "message" if near and near[0] in _core.views.message_names() else "term"
    raise CommandError(f"{no_kernel}; there is a {kind} {near[0]}" if near else no_kernel)


def _last_messages():
    """Names of the messages of the last error, without duplicates."""
    error = getattr(sys, "last_value", None)
    names = [d["name"] for d in getattr(error, "diagnostics", ())]
    names += [f["kind"] for f in getattr(error, "findings", ())]
    reject_if(not names, "the last error is not a tilelab message; %explain MESSAGE, or %explain KERNEL [LINE]")
    return list(dict.fromkeys(names))


def _joined(pages):
    return {"text": "\n".join(p["text"] for p in pages), "ansi": "\n".join(p["ansi"] for p in pages),
            "html": "".join(p["html"] for p in pages), "json": "[" + ", ".join(p["json"] for p in pages) + "]"}


def command_check(shell, call):
    text = call.args[0] if len(call.args) == 1 else ""
    levels = (call.options["--level"],) if call.has("--level") else None
    if levels and levels[0] not in ("tile", "thread", "flat"):
        raise CommandError(f"unknown level {levels[0]}; use tile, thread or flat")
    entry, values = kernel_or_call("check", text, shell.ns)
    if values is None:
        return view(watched.report(entry.kernel, entry.full_name))
    seconds = 0 if call.has("--all") else check.SECONDS
    kernel, against = entry.kernel, reference(shell, call)
    described, _, _ = describe(kernel, values)
    runs = check.run_levels(kernel, described, levels, seconds, call.number("--seed", 0))
    report = check.report(kernel, runs, entry.full_name)
    if not call.has("--exact") or check.found(runs):
        return view(asking(judged, report, kernel, described, against))
    return view(CheckedExactly(report, asking(Exact, kernel, described, against)))
