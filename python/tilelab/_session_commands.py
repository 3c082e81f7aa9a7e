# SPDX-License-Identifier: Apache-2.0
"""The commands that are Python: command_NAME(shell, call) for a row of commands.def.

A function returns a View to show, another value (the value of the command's expression), or None.
"""

import os
import sys
import time

import _tilelab_host as host

from ._session_magic import CommandError, View
from ._session_timing import command_time, command_timeit  # noqa: F401  (rows of the table)

# --- the system's shell --------------------------------------------------------------------------


def _spawn(command, **options):
    import signal
    import subprocess

    sys.stdout.flush()
    # bash because people type bash; the child must be able to die of Ctrl-C.
    shell = os.environ.get("SHELL") or "/bin/sh"
    return subprocess.Popen(
        command, shell=isinstance(command, str), executable=shell if isinstance(command, str) else None,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options)


def _wait(process):
    """Waits; an interrupt goes to the child, and to us when the child has ended."""
    import signal

    try:
        return process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(2)
        except Exception:
            process.kill()
            process.wait()
    raise KeyboardInterrupt


def run_shell(command):
    """Runs a shell command on our own descriptors; gives its status."""
    return _wait(_spawn(command))


class Lines(list):
    """Lines of output; .n is the whole text, .s the words' line, as in IPython."""

    @property
    def n(self):
        return "\n".join(self)

    @property
    def s(self):
        return " ".join(self)


def shell_lines(command):
    """The lines that a shell command prints; errors go to stderr."""
    import subprocess

    process = _spawn(command, stdout=subprocess.PIPE, text=True, errors="replace")
    try:
        text, _ = process.communicate()
    except KeyboardInterrupt:
        process.kill()
        process.wait()
        raise
    return Lines(text.splitlines())


def command_pip(shell, call):
    import shlex

    words = shlex.split(" ".join(call.args))
    status = _wait(_spawn([sys.executable, "-m", "pip", *words]))
    if status:
        raise CommandError(f"pip ended with status {status}")


# --- names ---------------------------------------------------------------------------------------


def _short(value, limit=60):
    kind = type(value)
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if isinstance(shape, tuple) and dtype is not None:
        return f"{'x'.join(map(str, shape)) or 'scalar'} {dtype}"
    if kind.__module__ == "builtins" and kind in (list, dict, set, tuple):
        return f"{len(value)} item{'s' if len(value) != 1 else ''}"
    try:
        text = repr(value).replace("\n", " ")
    except Exception:
        text = "<no text: its __repr__ failed>"
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _table(rows, head):
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    return "".join(
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() + "\n"
        for row in [head, *rows])


def _html_table(rows, head):
    from html import escape

    def line(cells, tag):
        return "<tr>" + "".join(
            f'<{tag} style="text-align:left">{escape(cell)}</{tag}>' for cell in cells) + "</tr>"

    return "<table>" + line(head, "th") + "".join(line(row, "td") for row in rows) + "</table>"


def command_who(shell, call):
    rows = []
    for name in shell.user_names():
        value = shell.ns[name]
        kind = type(value).__name__
        if not call.args or kind in call.args:
            rows.append((name, kind, _short(value)))
    data = [dict(zip(("name", "type", "value"), row)) for row in rows]
    if not rows:
        return View("no names yet\n" if not call.args else "no such names\n", None, data)
    head = ("name", "type", "value")
    return View(_table(rows, head), _html_table(rows, head), data)


def command_reset(shell, call):
    if not call.has("-f") and shell.interactive:
        answer = input("Forget all names that you made (y/n)? ")
        if answer.strip().lower() not in ("y", "yes"):
            return View("nothing done\n")
    for name in shell.user_names():
        del shell.ns[name]
    if not call.has("-s"):
        for name in [n for n in shell.ns if n.startswith("_") and n.lstrip("_i").isdigit()]:
            del shell.ns[name]
        shell.reset_names()
    import gc

    gc.collect()
    return None


# --- files and the next cell ---------------------------------------------------------------------


def _cells(ranges, option=""):
    """The inputs of this session that "3 5-7" names, each once and in that order."""
    inputs = {line: text for session, line, text, _ in host.history(False)}
    chosen = []
    for word in ranges:
        first, dash, last = word.partition("-")
        if not first.isdigit() or (last and not last.isdigit()):
            raise CommandError(f"{word} is no range of cells, such as 3 or 5-7")
        stop = int(last) if last else (max(inputs, default=0) if dash else int(first))
        lines = [n for n in range(int(first), stop + 1) if n in inputs]
        if not lines:
            raise CommandError(f"there is no cell {word}")
        chosen.extend(inputs[n] for n in lines)
    return [text if text.endswith("\n") else text + "\n" for text in chosen]


def _is_range(word):
    return bool(word) and word[0].isdigit() and set(word) <= set("0123456789-")


def command_save(shell, call):
    if len(call.args) < 2:
        raise CommandError("%save needs a file and the cells: %save kernel.py 3 5-7")
    path = os.path.expanduser(call.args[0])
    if not os.path.splitext(path)[1]:
        path += ".py"
    text = "".join(_cells(call.args[1:]))
    if os.path.exists(path) and not (call.has("-f") or call.has("-a")):
        if input(f"{path} exists; overwrite it (y/n)? ").strip().lower() not in ("y", "yes"):
            return View("nothing written\n")
    with open(path, "a" if call.has("-a") else "w") as file:
        file.write(text)
    return View(f"wrote {path}, {text.count(chr(10))} lines\n")


def _source_for(shell, word):
    """Text of a file, an address, a range of cells or an object."""
    path = os.path.expanduser(word)
    if word.startswith(("http://", "https://")):
        import urllib.request

        with urllib.request.urlopen(word) as reply:
            return reply.read().decode("utf-8", "replace")
    if os.path.isfile(path):
        from ._session_program import read_source

        return read_source(path)
    if os.path.isfile(path + ".py"):
        return _source_for(shell, path + ".py")
    if _is_range(word):
        return "".join(_cells([word]))
    from . import _session_inspect

    found, value = _session_inspect.evaluate(shell, word)
    if found:
        text = _session_inspect.source_text(value)
        if text:
            return text
        raise CommandError(f"{word} has no source that can be read")
    raise CommandError(f"{word}: no such file, and no such name")


def command_load(shell, call):
    if not call.args:
        raise CommandError("%load needs a file, an address, a cell or a name")
    host.set_next_input("\n".join(_source_for(shell, word) for word in call.args), False)


def command_edit(shell, call):
    import shlex
    import tempfile

    word = call.args[0] if call.args else ""
    path = os.path.expanduser(word)
    text = ""
    made = not (word and (os.path.exists(path) or path.endswith(".py")))
    if made:
        text = _source_for(shell, word) if word else ""
        handle, path = tempfile.mkstemp(suffix=".py", prefix="tilelab_")
        with os.fdopen(handle, "w") as file:
            file.write(text)
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        status = _wait(_spawn([*shlex.split(editor), path]))
        if status:
            raise CommandError(f"{editor} ended with status {status}; nothing was run")
        from ._session_program import read_source

        text = read_source(path) if os.path.exists(path) else ""
    except FileNotFoundError:
        raise CommandError(f"there is no editor {editor}; set EDITOR") from None
    finally:
        if made and os.path.exists(path):
            os.unlink(path)
    if call.has("-x") or not text.strip():
        return None
    return run_as_part(shell, text, "edited")


def run_as_part(shell, text, kind):
    """Runs text that did not come as a cell, under its own name; gives its last value."""
    from . import _session_source

    outer = shell.cell_name
    shell.cell_name = _session_source.register(f"{kind} text", text)
    try:
        return shell.run_body(text)
    finally:
        shell.cell_name = outer


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
    if not call.args:
        raise CommandError("%run needs a file; see %run --help")
    from . import _session_program

    name, argv = call.args[0], sys.argv
    start = time.perf_counter()
    before = {key: shell.ns.get(key) for key in ("__name__", "__file__")}
    ns = shell.ns if call.has("-i") else {
        "__name__": "__main__", "__builtins__": shell.ns.get("__builtins__"), "__doc__": None}
    path = os.path.expanduser(name)
    if not call.has("-m") and not os.path.exists(path) and os.path.exists(path + ".py"):
        path += ".py"
    if not call.has("-m") and not os.path.exists(path):
        raise CommandError(f"{name}: no such file")
    sys.argv = [path, *call.args[1:]]
    directory = os.path.dirname(os.path.realpath(path))
    sys.path.insert(0, directory)
    try:
        if call.has("-m"):
            import runpy

            ns.update(runpy.run_module(name, run_name="__main__", alter_sys=True))
        else:
            _session_program.execute_file(path, ns)
    except SystemExit as error:
        if error.code not in (None, 0):
            raise CommandError(f"{name} ended with status {error.code}") from None
    finally:
        sys.argv = argv
        if directory in sys.path:
            sys.path.remove(directory)
        if ns is not shell.ns:
            shell.ns.update((k, v) for k, v in ns.items()
                            if not (k.startswith("__") and k.endswith("__")))
        else:
            restore(shell.ns, before)
    if call.has("-t"):
        return View(f"{name} took {time.perf_counter() - start:.3f} s\n")
    return None


def restore(ns, values):
    for key, value in values.items():
        if value is None:
            ns.pop(key, None)
        else:
            ns[key] = value


# --- the process ---------------------------------------------------------------------------------

_previous_directory = None


def command_cd(shell, call):
    global _previous_directory
    target = call.args[0] if call.args else "~"
    if target == "-":
        if _previous_directory is None:
            raise CommandError("there is no previous directory")
        target = _previous_directory
    here = os.getcwd()
    try:
        os.chdir(os.path.expanduser(target))
    except OSError as error:
        raise CommandError(f"{target}: {error.strerror}") from None
    _previous_directory = here
    return None if call.has("-q") else View(os.getcwd() + "\n")


def command_pwd(shell, call):
    return os.getcwd()


def command_env(shell, call):
    if not call.args:
        rows = sorted(os.environ.items())
        return View("".join(f"{name}={value}\n" for name, value in rows), None, dict(rows))
    name, equals, value = call.args[0].partition("=")
    if not equals and len(call.args) > 1:
        value, equals = " ".join(call.args[1:]), "="
    if equals:
        os.environ[name] = value
        return View(f"{name}={value}\n", None, {name: value})
    if name not in os.environ:
        raise CommandError(f"{name} is not set")
    return os.environ[name]


def command_matplotlib(shell, call):
    if call.args and call.args[0] not in ("inline", "agg"):
        raise CommandError(f"figures are shown inline here; {call.args[0]} is not supported")
