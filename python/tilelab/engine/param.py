# SPDX-License-Identifier: Apache-2.0
"""What a kernel takes, for code that makes its arguments."""

from .._kernel.params import KernelParam  # noqa: F401
