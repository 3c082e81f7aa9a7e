# SPDX-License-Identifier: Apache-2.0
"""The object __tilelab__: what transformed command lines call."""

import builtins

import _tilelab_host as host

from .._commands import handler
from .view import Call, CommandError, View


class Magic:
    """Runs commands for the cell that is executed."""

    def __init__(self, shell):
        self.shell = shell

    def command(self, name, line):
        """%name line, as a statement: shows what the command gives."""
        return self._run(name, line, None, 0, True)

    def command_value(self, name, line):
        """x = %name line: gives the value and shows nothing."""
        return self._run(name, line, None, 0, False)

    def cell_command(self, name, line, body, lines_above):
        """%%name line, with the rest of the cell; lines_above of the cell stand before `body`."""
        if name == "!":
            return self.system(body)
        return self._run(name, line, body, lines_above, True)

    def _run(self, name, line, body, lines_above, shown):
        if body is None and "{" in line and not host.takes_code(name):
            line = self.expand(line)
        extra = self.shell.extra_commands.get((name, body is not None))
        if extra is not None:  # an extension may replace a command
            return extra(line) if body is None else extra(line, body)
        answer = host.command(name, line, body, lines_above)
        if "command_error" in answer:
            raise CommandError(answer["command_error"])
        if "python" in answer:
            call = Call(answer)
            value = handler(name)(self.shell, call)
            if not isinstance(value, View):
                return value
            view, as_json = value, "--json" in call.options
        else:
            view, as_json = View(answer["text"], answer.get("html"), answer.get("json")), False
            view.page = answer.get("page", False)
            as_json = answer.get("as_json", False)
        if not shown:
            return view
        view.show(as_json)
        return None

    def system(self, command):
        """!command: runs in the user's shell, with the terminal as it is."""
        from .._commands import system

        status = system.run_shell(self.expand(command, dollar=True))
        self.shell.ns["_exit_code"] = status

    def system_output(self, command):
        """x = !command: the lines that it prints."""
        from .._commands import system

        return system.shell_lines(self.expand(command, dollar=True))

    def help(self, name, detail):
        """name? and name??"""
        from .inspect import inspect_name

        if name.startswith("%"):
            return self.command(name.strip("%"), "--help")
        bundle = inspect_name(self.shell, name, detail)
        if not bundle:
            raise CommandError(f"{name}: not found")
        host.page(bundle)
        return None

    def expand(self, text, dollar=False):
        """Puts values in for {expression}, and for $name where `dollar` is set."""
        import re

        def value(match):
            if match[0] == "$$":
                return "$"
            source = match[1] or match[2]
            if match[2] and not dollar:
                return match[0]
            try:
                return str(builtins.eval(source, self.shell.ns))
            except Exception:
                return match[0]

        return re.sub(r"\$\$|\{([^{}\n]+)\}|\$([A-Za-z_]\w*)", value, text)
