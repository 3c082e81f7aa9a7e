# SPDX-License-Identifier: Apache-2.0
"""Formats of matplotlib figures."""

from .pristine import __builtins__  # unaffected by user code

formats = ["png"]  # %config InlineBackend.figure_formats
closes = True  # figures close after their cell
FORMATS = ("png", "retina", "png2x", "jpeg", "jpg", "svg", "pdf")
_MIMES = {"jpeg": "image/jpeg", "jpg": "image/jpeg", "svg": "image/svg+xml", "pdf": "application/pdf"}


def set_formats(names):
    for name in names:
        if name not in FORMATS:
            raise ValueError(f"figures are {', '.join(FORMATS)}; not {name}")
    formats[:] = names


def _drawn(figure, kind, **options):
    import io

    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, bbox_inches="tight", **options)
    return buffer.getvalue()


def png_size(png):
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def bundle_of(figure):
    """({mime: data}, {mime: metadata}) of a figure in the chosen formats; of an empty figure, nothing."""
    data, metadata = {}, {}
    if not (figure.axes or figure.lines):
        return data, metadata
    for kind in formats:
        if kind in ("retina", "png2x"):
            png = data["image/png"] = _drawn(figure, "png", dpi=2 * figure.dpi)
            width, height = png_size(png)
            metadata["image/png"] = {"width": width // 2, "height": height // 2}
        elif kind == "png":
            data["image/png"] = _drawn(figure, "png")
        else:
            made = _drawn(figure, kind)
            data[_MIMES[kind]] = made.decode() if kind == "svg" else made
    return data, metadata
