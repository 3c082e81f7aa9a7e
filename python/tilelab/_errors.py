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

    def __init__(self, text, findings=()):
        self.findings = list(findings)
        super().__init__(text)

    def _render_traceback_(self):
        return str(self).split("\n")


def check(diagnostics):
    """Raises on errors, shows warnings (each once) otherwise."""
    errors = [d for d in diagnostics if d["error"]]
    if errors:
        raise CompileError(diagnostics)
    for d in diagnostics:
        _warn(d)


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


class TilelabWarning(UserWarning):
    """A kernel that runs but is likely wrong or slow."""


def _warn(d):
    import warnings

    warnings.warn_explicit("\n" + d["text"].rstrip(), TilelabWarning, d["span"]["file"] or "<kernel>",
                           d["span"]["line"])


def finding_text(finding):
    """A finding as interface.md shows it: kind, place, one line for each side."""
    head = f"{finding['kind']}: "
    if finding["buffer"]:
        element = finding["element"]
        head += finding["buffer"] + ("" if element.startswith("[") else " ") + element + " "
    x, y, z = finding["block"]
    head += f"in block ({x}, {y}, {z})"
    if finding["count"] > 1:
        head += f", {finding['count']} times"
    lines = [head]
    for side in finding["where"] + finding["related"]:
        span = side["span"]
        place = f"{span['file']}, line {span['line']}" if span["line"] else "(made by the compiler)"
        lines.append(f"  {place}    {side['line_text'].strip()}     {side['actor']} {side['verb']}".rstrip())
    if finding["detail"]:
        lines.append(f"  {finding['detail']}")
    if not finding["where"]:
        lines.append(f"  {finding['meaning']}")
    return "\n".join(lines)
