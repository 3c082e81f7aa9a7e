# SPDX-License-Identifier: Apache-2.0
from ..language.fp8 import determine_fp8_type
from ..names import attributes as _attributes
from .tensor import TensorSupplyType, map_torch_type, torch_assert_close

__all__ = ["TensorSupplyType", "build_date", "deprecated", "determine_fp8_type", "map_torch_type", "torch_assert_close"]
__getattr__ = _attributes(__name__)


def build_date(version_str=None):
    """None: tilelab's versions have no date."""


def deprecated(method_name, new_method_name, phaseout_version=None):
    """Decorator: a call warns to use another name."""
    import functools
    import warnings

    until = f"; it will be removed in version {phaseout_version}" if phaseout_version else ""

    def decorate(function):
        @functools.wraps(function)
        def warning(*args, **kwargs):
            warnings.warn(f"{method_name} is deprecated, use {new_method_name}{until}", DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        return warning

    return decorate
