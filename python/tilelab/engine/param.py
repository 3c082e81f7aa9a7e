# SPDX-License-Identifier: Apache-2.0
"""Parameters of a kernel, for code that makes its arguments."""

from .._kernel.params import KernelParam  # noqa: F401
