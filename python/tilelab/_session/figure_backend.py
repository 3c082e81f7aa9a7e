# SPDX-License-Identifier: Apache-2.0
"""matplotlib's backend in a session, "module://tilelab._session.figure_backend": plt.show() shows."""

from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvas  # noqa: F401

from .pristine import __builtins__  # a cell may change Python's
from .display import show_figures


def show(*args, **kwargs):
    """What is open is shown here and now."""
    show_figures()
