# SPDX-License-Identifier: Apache-2.0
"""Commands on files: %load, %edit, %paste, %run; %save and %rerun come from history.py."""

import os
import sys
import time

import _tilelab_host as host

from .._session.inspect import evaluate, source_text
from .._session.notebooks import cells_of_notebook, script_of
from .._session.processes import run
from .._session.program import execute_file, read_source, run_as_part
from .._session.view import CommandError, View, reject_if
from .history import cells_in, command_rerun, command_save, is_range  # noqa: F401


def _fetched(address):
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(address, timeout=30) as reply:
            return reply.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        raise CommandError(f"{address}: {error.code} {error.reason}") from None
    except (OSError, ValueError) as error:  # URLError is one
        reason = getattr(error, "reason", error)
        raise CommandError(f"{address}: {getattr(reason, 'strerror', None) or reason}") from None


def _text_of_file(path):
    try:
        return read_source(path)
    except (SyntaxError, UnicodeDecodeError):
        raise CommandError(f"{path} is not text in its encoding (UTF-8 by default)") from None


def _source_for(shell, word):
    """Text of a file, an address, a range of cells or an object."""
    path = os.path.expanduser(word)
    if word.startswith(("http://", "https://")):
        text = _fetched(word)
        return cells_of_notebook(word, text) if word.endswith(".ipynb") else text
    reject_if("://" in word, f"{word}: URLs start with http:// or https://")
    if path.endswith(".ipynb"):
        return cells_of_notebook(path)
    if os.path.isfile(path):
        return _text_of_file(path)
    if os.path.isfile(path + ".py"):
        return _source_for(shell, path + ".py")
    if is_range(word):
        return script_of(cells_in([word]))
    reject_if(os.path.isdir(path), f"{word} is a directory")
    found, value = evaluate(shell, word)
    if found:
        if text := source_text(value):
            return text
        raise CommandError(f"{word} has no readable source")
    raise CommandError(f"{word}: no such file, and no such name")


def command_load(shell, call):
    reject_if(not call.args, "%load needs a file, an address, a cell or a name")
    host.set_next_input("\n".join(_source_for(shell, word) for word in call.args), False)


_OF_TERMINALS = ("vi", "vim", "nvim", "view", "nano", "pico", "ed", "ex", "joe", "micro", "hx", "helix", "kak", "ne", "mcedit")


def command_edit(shell, call):
    import shlex
    import tempfile

    word = call.args[0] if call.args else ""
    path = os.path.expanduser(word)
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    if host.captures() and os.path.basename(editor.split()[0]) in _OF_TERMINALS:
        raise CommandError(f"{editor} needs a terminal; %load FILE or NAME loads a text into the next cell, and VISUAL can "
                           "name an editor with a window")
    text = ""
    made = not (word and (os.path.exists(path) or path.endswith(".py")))
    if made:
        text = _source_for(shell, word) if word else ""
        handle, path = tempfile.mkstemp(suffix=".py", prefix="tilelab_")
        with os.fdopen(handle, "w") as file:
            file.write(text)
    try:
        status = run([*shlex.split(editor), path])
        reject_if(status, f"{editor} ended with status {status}; nothing was run")
        text = _text_of_file(path) if os.path.exists(path) else ""
    except FileNotFoundError:
        raise CommandError(f"editor {editor} not found; set EDITOR") from None
    finally:
        if made and os.path.exists(path):
            os.unlink(path)
    return run_as_part(shell, text, "edited") if text.strip() and not call.has("-x") else None


def command_paste(shell, call):
    lines = []
    while True:
        try:
            line = input("")
        except EOFError:
            break
        if line.strip() == "--":
            break
        lines.append(line)
    import textwrap

    return run_as_part(shell, textwrap.dedent("\n".join(lines)), "pasted")


def command_run(shell, call):
    reject_if(not call.args, "%run needs a file; see %run --help")
    name, argv = call.args[0], sys.argv
    start = time.perf_counter()
    before = {key: shell.ns.get(key) for key in ("__name__", "__file__")}
    ns = shell.ns if call.has("-i") else {"__builtins__": shell.ns.get("__builtins__"), "__doc__": None}
    path = os.path.expanduser(name)
    if not call.has("-m") and not os.path.exists(path) and os.path.exists(path + ".py"):
        path += ".py"
    reject_if(not call.has("-m") and not os.path.exists(path), f"{name}: no such file")
    run_as = os.path.splitext(os.path.basename(path))[0] if call.has("-n") else "__main__"
    ns["__name__"] = run_as
    sys.argv = [path, *call.args[1:]]
    directory = os.path.dirname(os.path.realpath(path))
    sys.path.insert(0, directory)
    try:
        if call.has("-m"):
            import runpy

            ns.update(runpy.run_module(name, run_name=run_as, alter_sys=True))
        else:
            execute_file(shell, path, ns)
    except SystemExit as error:
        if error.code not in (None, 0):
            raise CommandError(f"{name} ended with status {error.code}") from None
    finally:
        sys.argv = argv
        if directory in sys.path:
            sys.path.remove(directory)
        if ns is not shell.ns:
            shell.ns.update((k, v) for k, v in ns.items() if not (k.startswith("__") and k.endswith("__")))
        else:
            restore(shell.ns, before)
    return View(f"{name} took {time.perf_counter() - start:.3f} s\n") if call.has("-t") else None


def restore(ns, values):
    for key, value in values.items():
        if value is None:
            ns.pop(key, None)
        else:
            ns[key] = value
