# SPDX-License-Identifier: Apache-2.0
"""Runs, completes and inspects cells for the C++ Session. The entry points, at the end, return plain data and raise nothing."""

import _ast
import builtins
import posix
import sys

import _tilelab_host as host

from . import child_processes, imports
from .pristine import __builtins__  # unaffected by user code
from . import event_loop
from .display import captured, display, mime_bundle, pack, show_figures, shown_in_terminal, shows_itself
from .exits import ExitSession, at_exit_forget, end_child, exit_status, flush_streams
from .error import CONTEXT, format_error, install_hook, plain_lines, str_of
from .source import FUTURE_BITS, record_exec, register

_ONLY_AST = 0x400
_BARE = ("ls", "cd", "pwd", "clear", "cls")


class Exit:
    """exit and quit; callable with a status, as in a Python prompt."""

    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return f"{self._name}() or Ctrl-D ends the session"

    def __call__(self, status=None):
        raise ExitSession(status)


def _here():
    try:
        return posix.getcwd()
    except OSError:  # it was removed
        return ""


def python_text(code):
    """The cell's text as Python. Loads the translator only for cells with commands."""
    if "%" not in code and "!" not in code and "?" not in code and not code.lstrip().startswith(":"):
        if code.startswith(_BARE) and shell:
            from .._compiler.cell_syntax import is_bare_command, transform

            return transform("%" + code) if is_bare_command(code, shell.ns) else code
        return code
    from .._compiler.cell_syntax import transform

    return transform(code)


class Shell:
    """The state of a session: the user's names, the counter, inputs and outputs."""

    def __init__(self, interactive):
        self.interactive = interactive
        self.module = sys.modules["__main__"]
        self.ns = self.module.__dict__
        self.ns.pop("__file__", None)
        self.flags = 0  # __future__ imports apply to later cells
        self.count = 0  # the number of the current cell
        self.ended = 0  # cells and callbacks of widgets
        self.cell_name = ""  # its name in linecache and in messages
        self.sent, self.texts = "", {}  # the current cell as its client sent it; name -> text of all cells, for a debugger
        self.inputs, self.outputs = [""], {}
        self.hidden = {}
        self.extra_commands = {}  # from extensions: {(name, is_cell): function}
        self.before_cell, self.after_cell = [], []  # hooks of extensions
        self.debugs_errors = False  # %pdb
        self.shows = "last_expr"  # IPython's ast_node_interactivity
        self.reset_names()

    def reset_names(self):
        """Resets the names that the session defines in the user's namespace."""
        self.inputs[:], self.outputs = [""], {}
        self.flags = 0
        self.hidden = {"_ih": self.inputs, "_oh": self.outputs, "_dh": [_here()], "In": self.inputs, "Out": self.outputs,
                       "_": "", "__": "", "___": "", "_i": "", "_ii": "", "_iii": "", "exit": Exit("exit"), "quit": Exit("quit")}
        self.ns.update(self.hidden)

    def user_names(self):
        """The names that the user defined, in order of definition."""
        return [
            name for name, value in self.ns.items()
            if not (name.startswith("__") and name.endswith("__"))
            and not (name in self.hidden and value is self.hidden[name])
            and not (name.startswith("_") and name.lstrip("_i").isdigit())
        ]

    # --- running -------------------------------------------------------------------------------

    def interactivity(self):
        """Which expressions a cell shows; many notebooks set InteractiveShell.ast_node_interactivity = "all"."""
        kind = getattr(sys.modules.get("IPython.core.interactiveshell"), "InteractiveShell", None)
        chosen = getattr(kind, "ast_node_interactivity", None)
        return chosen if isinstance(chosen, str) else self.shows

    def compile_cell(self, text, filename):
        """(code of the statements, code of the last expression or None)."""
        flags = self.flags | event_loop.COMPILE_FLAG
        tree = compile(text, filename, "exec", flags | _ONLY_AST, True)
        quiet = _ends_quietly(text)
        shows = self.interactivity()
        if shows != "last_expr":
            from .interactivity import rewrite

            rewrite(tree, shows, quiet)
        last, body = None, tree.body
        if body and isinstance(body[-1], _ast.Expr) and not quiet and shows != "none":
            last = compile(_ast.Expression(body.pop().value), filename, "eval", flags, True)
        code = None
        if body:
            code = compile(tree, filename, "exec", flags, True)
            self.flags |= code.co_flags & FUTURE_BITS
        return code, last

    def run_body(self, code, lines_above=0):
        """Runs text of the current cell that starts `lines_above` lines below its start; returns the value of the last expression."""
        return self.run_compiled(*self.compile_part(code, lines_above))

    def compile_part(self, code, lines_above=0):
        return self.compile_cell("\n" * lines_above + python_text(code), self.cell_name)

    def run_compiled(self, body, last):
        """Runs the result of compile_cell()."""
        if body is not None:
            if body.co_flags & event_loop.CODE_FLAG:
                event_loop.finish(eval(body, self.ns))
            else:
                eval(body, self.ns)
        if last is None:
            return None
        value = eval(last, self.ns)
        return event_loop.finish(value) if last.co_flags & event_loop.CODE_FLAG else value

    def show_result(self, value):
        """The display hook: shows a value and keeps it as _, _N and Out[N]."""
        if value is None:
            return
        if not shows_itself(value):
            bundle, metadata = mime_bundle(value)
            if not captured(bundle, metadata) and not shown_in_terminal(bundle):
                host.result(*pack(bundle, metadata))
        if self.count and value is not self.outputs:
            self.outputs[self.count] = value
            self.ns[f"_{self.count}"] = value
            # Do not overwrite a user's own variable _ (of a loop, from gettext).
            if self.ns.get("_", "") is self.hidden["_"]:
                for new, old in (("___", "__"), ("__", "_")):
                    self.ns[new] = self.hidden[new] = self.ns.get(old, "")
                self.ns["_"] = self.hidden["_"] = value

    def remember_input(self, code):
        while len(self.inputs) <= self.count:
            self.inputs.append("")
        self.inputs[self.count] = code
        for new, old in (("_iii", "_ii"), ("_ii", "_i")):
            self.ns[new] = self.hidden[new] = self.hidden[old]
        self.ns["_i"] = self.hidden["_i"] = self.inputs[self.count - 1]
        self.ns[f"_i{self.count}"] = code

    def run_cell(self, code, name):
        """Runs one cell; returns the error or None. SystemExit counts as an error here."""
        try:
            if code.strip() in ("exit", "quit"):
                raise ExitSession(None)
            self.cell_name = register(name, code)
            self.texts[self.cell_name] = self.sent
            for hook in self.before_cell:
                hook()
            event_loop.run_tasks()
            self.show_result(self.run_body(code))
            event_loop.run_tasks()
            show_figures()
        except BaseException as error:  # the session survives any exception
            if isinstance(error, MemoryError):
                host.release_memory()
            # Drop our frames above the user's unless there are no others.
            trace = error.__traceback__
            while trace and trace.tb_frame.f_globals is not self.ns and trace.tb_next:
                trace = trace.tb_next
            if trace and trace.tb_frame.f_globals is self.ns:
                error.__traceback__ = trace
            if self.debugs_errors and isinstance(error, Exception) and host.has_input():
                self.debug(error)
            return error
        finally:
            self.ended += 1
            for hook in self.after_cell:
                hook()
            flush_streams()
        return None

    def lines_of(self, error):
        """The traceback of an error."""
        return _describe(error)["traceback"]

    def debug(self, error):
        """%pdb: debugs a failed cell."""
        from .post_mortem import post_mortem

        print("\n".join(_describe(error)["traceback"]), file=sys.stderr)
        try:
            post_mortem(error.__traceback__)
        except KeyboardInterrupt:  # also a way to leave it
            pass


def _ends_quietly(text):
    """Whether the last statement of a cell ends in ;, which shows no value."""
    stripped = text.rstrip()
    if "#" in stripped.rsplit("\n", 1)[-1]:
        import io
        import tokenize

        try:
            tokens = [t for t in tokenize.generate_tokens(io.StringIO(text).readline)
                      if t.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE,
                                        tokenize.ENDMARKER, tokenize.INDENT, tokenize.DEDENT)]
        except (tokenize.TokenError, SyntaxError):
            return False
        return bool(tokens) and tokens[-1].string == ";"
    return stripped.endswith(";")


shell = None
_process = posix.getpid()  # a cell may fork


def _describe(error):
    kind = type(error)
    name = kind.__name__ if isinstance(kind.__name__, str) else "Exception"
    try:
        lines = format_error(error, bool(host.color_errors()), CONTEXT if host.captures() else 0)
    except Exception:  # user code may have broken the standard library
        lines = plain_lines(error)
    return {"ename": name, "evalue": str_of(error), "traceback": lines}


def _user_expressions(expressions):
    out = []
    for name, text in expressions:
        try:
            value = eval(compile(text, "<user expression>", "eval", shell.flags, True), shell.ns)
            out.append({"name": name, "value": pack(*mime_bundle(value))})
        except Exception as error:
            out.append({"name": name, "error": _describe(error)})
    return out


# --- entry points ---------------------------------------------------------------------------------


def start(options):
    """Prepares the process: names, imports, and the streams of a shell or kernel."""
    global shell
    from .magic import Magic

    imports.install()
    child_processes.install()
    record_exec()
    shell = Shell(options["interactive"])
    at_exit_forget(shell)
    builtins.__tilelab__ = Magic(shell)
    builtins.display = display
    builtins.get_ipython = get_ipython  # converted notebooks call it in programs
    imports.after_import("pdb", _debug_within_cells)
    if options["streams"]:
        from .output import replace_streams

        replace_streams(lambda: shell.ended)
        imports.search_first("")
        imports.after_import("tilelang", imports.note_replaced)
        imports.after_import("tilelab._kernel.progress", _show_progress)
        imports.after_import("asyncio", event_loop.let_cells_create_tasks)
        imports.after_import("comm", lambda module: _comms().take_over(module))
        imports.after_import("ipywidgets", lambda module: _comms().greet_widgets(module))
        imports.after_import("tqdm.autonotebook", lambda module: _comms().greet_bars(module))
        imports.after_import("IPython", lambda module: setattr(module, "get_ipython", imports.for_cells(module.get_ipython)))
        imports.after_import("matplotlib.pyplot", lambda module: module.switch_backend("module://tilelab._session.figure_backend"))
    else:
        install_hook()


def execute(code, options):
    """Runs a cell and returns its outcome."""
    shell.sent = code
    code = code.removeprefix("\ufeff")  # a byte order mark
    if "\r" in code:
        code = code.replace("\r\n", "\n").replace("\r", "\n")
    if code[:1] in (" ", "\t", "\n"):
        from .._compiler.cell_syntax import without_margin

        code = without_margin(code)
    if code.lstrip().startswith(("tl[", ">>>", "In [")):
        from .._compiler.cell_syntax import without_prompts

        code = without_prompts(code)
    shell.count = options["count"]
    if options["store"]:
        shell.remember_input(code)
    else:
        shell.count = 0
    error = shell.run_cell(code, options["name"])
    if posix.getpid() != _process:
        end_child(error, [] if error is None else _describe(error)["traceback"])
    if error is None:
        return {"user_expressions": _user_expressions(options["expressions"])}
    if isinstance(error, ExitSession) or (isinstance(error, SystemExit) and not shell.interactive):
        return {"exit": True, "status": exit_status(error)}
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    return {"error": _describe(error)}


def get_ipython():
    """The session under IPython's API."""
    from .ipython import stand_in

    return stand_in(shell)


def _debug_within_cells(pdb):
    from .post_mortem import release_interrupts

    shell.after_cell.append(lambda: release_interrupts(pdb))


def _show_progress(progress):
    from .progress_line import new_line

    progress.new_line = new_line


def _comms():
    from . import comms

    return comms


def comm_arrived(msg_type, header, content, metadata, buffers):
    """Handles a comm message; False if no comm here has that ID."""
    shell.count = 0
    taken, failed = True, None
    try:
        taken = _comms().arrived(msg_type, header, content, metadata, buffers)
        show_figures()
    except BaseException as error:  # the session survives any exception
        failed = error
    shell.ended += 1
    lines = [] if failed is None else _describe(failed)["traceback"]
    if posix.getpid() != _process:
        end_child(failed, lines)
    if failed is not None:
        print("\n".join(lines), file=sys.stderr)
    flush_streams()
    return taken


def comms_of(target):
    return _comms().listed(target)


def can_debug():
    """Whether the session's Python has debugpy, which is imported later. Asked by every start of a notebook kernel, so the files are looked
    for without Python's finders, which list each folder; and by the main thread, for which `threading` takes the one that imports it."""
    found = "debugpy" in sys.modules or any(posix.access(f"{folder or '.'}/debugpy/__init__.py", posix.R_OK) for folder in sys.path)
    if found:
        __import__("threading")
    return found


def start_debugging():
    """Starts the thread that answers debug requests."""
    from .debug_requests import start

    start(shell)


def end_debugging():
    if (requests := sys.modules.get(f"{__package__}.debug_requests")) is not None:
        requests.close()


def is_complete(code):
    from .completeness import is_complete

    status, indent = is_complete(code)
    return {"status": status, "indent": indent}


def complete(code, cursor):
    from .complete import complete

    return complete(shell, code, cursor)


def inspect(code, cursor, detail):
    from .inspect import inspect_at

    try:
        return inspect_at(shell, code, cursor, detail) or {}
    except Exception:
        return {}


def text_of(name, words):
    """The plain text of name?; "" if the name is unknown. `words` select chapters of the language."""
    from .inspect import evaluate, inspect_name, language_text, name_in_language

    found, value = evaluate(shell, name)
    if words and name == "T" and (not found or name_in_language(value, name) == "T"):
        return language_text("T", words)
    return inspect_name(shell, name, 0).get("text/plain", "")


def missing_name(name):
    """What %help answers to a name that T lacks."""
    from .. import language

    try:
        getattr(language, name.removeprefix("T."))
    except AttributeError as error:
        return str(error)
    return f"{name} has no section"


def command_text(name):
    """The section of docs/commands about a command; "" if there is none."""
    from .._compiler import language_pages, markdown

    found = language_pages.section_of_command(name)
    return "\n" + markdown.plain(found.text) + "\n" if found else ""


def complete_file(word, cursor):
    from .complete import complete_file

    return complete_file(word, cursor)


def run_program(kind, text, argv):
    from .program import run

    return run(shell, kind, text, argv)


def begin_interactive():
    from .output import replace_streams

    shell.interactive = True
    replace_streams(lambda: shell.ended)
