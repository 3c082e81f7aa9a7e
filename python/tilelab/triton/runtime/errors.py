# SPDX-License-Identifier: Apache-2.0
"""triton.runtime.errors: classes that programs catch."""

from . import OutOfResources  # noqa: F401

AutotunerError = type("AutotunerError", (Exception,), {})
InterpreterError = type("InterpreterError", (Exception,), {})
PTXASError = type("PTXASError", (Exception,), {})
