# SPDX-License-Identifier: Apache-2.0
"""Which float8 a device has: `determine_fp8_type("e4m3")`."""

from .._compiler.dtypes import dtype

_NAMES = {"e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "e8m0": "float8_e8m0fnu"}


def determine_fp8_type(fp8_format="e4m3"):
    """The dtype of the format; all of tilelab's targets use the OCP formats."""
    if fp8_format not in _NAMES:
        raise ValueError(f"{fp8_format!r} is not a float8 format: {', '.join(_NAMES)}")
    return dtype(_NAMES[fp8_format])
