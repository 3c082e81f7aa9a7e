# SPDX-License-Identifier: Apache-2.0
"""`determine_target("auto")`: the default target of kernels."""

from ..names import attributes as _attributes

__getattr__ = _attributes(__name__)


def determine_target(target="auto", return_object=False):
    """The name of the target, or with `return_object` a Target; ValueError for unknown names."""
    from .._gpu.targets import target_name
    from ..tvm.target import Target

    name = target_name(target)
    return Target(name) if return_object else name


def auto_detect_target():
    return determine_target("auto")
