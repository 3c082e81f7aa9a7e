# SPDX-License-Identifier: Apache-2.0
"""%bench KERNEL(ARGUMENTS)."""

import ast

from .._session.view import CommandError, reject_if
from .._tools.bench import Bench
from .arguments import asking, view
from .calls import called


def command_bench(shell, call):
    reject_if(len(call.args) != 1, "%bench takes a call: %bench add(a, b) --beside np.add(a, b)")
    entry, values = called("bench", call.args[0], shell.ns)
    beside, name = None, call.options.get("--beside", "")
    if name:
        try:
            code = compile(ast.parse(name, mode="eval"), "<beside>", "eval")
        except SyntaxError:
            raise CommandError(f"--beside takes a call, such as np.add(a, b); not {name}") from None
        beside = lambda: eval(code, shell.ns)  # noqa: E731
    return view(asking(Bench, entry.kernel, values, beside, name, call.number("--runs", 0, 1)))
