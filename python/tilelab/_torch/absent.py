# SPDX-License-Identifier: Apache-2.0
"""The base of layers where torch is not installed."""


class NeedsTorch:
    """Its classes can be imported, but not instantiated."""

    def __init__(self, *_, **__):
        raise ImportError(f"tilelab.nn.{type(self).__name__} is a layer of torch, which is not installed; use the operators of tilelab.ops on arrays")
