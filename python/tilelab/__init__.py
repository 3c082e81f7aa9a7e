# SPDX-License-Identifier: Apache-2.0
"""tilelab: tile kernels in TileLang's syntax, compiled for MUSA and CUDA, run on a simulated GPU."""

__version__ = "0.1.0"
