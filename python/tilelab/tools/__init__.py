# SPDX-License-Identifier: Apache-2.0
"""`tilelang.tools`: drawings of layouts as files, and what a kernel needs of a device."""

from .plot_layout import plot_layout

__all__ = ["Analyzer", "plot_layout"]


def __getattr__(name):
    if name == "Analyzer":  # with the simulator's counters
        from .analyzer import Analyzer

        return Analyzer
    from ..names import attributes  # a rarely needed table
    return attributes(__name__)(name)
