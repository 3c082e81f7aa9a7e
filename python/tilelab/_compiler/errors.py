# SPDX-License-Identifier: Apache-2.0
"""Exceptions of the package."""


def _tone():
    """Which of a message's texts a traceback shows."""
    import sys

    host = sys.modules.get("_tilelab_host")
    return "ansi" if (host.color_errors() if host else sys.stdout.isatty()) else "text"


class NoBuilderError(RuntimeError):
    """A function of the language was called outside of a kernel."""


JITNoBuilderError = NoBuilderError


class DiagnosedError(Exception):
    """What the compiler's messages say; `diagnostics` holds them."""

    def __init__(self, said):
        """`said`: a message, several, or plain text."""
        self.diagnostics = [said] if isinstance(said, dict) else [] if isinstance(said, str) else said
        super().__init__(said if isinstance(said, str) else "\n" + "\n".join(d["text"].rstrip() + "\n" for d in self.diagnostics).rstrip())

    def _render_traceback_(self):
        if not self.diagnostics:
            return None
        tone = _tone()
        return "\n\n".join(d[tone].rstrip() for d in self.diagnostics).split("\n")

    def _repr_mimebundle_(self, include=None, exclude=None):
        if not self.diagnostics:
            return {"text/plain": str(self)}
        return {"text/plain": "\n\n".join(d["text"].rstrip() for d in self.diagnostics),
                "text/html": "".join(d["html"] for d in self.diagnostics)}


class CompileError(DiagnosedError, ValueError, RuntimeError):
    """A kernel that tilelab refuses."""


class ArgumentError(DiagnosedError, ValueError, TypeError, RuntimeError):
    """An argument of a kernel that does not fit its signature. Nothing has run."""


class UsageError(DiagnosedError, ValueError, TypeError, AssertionError, RuntimeError):
    """jit, compile or a kernel used in a way that they do not have; nothing was made. Other packages
    raise one or another of these kinds."""


class KernelError(RuntimeError):
    """What the simulator found while a kernel ran; `findings` holds the details."""

    def __init__(self, name, findings, shown):
        self.findings = list(findings)
        self.shown = shown
        # What is wrong comes first: some show an exception's first line alone.
        super().__init__(shown["text"].rstrip() + f"\nin kernel {name}")

    def _render_traceback_(self):
        return self.shown[_tone()].rstrip().split("\n") + [str(self).split("\n")[-1]]

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": str(self), "text/html": self.shown["html"]}


for _class in (NoBuilderError, DiagnosedError, CompileError, ArgumentError, UsageError, KernelError):
    _class.__module__ = "tilelab"  # where users find them


def refuse(diagnostics):
    """Raises where there are errors. Notes are for those who ask: %explain, %check."""
    if any(d["error"] for d in diagnostics):
        raise CompileError([d for d in diagnostics if d["severity"] != "note"])


def is_internal(error):
    """Whether an exception says that a CHECK of the compiler failed."""
    return isinstance(error, RuntimeError) and str(error).startswith("internal error")


class interrupt_message:
    """A KeyboardInterrupt of the block says what it ended."""

    def __init__(self, what):
        self.what = what

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is KeyboardInterrupt and not error.args:
            error.args = (self.what,)
        return False


def compiling(name):
    """Around all that a kernel's compilation does: between its parts an interrupt may come as well."""
    return interrupt_message(f"while kernel {name} was compiled")


def raise_if_ended(name, result):
    """Raises what a signal's handler raised during a run: KeyboardInterrupt, as a rule."""
    error = result["raised"]
    if error is None:
        return
    far = f", after {result['blocks']} of {result['all_blocks']} blocks" if result["all_blocks"] else ""
    with interrupt_message(f"kernel {name}{far}"):
        raise error
