# SPDX-License-Identifier: Apache-2.0
"""triton.compiler.compiler."""

from .._compiled import CompiledKernel  # noqa: F401


def triton_key():
    """Identifies the compiler."""
    from .. import __version__

    return f"tilelab-{__version__}"
