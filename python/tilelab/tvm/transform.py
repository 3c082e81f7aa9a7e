# SPDX-License-Identifier: Apache-2.0
"""PassContext: pass configurations for the kernels compiled inside it."""

from .._compiler import ignored_options, settings
from ..names import attributes as _attributes
from ..transform import config_values

__path__ = []
__getattr__ = _attributes(__name__)

_levels = []  # opt_level of the entered contexts, outermost first


class PassContext:
    """`with PassContext(config={...}):`; a kernel's own configurations take precedence."""

    def __init__(self, opt_level=2, required_pass=None, disabled_pass=None, instruments=None, config=None):
        ignored_options.take("PassContext", dict(required_pass=required_pass, disabled_pass=disabled_pass, instruments=instruments))
        self.opt_level = opt_level
        self.config = config_values(config)

    @classmethod
    def current(cls):
        """A context with the configurations in effect, those of the contexts around it included."""
        return cls(_levels[-1] if _levels else 2)

    def __enter__(self):
        self._outer = settings.pass_configs
        settings.pass_configs = {**self._outer, **self.config}
        _levels.append(self.opt_level)
        return self

    def __exit__(self, *error):
        settings.pass_configs = self._outer
        _levels.pop()
