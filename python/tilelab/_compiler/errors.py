# SPDX-License-Identifier: Apache-2.0
"""Exceptions of the package."""


class NoBuilderError(RuntimeError):
    """A function of the language was called outside of a kernel."""


JITNoBuilderError = NoBuilderError


class CompileError(ValueError, RuntimeError):
    """A kernel that tilelab refuses; `diagnostics` holds the messages."""

    def __init__(self, diagnostics):
        self.diagnostics = diagnostics
        super().__init__("\n" + "\n".join(d["text"].rstrip() + "\n" for d in diagnostics).rstrip())

    def _render_traceback_(self):
        import sys

        key = "ansi" if sys.stdout.isatty() else "text"
        return "\n\n".join(d[key].rstrip() for d in self.diagnostics).split("\n")

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": "\n\n".join(d["text"].rstrip() for d in self.diagnostics),
                "text/html": "".join(d["html"] for d in self.diagnostics)}


class ArgumentError(ValueError, TypeError, RuntimeError):
    """An argument of a kernel that does not fit its signature. Nothing has run."""


class KernelError(RuntimeError):
    """What the simulator found while a kernel ran; `findings` holds the details."""

    def __init__(self, name, findings, shown):
        self.findings = list(findings)
        self.shown = shown
        super().__init__(f"kernel {name}\n" + shown["text"].rstrip())

    def _render_traceback_(self):
        import sys

        key = "ansi" if sys.stdout.isatty() else "text"
        return [str(self).split("\n")[0]] + self.shown[key].rstrip().split("\n")

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": str(self), "text/html": self.shown["html"]}


for _class in (NoBuilderError, CompileError, ArgumentError, KernelError):
    _class.__module__ = "tilelab"  # where users find them


def refuse(diagnostics):
    """Raises where there are errors. Notes are for those who ask: %explain, %check."""
    if any(d["error"] for d in diagnostics):
        raise CompileError([d for d in diagnostics if d["severity"] != "note"])


class saying_what_ended:
    """A KeyboardInterrupt of the block says what it ended."""

    def __init__(self, what):
        self.what = what

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is KeyboardInterrupt and not error.args:
            error.args = (self.what,)
        return False


def raise_if_ended(name, result):
    """Raises what a signal's handler raised during a run: KeyboardInterrupt, as a rule."""
    error = result["raised"]
    if error is None:
        return
    blocks = f"{result['blocks']} of {result['all_blocks']} blocks"
    with saying_what_ended(f"kernel {name}, after {blocks}"):
        raise error


def raise_if_refused(name, result):
    """Raises ArgumentError where the host section did not take the arguments."""
    if result["status"] == "refused":
        span = result["error_span"]
        place = f"\n  --> {span['file']}, line {span['line']}" if span["line"] else ""
        raise ArgumentError(f"kernel {name}: {result['error']}{place}")
