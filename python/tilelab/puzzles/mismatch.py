# SPDX-License-Identifier: Apache-2.0
"""Describes a wrong result: which elements are wrong, and where their values come from."""

import numpy as np

_EPS = {"float16": 2.0**-10, "float32": 2.0**-23}
POISON = 0xFF  # every byte of an output before a run: NaN for floats, the largest integer or -1


def mask(got, expected, slack=0.0):
    """The elements that differ by more than two roundings and the tolerance of sums; NaN always does."""
    if got.dtype.kind != "f":
        return got != expected
    allowed = 2 * _EPS[got.dtype.name] * np.abs(expected) + slack + np.finfo(got.dtype).smallest_subnormal
    with np.errstate(invalid="ignore"):
        return ~(np.abs(got.astype(np.float64) - expected) <= allowed)


def untouched(got):
    """The elements that still hold the poison."""
    raw = np.ascontiguousarray(got).reshape(-1, 1).view(np.uint8).reshape(got.size, got.dtype.itemsize)
    return (raw == POISON).all(axis=1).reshape(got.shape)


def element(name, index):
    return f"{name}[{', '.join(str(int(i)) for i in index)}]"


def number(value):
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


def region(name, bad):
    """The wrong elements in words: all, one, or their bounding box."""
    where = np.argwhere(bad)
    if bad.size == 1 or len(where) == bad.size:
        return f"all {bad.size} elements of {name}" if bad.size > 1 else f"the one element of {name}"
    low, high = where.min(axis=0), where.max(axis=0)
    if len(where) == 1:
        return element(name, low)
    box = ", ".join(str(a) if a == b else f"{a}:{b + 1}" for a, b in zip(low, high))
    inside = int(np.prod(high - low + 1))
    among = "" if inside == len(where) else f" ({len(where)} of the {inside} there)"
    return f"{name}[{box}]{among}"


def _only_place(value, array):
    """The index of the only element with a value, or None."""
    if not np.isfinite(value) or value == 0:
        return None
    found = np.argwhere(array == value)
    return found[0] if len(found) == 1 else None


def likeness(name, got, expected, bad, inputs):
    """One line on the likely origin of the wrong values, or "". `inputs`: {name: array}."""
    wrong, right = got[bad].astype(np.float64), np.asarray(expected)[bad].astype(np.float64)
    first = np.argwhere(bad)[0]
    if np.isnan(wrong).all():
        return "all of them are NaN"
    if not wrong.any():
        return "all of them are 0"
    if got.ndim == 2 and got.shape[0] == got.shape[1] > 1 and not mask(got, np.asarray(expected).T).any():
        return "it is the transpose of what is expected"
    if not np.isfinite(got[tuple(first)]):
        return "inf - inf, 0 / 0, or a number that is too large"
    if (place := _all_in(got, bad, np.asarray(expected).astype(got.dtype))) is not None:
        return f"{element(name, first)} holds the value of {element(name, place)}"
    for source, array in inputs.items():
        place = _all_in(got, bad, array) if array.dtype == got.dtype else None
        if place is not None:
            return f"{element(name, first)} holds {element(source, place)} unchanged"
    near = (np.abs(wrong - right) <= 0.02 * np.abs(right)).all()
    if near and got.dtype == np.float32 and _halves(wrong) and not _halves(right):
        return "float16 precision: an intermediate value is not float32"
    return _ratio(wrong, right)


def _halves(values):
    """Whether all values are representable in float16."""
    with np.errstate(over="ignore"):
        return bool((values == values.astype(np.float16)).all())


def _all_in(got, bad, array):
    """The position in `array` of the first wrong value, if it holds each of several once, else None. One value may match by chance."""
    places = [_only_place(got[tuple(where)], array) for where in np.argwhere(bad)[:6]]
    return None if len(places) < 2 or any(p is None for p in places) else places[0]


def _ratio(wrong, right):
    usable = np.abs(right) > 1e-3
    if usable.sum() < 2:
        return ""
    ratios = wrong[usable] / right[usable]
    if np.ptp(ratios) < 0.02 * abs(ratios.mean()) and abs(ratios.mean()) > 1e-3:
        return f"each is {ratios.mean():.3g} times what it should be"
    differences = wrong - right
    if np.ptp(differences) < 0.02 * abs(differences.mean()):
        return f"each is off by {differences.mean():.3g}"
    return ""
