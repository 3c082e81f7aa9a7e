# SPDX-License-Identifier: Apache-2.0
"""Commands that go back from a result to what made it: %bisect."""

from .._kernel.bisect import Bisect
from .._session.view import CommandError
from .arguments import asking, view
from .kernels import kernel_of
from .looking import called


def joined(words):
    """Words with "(a, b)" put to the word before it: a blank may stand between a kernel and its arguments."""
    out = []
    for word in words:
        if out and word.startswith("("):
            out[-1] += word
        else:
            out.append(word)
    return out


def command_bisect(shell, call):
    words = joined(call.args)
    if not 1 <= len(words) <= 2:
        raise CommandError("%bisect takes a call, or a kernel and a call: %bisect add(a, b), %bisect add#1 add#2(a, b)")
    entry, values = called("bisect", words[-1], shell.ns)
    first, other = entry.kernel, None
    if len(words) == 2:
        first, other = kernel_of(words[0], shell.ns, {}, CommandError).kernel, entry.kernel
    return view(asking(Bisect, first, other, values, call.options.get("--from", ""), call.options.get("--to", "")))
