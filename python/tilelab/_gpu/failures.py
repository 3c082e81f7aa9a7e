# SPDX-License-Identifier: Apache-2.0
"""What a device can't do, as an exception with a message at the user's call."""

from .._compiler.errors import DiagnosedError
from .._compiler.messages import message


class DeviceError(DiagnosedError, RuntimeError):
    """A GPU, its driver or its compiler that is missing, refuses or has failed. TileLang raises
    RuntimeError there."""


DeviceError.__module__ = "tilelab"


def fail(name, arguments, notes=(), helps=()):
    """Called by the C++ side as well."""
    raise DeviceError(message(name, *arguments, note=notes, help=helps))
