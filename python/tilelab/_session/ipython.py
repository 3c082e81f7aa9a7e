# SPDX-License-Identifier: Apache-2.0
"""get_ipython() in a cell: the part of IPython's shell that notebooks and extensions use."""

import builtins
import sys

import _tilelab_host as host

from .pristine import __builtins__  # unaffected by user code

_instance = None


class _Events:
    """Callbacks around cells."""

    _NAMES = {"pre_run_cell": "before_cell", "pre_execute": "before_cell", "post_run_cell": "after_cell", "post_execute": "after_cell"}

    def __init__(self, shell):
        self._shell, self._wrapped = shell, {}

    def _list(self, event):
        if event not in self._NAMES:
            raise KeyError(f"unknown event {event}; events are {', '.join(self._NAMES)}")
        return getattr(self._shell, self._NAMES[event])

    def register(self, event, function):
        hooks = self._list(event)
        if (event, function) not in self._wrapped:
            hook = self._wrapped[event, function] = lambda: _call_hook(function)
            hooks.append(hook)

    def unregister(self, event, function):
        self._list(event).remove(self._wrapped.pop((event, function)))


def _call_hook(function):
    """Calls a hook; IPython passes the cell's data to functions with a parameter."""
    import inspect

    try:
        wants = len(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        wants = 0
    try:
        function(*[None] * min(wants, 1))
    except Exception as error:
        print(f"{getattr(function, '__name__', function)}, called around a cell: {error!r}", file=sys.stderr)


class _Interactivity:
    """A base of InteractiveShell: notebooks set and delete the attribute of this name on the class."""

    @property
    def ast_node_interactivity(self):
        return self._shell.shows

    @ast_node_interactivity.setter
    def ast_node_interactivity(self, shows):
        from .interactivity import SHOWS

        if shows not in SHOWS:
            raise ValueError(f"ast_node_interactivity is one of {', '.join(SHOWS)}; not {shows!r}")
        self._shell.shows = shows


class CellResult:
    """What get_ipython().run_cell returns: the value, or the error that was shown."""

    result = error_before_exec = error_in_exec = execution_count = None

    @property
    def success(self):
        return self.error_before_exec is None and self.error_in_exec is None

    def raise_error(self):
        if not self.success:
            raise self.error_before_exec or self.error_in_exec

    def __repr__(self):
        return f"<result of a cell: {self.result!r}>" if self.success else f"<result of a cell: {self.error_before_exec or self.error_in_exec!r}>"


class InteractiveShell(_Interactivity):
    """The session under IPython's names."""

    def __init__(self, shell):
        self._shell = shell
        self.events = _Events(shell)

    @staticmethod
    def initialized():
        """Queried by libraries; False, since they would use more of IPython than exists."""
        return False

    @staticmethod
    def instance(*_, **__):
        return builtins.get_ipython()

    @property
    def user_ns(self):
        return self._shell.ns

    user_global_ns = user_ns

    @property
    def user_module(self):
        return self._shell.module

    @property
    def display_formatter(self):
        from .formatters import registered

        return registered

    @property
    def execution_count(self):
        return self._shell.count

    @property
    def _magic(self):
        return builtins.__tilelab__

    def run_line_magic(self, name, line, _stack_depth=1):
        return self._magic.command(name, line)

    def run_cell_magic(self, name, line, cell):
        return self._magic.cell_command(name, line, cell, 0)

    def magic(self, line):
        name, _, rest = line.lstrip("%").partition(" ")
        return self.run_line_magic(name, rest.strip())

    def system(self, command):
        self._magic.system(command)

    def getoutput(self, command, split=True, depth=0):
        lines = self._magic.system_output(command)
        return lines if split else lines.n

    system_raw = system_piped = system

    def showtraceback(self, *_, **__):
        if (error := sys.exc_info()[1] or getattr(sys, "last_value", None)) is not None:
            print("\n".join(self._shell.lines_of(error)), file=sys.stderr)

    def find_line_magic(self, name):
        return self._found(name, False, lambda line: self.run_line_magic(name, line))

    def find_cell_magic(self, name):
        return self._found(name, True, lambda line, cell: self.run_cell_magic(name, line, cell))

    def find_magic(self, name, magic_kind="line"):
        return self.find_cell_magic(name) if magic_kind == "cell" else self.find_line_magic(name)

    def _found(self, name, is_cell, function):
        own = self._shell.extra_commands.get((name, is_cell))
        kind = "cell" if is_cell else "line"
        return own or next((function for row in host.commands() if row["name"] == name and row[kind]), None)

    def ask_exit(self):
        from .exits import ExitSession

        raise ExitSession(None)

    def del_var(self, name, by_name=False):
        del self._shell.ns[name]

    def drop_by_id(self, variables):
        for name, value in variables.items():
            if self._shell.ns.get(name) is value:
                del self._shell.ns[name]

    def run_cell(self, text, store_history=False, silent=False, shell_futures=True, cell_id=None):
        from .program import run_as_part

        made = CellResult()
        try:
            made.result = run_as_part(self._shell, text, "given")
            if not silent:
                self._shell.show_result(made.result)
        except SyntaxError as error:
            made.error_before_exec = error
        except Exception as error:
            made.error_in_exec = error
        if not made.success:
            print("\n".join(self._shell.lines_of(made.error_before_exec or made.error_in_exec)), file=sys.stderr)
        return made

    def ev(self, text):
        return eval(text, self._shell.ns)

    def ex(self, text):
        exec(text, self._shell.ns)

    def push(self, variables, interactive=True):
        self._shell.ns.update(variables)

    def set_next_input(self, text, replace=False):
        host.set_next_input(text, bool(replace))

    def register_magic_function(self, function, magic_kind="line", magic_name=None):
        self._add(magic_name or function.__name__, magic_kind, function)

    def register_magics(self, *groups):
        """Registers classes or instances of IPython's Magics."""
        for group in groups:
            instance = group(None) if isinstance(group, type) else group
            instance.shell = self
            for kind, functions in instance.magics.items():
                for name, function in functions.items():
                    self._add(name, kind, getattr(instance, function) if isinstance(function, str) else function)

    def _add(self, name, kind, function):
        for is_cell in ([False, True] if kind == "line_cell" else [kind == "cell"]):
            self._shell.extra_commands[name, is_cell] = function

    def __repr__(self):
        return f"<{type(self).__name__} of tilelab>"


def _marker(kind):
    """register_line_magic and the like, without IPython."""
    def register(function_or_name):
        def keep(function, name=None):
            builtins.get_ipython().register_magic_function(function, kind, name or function.__name__)
            return function

        if callable(function_or_name):
            return keep(function_or_name)
        return lambda function: keep(function, function_or_name)

    return register


register_line_magic, register_cell_magic = _marker("line"), _marker("cell")
register_line_cell_magic = _marker("line_cell")


def stand_in(shell):
    """The session's instance. Programs check the name of its class."""
    global _instance
    if _instance is None:
        kind = "ZMQInteractiveShell" if host.captures() else "TerminalInteractiveShell"
        _instance = type(kind, (InteractiveShell,), {})(shell)
    return _instance
