# SPDX-License-Identifier: Apache-2.0
"""The compiler: a GEMM from its source to MUSA C, and what keeping all snapshots costs."""

import statistics

from measure import Measured, child, median_and_best


def source_to_c(setup):
    out = child(setup, "passes.py", setup.repeats(50))
    parts = ", ".join(f"{k} {min(out[k]):.2f}" for k in ("elaborate", "passes", "render"))
    return Measured(statistics.median(out["all"]), None, "", f"median; min {min(out['all']):.2f}: {parts}")


def snapshots(setup):
    out = child(setup, "passes.py", setup.repeats(100))
    kept, dropped = min(out["kept"]), min(out["dropped"])
    return Measured(kept / dropped, None, "", f"kept {kept:.3f} ms, dropped {dropped:.3f} ms, min of {len(out['kept'])}")
