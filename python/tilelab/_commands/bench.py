# SPDX-License-Identifier: Apache-2.0
"""%bench KERNEL(ARGUMENTS)."""

import ast

from .._session.view import CommandError, reject_if
from .._tools.bench import Bench
from .arguments import asking, unquoted, view
from .calls import called


def command_bench(shell, call):
    reject_if(len(call.args) != 1, "%bench takes a call: %bench add(a, b) --beside np.add(a, b)")
    entry, values = called("bench", call.args[0], shell.ns)
    beside, name = None, unquoted(call.options.get("--beside", ""))
    if name:
        try:
            parsed = ast.parse(name, mode="eval")
        except SyntaxError:
            parsed = None
        if parsed is None or not any(isinstance(part, (ast.Call, ast.BinOp, ast.UnaryOp)) for part in ast.walk(parsed)):
            raise CommandError(f"--beside takes an expression that computes, such as np.add(a, b); not {name}")
        code = compile(parsed, "<beside>", "eval")
        beside = lambda: eval(code, shell.ns)  # noqa: E731
    return view(asking(Bench, entry.kernel, values, beside, name, call.number("--runs", 0, 1)))
