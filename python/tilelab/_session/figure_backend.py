# SPDX-License-Identifier: Apache-2.0
"""matplotlib's backend in a session, "module://tilelab._session.figure_backend": plt.show() shows figures."""

from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvas  # noqa: F401

from .pristine import __builtins__  # unaffected by user code
from .display import show_figures


def show(*args, **kwargs):
    """Shows the open figures now."""
    show_figures()
