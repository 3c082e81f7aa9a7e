# SPDX-License-Identifier: Apache-2.0
"""What TVM's exceptions are here."""

from .._compiler.errors import CompileError as InternalError
from .._compiler.errors import CompileError as TVMError

__all__ = ["InternalError", "TVMError"]
