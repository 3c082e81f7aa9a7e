# SPDX-License-Identifier: Apache-2.0
"""The object __tilelab__: transformed command lines call its methods."""

import builtins
import sys

import _tilelab_host as host

from .view import Call, CommandError, View

handler = run_ipython_command = None  # look up a command; run an IPython command. Set by _commands


def own_failure(error):
    """Whether no user code is between a command and its error."""
    trace = error.__traceback__
    while trace:
        module = trace.tb_frame.f_globals.get("__name__") or ""
        if module.partition(".")[0] not in (*sys.stdlib_module_names, "tilelab") or module == "__main__":
            return False
        trace = trace.tb_next
    return True


class Magic:
    """Runs commands for the current cell."""

    def __init__(self, shell):
        self.shell = shell

    def show(self, value):
        """Shows the value of a statement before the last one."""
        self.shell.show_result(value)

    def command(self, name, line):
        """%name line, as a statement: shows the result."""
        return self._run(name, line, None, 0, True)

    def command_value(self, name, line):
        """x = %name line: returns the value and shows nothing."""
        return self._run(name, line, None, 0, False)

    def cell_command(self, name, line, body, lines_above):
        """%%name line with its cell; lines_above of the cell precede `body`."""
        return self.system(body) if name == "!" else self._run(name, line, body, lines_above, True)

    def _run(self, name, line, body, lines_above, shown):
        if body is None and ("{" in line or "$" in line) and (name == "pip" or not host.takes_code(name)):
            line = self.expand(line, dollar=True)
        extra = self.shell.extra_commands.get((name, body is not None))
        if extra is not None:  # extensions may override commands
            return extra(line) if body is None else extra(line, body)
        answer = host.command(name, line, body, lines_above)
        if "command_error" in answer:
            known, value = run_ipython_command(self, name, line, body)
            if not known:
                raise CommandError(answer["command_error"])
            as_json = False
        elif "python" in answer:
            call = Call(answer, name)
            try:
                value = handler(answer["python"])(self.shell, call)
            except OSError as error:
                if not own_failure(error):
                    raise
                text = f"{error.filename}: {error.strerror}" if error.filename else str(error)
                raise CommandError(text) from None
            as_json = "--json" in call.options
        else:
            value, as_json = View(answer["text"], answer.get("html"), answer.get("json")), answer.get("as_json", False)
            value.page = answer.get("page", False)
        return value.show(as_json) if shown and isinstance(value, View) else value

    def system(self, command):
        """!command: runs in the user's shell, on the current terminal."""
        from .processes import run

        status = run(self.expand(command, dollar=True))
        self.shell.ns["_exit_code"] = status

    def system_output(self, command):
        """x = !command: the lines of its output."""
        from .processes import shell_lines

        return shell_lines(self.expand(command, dollar=True))

    def help(self, name, detail):
        """name? and name??"""
        from .inspect import inspect_name

        if name.startswith("%"):
            return self.command(name.strip("%"), "--help")
        if "*" in name:
            return self.names_like(name)
        if not (bundle := inspect_name(self.shell, name, detail)):
            raise CommandError(f"{name}: not found")
        host.page(bundle)
        return None

    def names_like(self, pattern):
        """np.ar*?: the matching names."""
        from fnmatch import fnmatchcase

        from .inspect import evaluate

        owner, dot, last = pattern.rpartition(".")
        if owner:
            found, value = evaluate(self.shell, owner)
            if not found:
                raise CommandError(f"{owner}: not found")
            names = dir(value)
        else:
            names = sorted({*self.shell.ns, *dir(builtins)})
        fitting = [owner + dot + name for name in names if fnmatchcase(name, last) and (last[:1] == "_" or name[:1] != "_")]
        if not fitting:
            raise CommandError(f"{pattern}: no name matches")
        View("".join(f"{name}\n" for name in fitting)).show()

    def expand(self, text, dollar=False):
        """Substitutes {expression}, and $name if `dollar` is set."""
        import re

        frame = sys._getframe(1)
        while frame.f_back and frame.f_globals is not self.shell.ns:
            frame = frame.f_back
        # Names of the function that contains the command.
        known = frame.f_locals if frame.f_globals is self.shell.ns else self.shell.ns

        def value(match):
            if match[0] == "$$":
                return "$"
            if match[1]:
                return "{" + match[1] + "}"
            source = match[2] or match[3]
            if match[3] and not dollar:
                return match[0]
            try:
                return str(builtins.eval(source, self.shell.ns, known))
            except Exception:
                return match[0]

        return re.sub(r"\$\$|\{\{([^{}\n]+)\}\}|\{([^{}\n]+)\}|\$([A-Za-z_]\w*)", value, text)
