# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels as arguments of commands: %check add(a, b)."""

import ast
import types

from .._kernel.registry import known
from .._session.view import CommandError, reject_if
from ..jit import JITImpl
from .arguments import unquoted
from .kernels import kernel_of, value_of


def joined(words):
    """The words, with each "(a, b)" appended to the word before it: a blank may separate a kernel from its arguments."""
    out = []
    for word in words:
        if out and word.startswith("("):
            out[-1] += word
        else:
            out.append(word)
    return out


def arguments_of(word):
    """The text of the arguments."""
    return word[len(call_parts(word)[0]):].replace(" ", "")


def reference(shell, call):
    """The function of --against; None without."""
    if not call.has("--against"):
        return None
    against = value_of(unquoted(call.options["--against"]), shell.ns, CommandError)
    if not callable(against):
        raise CommandError(f"--against takes a function of the inputs, such as np.matmul; not {call.options['--against']}")
    return against


def call_parts(text):
    """(callee, ast.Call) of "add#1 (a, b)", a kernel name that is not Python syntax; (text, None) if nothing is called."""
    for at, letter in enumerate(text):
        if letter == "(" and at > 0:
            try:
                node = ast.parse("f" + text[at:].strip(), mode="eval").body
            except SyntaxError:
                continue
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                return text[:at].strip(), node
    return text, None


def _given(command, node, names):
    """(positional values, keyword values) of a call's arguments."""
    given = ast.Expression(ast.List(node.args, ast.Load()))
    values = eval(compile(ast.fix_missing_locations(given), f"<{command}>", "eval"), names)
    return values, {k.arg: eval(compile(ast.Expression(k.value), f"<{command}>", "eval"), names) for k in node.keywords}


def kernel_or_call(command, text, names):
    """(kernel, arguments or None) of a word that names a kernel, makes one, such as matmul(256, 256), or calls one."""
    callee, node = call_parts(text)
    if node is None or _makes(value_of(callee, names, CommandError), *_given(command, node, names)):
        return kernel_of(text, names, {}, CommandError), None
    return called(command, text, names)


def _makes(value, values, keywords):
    """Whether a call of `value` returns a kernel, compiled or made before: it has no tensor argument."""
    if isinstance(value, types.FunctionType):  # tilelang.last_kernel()
        return True
    lazy = isinstance(value, JITImpl) and value.mode != "eager"
    return lazy and not any(hasattr(one, "shape") for one in (*values, *keywords.values()))


def called(command, text, names):
    """(kernel, arguments) of a call that is a command's argument."""
    text, node = call_parts(text)
    reject_if(node is None, f"%{command} takes a call: %{command} add(a, b)")
    values, keywords = _given(command, node, names)
    value = value_of(text, names, CommandError)
    if hasattr(value, "compiled_call"):  # kernel[grid]
        kernel, arguments = value.compiled_call(values, keywords)
        return known(kernel), arguments
    if isinstance(value, JITImpl) and value.mode == "eager":
        entry = known(value.compile(*values, **keywords))
        wanted = [n for n in value.signature.parameters if n in value._runtime]
        bound = value.signature.bind_partial(*values, **{k: v for k, v in keywords.items() if k in value.signature.parameters})
        return entry, [bound.arguments[n] for n in wanted if n in bound.arguments]
    if (values or keywords) and _makes(value, values, keywords):
        made = f"{text}({', '.join([*map(repr, values), *(f'{k}={v!r}' for k, v in keywords.items())])})"
        raise CommandError(f"{made} returns a kernel; %{command} takes a call of it: %{command} {made}(a, b)")
    entry = kernel_of(text, names, {}, CommandError)
    if keywords:
        raise CommandError(f"{entry.name} takes no argument {min(keywords)!r}")
    return entry, values
