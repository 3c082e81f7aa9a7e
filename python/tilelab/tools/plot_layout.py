# SPDX-License-Identifier: Apache-2.0
"""plot_layout: the drawing of a layout as SVG and PDF files."""

import os
import warnings

from .._compiler.layouts import Fragment, Layout
from .pdf import pdf_of_svg

_WRITERS = {"pdf": pdf_of_svg, "svg": str.encode}


def _chosen(formats):
    names = [name.strip() for name in formats.lower().split(",")] if isinstance(formats, str) else [str(name) for name in formats]
    if names == ["all"]:
        return list(_WRITERS)
    for name in names:
        if name not in _WRITERS:
            raise ValueError(f'plot_layout writes "pdf" and "svg", not "{name}"; convert an SVG file, or use layout.plot() in a notebook')
    return names


def plot_layout(layout, save_directory="./tmp", name="layout", colormap=None, verbose=False, formats="pdf", view="input", grid_shape=None,
                dtype=None, banks=False):
    """Draws a layout into `save_directory`/`name`.pdf (or .svg, or "all" for both), and prints the path.

    Each cell shows the thread and register of an element of a T.Fragment, or the offset of an element of a T.Layout; with `banks`, its
    bank, for elements of `dtype`. `view="output"` exchanges elements and locations. `grid_shape` draws the elements in other rows and
    columns. `verbose` prints the location of each element. Colors cannot be chosen: `colormap` is ignored.

    Raises TypeError if `layout` is not a layout, and ValueError for an unknown format or view.

        plot_layout(T.Layout((8, 8), lambda i, j: (i, i ^ j)), name="swizzle", formats="svg")
    """
    if not isinstance(layout, Layout):
        raise TypeError(f"plot_layout draws a T.Layout or a T.Fragment, not {type(layout).__name__}; "
                        'k.layout("A_shared").svg is the drawing of a kernel\'s buffer')
    if colormap is not None:
        warnings.warn("plot_layout ignores colormap: the color is that of the thread, bank or offset", UserWarning, stacklevel=2)
    formats = _chosen(formats)
    if verbose:
        _print_elements(layout)
    shown = layout if grid_shape is None else layout.reshape(grid_shape)
    svg = shown.plot(name, dtype, banks, view).svg
    os.makedirs(save_directory, exist_ok=True)
    for kind in formats:
        path = os.path.join(save_directory, f"{name}.{kind}")
        with open(path, "wb") as file:
            file.write(_WRITERS[kind](svg))
        print(f"wrote {path}")


def _print_elements(layout):
    import itertools

    for point in itertools.product(*map(range, layout.shape)):
        held = f"thread {layout.map_forward_thread(point)}, register " if isinstance(layout, Fragment) else ""
        print(f"{list(point)} -> {held}{layout.map_forward_index(point)}")
