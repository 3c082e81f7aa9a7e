# SPDX-License-Identifier: Apache-2.0
"""triton.compiler.errors: every error of a kernel that cannot be compiled is tilelab's CompileError."""

from ..._compiler.errors import CompileError

CompilationError = CompileTimeAssertionFailure = UnsupportedLanguageConstruct = CompileError
