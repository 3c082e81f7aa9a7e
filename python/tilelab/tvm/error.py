# SPDX-License-Identifier: Apache-2.0
"""What TVM's exceptions are here."""

from .._errors import CompileError as InternalError
from .._errors import CompileError as TVMError

__all__ = ["InternalError", "TVMError"]
