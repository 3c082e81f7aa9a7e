# SPDX-License-Identifier: Apache-2.0
"""Exceptions of the package."""


def _form():
    """The form of a message that a traceback shows: "ansi" or "text"."""
    import sys

    host = sys.modules.get("_tilelab_host")
    return "ansi" if (host.color_errors() if host else sys.stdout.isatty()) else "text"


class NoBuilderError(RuntimeError):
    """A function of the language was called outside a kernel."""


JITNoBuilderError = NoBuilderError


class DiagnosedError(Exception):
    """An error with the compiler's messages in `diagnostics`."""

    def __init__(self, said):
        """`said`: one message, several, or plain text."""
        self.diagnostics = [said] if isinstance(said, dict) else [] if isinstance(said, str) else said
        super().__init__(said if isinstance(said, str) else "\n" + "\n".join(d["text"].rstrip() + "\n" for d in self.diagnostics).rstrip())

    def _render_traceback_(self):
        if not self.diagnostics:
            return None
        form = _form()
        return "\n\n".join(d[form].rstrip() for d in self.diagnostics).split("\n")

    def _repr_mimebundle_(self, include=None, exclude=None):
        if not self.diagnostics:
            return {"text/plain": str(self)}
        return {"text/plain": "\n\n".join(d["text"].rstrip() for d in self.diagnostics),
                "text/html": "".join(d["html"] for d in self.diagnostics)}


class CompileError(DiagnosedError, ValueError, RuntimeError):
    """The compiler rejects the kernel."""


class ArgumentError(DiagnosedError, ValueError, TypeError, RuntimeError):
    """An argument does not match the kernel's signature. Nothing has run."""


class UsageError(DiagnosedError, ValueError, TypeError, AssertionError, RuntimeError):
    """jit, compile or a kernel was used incorrectly; nothing was made. The bases are those that other packages raise."""


class KernelError(RuntimeError):
    """The simulator found errors while a kernel ran; `findings` holds the details."""

    def __init__(self, name, findings, shown):
        self.findings = list(findings)
        self.shown = shown
        # The problem comes first, since some front ends show only the first line of an exception.
        super().__init__(shown["text"].rstrip() + f"\nin kernel {name}")

    def _render_traceback_(self):
        return self.shown[_form()].rstrip().split("\n") + [str(self).split("\n")[-1]]

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": str(self), "text/html": self.shown["html"]}


for _class in (NoBuilderError, DiagnosedError, CompileError, ArgumentError, UsageError, KernelError):
    _class.__module__ = "tilelab"  # the public location


def refuse(diagnostics):
    """Raises CompileError if there are errors. Notes are left to %explain and %check."""
    if any(d["error"] for d in diagnostics):
        raise CompileError([d for d in diagnostics if d["severity"] != "note"])


def is_internal(error):
    """Whether an exception is a failed CHECK of the compiler."""
    return isinstance(error, RuntimeError) and str(error).startswith("internal error")


class interrupt_message:
    """Adds to a KeyboardInterrupt of the block which work it interrupted."""

    def __init__(self, what):
        self.what = what

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is KeyboardInterrupt and not error.args:
            error.args = (self.what,)


def compiling(name):
    """Wraps a whole compilation: an interrupt may also arrive between its parts."""
    return interrupt_message(f"while compiling kernel {name}")


def raise_if_ended(name, result):
    """Raises the exception of a signal handler during a run, usually KeyboardInterrupt."""
    if (error := result["raised"]) is None:
        return
    far = f", after {result['blocks']} of {result['all_blocks']} blocks" if result["all_blocks"] else ""
    with interrupt_message(f"kernel {name}{far}"):
        raise error
