# SPDX-License-Identifier: Apache-2.0
"""`from tilelang.layout.fragment import Fragment`."""

from .._compiler.layouts import Fragment

__all__ = ["Fragment"]
