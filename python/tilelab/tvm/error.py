# SPDX-License-Identifier: Apache-2.0
"""tilelab's exceptions under TVM's names."""

from .._compiler.errors import CompileError as InternalError
from .._compiler.errors import CompileError as TVMError

__all__ = ["InternalError", "TVMError"]
