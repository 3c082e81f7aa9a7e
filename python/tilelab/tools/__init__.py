# SPDX-License-Identifier: Apache-2.0
"""`tilelang.tools`: drawings of layouts as files."""

from .plot_layout import plot_layout

__all__ = ["plot_layout"]


def __getattr__(name):
    from ..names import attributes  # a rarely needed table
    return attributes(__name__)(name)
