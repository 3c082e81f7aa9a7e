# SPDX-License-Identifier: Apache-2.0
"""Warnings of torch's functions in C++, which name the innermost Python frame: with a mode of this package that is the mode's. They are issued
again for the line of the program, so that they name it and are shown once for each line."""

import os
import sys
import warnings

FOLDER = os.path.dirname(__file__) + os.sep


def _caller(frame):
    """The innermost frame outside of this folder, or None."""
    while frame is not None and frame.f_code.co_filename.startswith(FOLDER):
        frame = frame.f_back
    return frame


def replace(replacements, *modules):
    """`modules`: those of this folder whose frames call torch's functions."""
    show = warnings._showwarnmsg

    def show_for_the_program(given):
        frame = _caller(sys._getframe(1)) if given.filename.startswith(FOLDER) else None
        if frame is None:
            return show(given)
        registry = frame.f_globals.setdefault("__warningregistry__", {})
        return warnings.warn_explicit(given.message, given.category, frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__"),
                                      registry, source=given.source)

    replacements.put(warnings, "_showwarnmsg", show_for_the_program)
    for module in modules:
        replacements.put(module, "__warningregistry__", None)  # each warning is shown, and issued again
