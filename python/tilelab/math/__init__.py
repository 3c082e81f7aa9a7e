# SPDX-License-Identifier: Apache-2.0
"""Integer functions for kernel sizes."""


def cdiv(a, b):
    """a / b, rounded up."""
    return (a + b - 1) // b


def next_power_of_2(x):
    """The least power of two that is at least x; 1 for x <= 1."""
    return 1 << max(int(x) - 1, 0).bit_length()
