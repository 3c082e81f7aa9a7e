# SPDX-License-Identifier: Apache-2.0
"""Device failures as exceptions with a message at the user's call."""

from .._compiler.errors import DiagnosedError
from .._compiler.messages import message


class DeviceError(DiagnosedError, RuntimeError):
    """A GPU, its driver or its compiler is missing, rejects the kernel or has failed. TileLang raises RuntimeError there."""


DeviceError.__module__ = "tilelab"


def fail(name, arguments, notes=(), helps=()):
    """Also called by the C++ side."""
    raise DeviceError(message(name, *arguments, note=notes, help=helps))
