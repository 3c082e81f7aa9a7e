# SPDX-License-Identifier: Apache-2.0
"""The warning for outputs with NaN or infinity that no input has."""

from .. import _core


def message_of(kernel, found):
    """One line without a location: it is about the run, and %check finds the source line."""
    kind = "NaN or infinity" if found["nan"] and found["inf"] else "NaN" if found["nan"] else "infinity"
    if found["poison"] == found["nan"] + found["inf"]:
        kind = "uninitialized values"
    first = f"{found['buffer']}[{', '.join(map(str, found['first']))}]"
    return _core.message("output-not-finite", [kernel, kind, f"{found['nan'] + found['inf']} of {found['elements']}",
                                               found["buffer"], first, ". %check, or `tilelab check FILE`, finds the cause"])
