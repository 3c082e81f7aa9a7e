# SPDX-License-Identifier: Apache-2.0
"""What is said of a run whose outputs hold NaN or infinity that its inputs did not."""

from .. import _core


def message_of(kernel, found):
    """One line, without a place: it is the run's, and %check finds the line."""
    kind = "NaN or infinity" if found["nan"] and found["inf"] else "NaN" if found["nan"] else "infinity"
    if found["poison"] == found["nan"] + found["inf"]:
        kind = "what nothing has written"
    first = f"{found['buffer']}[{', '.join(map(str, found['first']))}]"
    return _core.message("output-not-finite", [kernel, kind, f"{found['nan'] + found['inf']} of {found['elements']}",
                                               found["buffer"], first])
