# SPDX-License-Identifier: Apache-2.0
"""%diff of two kernels, versions, variants or targets."""

from .. import _core


def compared(a, b, after=""):
    """The difference of two registry entries after a pass; by default after the first one where they differ."""
    # Edited IR starts after a pass: compare after that pass. Targets differ once all choices of tile level are made.
    starts = [entry.kernel._func.after for entry in (a, b)]
    retargeted = (a.name, a.version, a.constants) == (b.name, b.version, b.constants) and a.kernel.target != b.kernel.target
    after = after or starts[0] or starts[1] or ("insert_barriers" if retargeted else "elaborate")
    texts = [entry.pipeline("").text("elaborate" if start == after else after) for entry, start in zip((a, b), starts)]
    return _core.views.compare(f"{a.full_name} -> {b.full_name}", *texts)
