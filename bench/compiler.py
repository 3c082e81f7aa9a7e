# SPDX-License-Identifier: Apache-2.0
"""The compiler: a GEMM from its source to MUSA C, and what keeping all snapshots costs."""

import statistics

from measure import Measured, child, median_and_best


def source_to_c(setup):
    out = child(setup, "passes.py", setup.repeats(50))
    parts = ", ".join(f"{k} {min(out[k]):.2f}" for k in ("elaborate", "passes", "render"))
    return Measured(statistics.median(out["all"]), None, "", f"median; min {min(out['all']):.2f}: {parts}")


def passes_of(*names):
    """All passes, of the slowest of these kernels for sm_90a."""
    def measure(setup):
        out = child(setup, "passes_of.py", setup.repeats(20))
        slowest = max(names, key=lambda name: statistics.median(out[name]))
        return Measured(statistics.median(out[slowest]), None, "", "median; " + ", ".join(
            f"{name} {statistics.median(out[name]):.2f}, min {min(out[name]):.2f}" for name in names))
    return measure


def growth(kind, size):
    """The factor by which twice the size takes longer."""
    def measure(setup):
        out = child(setup, "growth.py", setup.repeats(5), kind, size, kind, 2 * size)
        once, twice = out[f"{kind} {size}"], out[f"{kind} {2 * size}"]
        steep = max((s for s in once if once[s] > 1), key=lambda s: twice[s] / once[s], default="all")
        return Measured(twice["all"] / once["all"], None, "", f"{once['all']:.1f} to {twice['all']:.1f} ms; the steepest "
                        f"part: {steep}, {once[steep]:.1f} to {twice[steep]:.1f}")
    return measure


def around_passes(*kinds):
    """The checks' share of the passes' time, for the kernel with the largest share."""
    def measure(setup):
        out = child(setup, "growth.py", setup.repeats(5), *(word for each in kinds for word in each))
        share = {name: v["around"] / (v["passes"] - v["around"]) for name, v in out.items()}
        return Measured(max(share.values()), None, "", ", ".join(
            f"{name}: {out[name]['around']:.2f} beside {out[name]['passes'] - out[name]['around']:.2f} ms"
            for name in share))
    return measure


def compile_time(*kinds):
    """Timings of the slowest of these kernels."""
    def measure(setup):
        out = child(setup, "growth.py", setup.repeats(5), *(word for each in kinds for word in each))
        name, slowest = max(out.items(), key=lambda item: item[1]["all"])
        parts = ", ".join(f"{k} {slowest[k]:.3g}" for k in ("ast", "elaborate", "passes", "C"))
        return Measured(slowest["all"], None, "", f"{name}: {parts}; all: " + ", ".join(
            f"{k} {v['all']:.3g}" for k, v in out.items()))
    return measure


def snapshots(setup):
    out = child(setup, "passes.py", setup.repeats(100))
    kept, dropped = min(out["kept"]), min(out["dropped"])
    return Measured(kept / dropped, None, "", f"kept {kept:.3f} ms, dropped {dropped:.3f} ms, min of {len(out['kept'])}")
