# SPDX-License-Identifier: Apache-2.0
"""How the C++ side reads and writes tilelab._settings."""

from . import _settings


def get(name):
    return getattr(_settings, name)


def set(name, value):
    setattr(_settings, name, value)
