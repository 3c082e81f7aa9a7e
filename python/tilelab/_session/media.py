# SPDX-License-Identifier: Apache-2.0
"""Rarely used parts of IPython.display: frames, links, audio, video. `display` loads them from here."""

import base64
import mimetypes
import os
from html import escape
from urllib.parse import urlencode

from .pristine import __builtins__  # unaffected by user code
from .display import JSON, DisplayHandle, DisplayObject, display, publish_display_data
from .repr_methods import METHODS


def _embedded(data, mime):
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"


class _Element:
    """An object shown as one HTML element."""

    def _repr_html_(self):
        raise NotImplementedError

    def __repr__(self):
        return f"<IPython.display.{type(self).__name__} object>"


class IFrame(_Element):
    """An embedded page; further options become its query string."""

    def __init__(self, src, width, height, extras=None, **params):
        self.src = src + ("?" + urlencode(params) if params else "")
        self.width, self.height, self.extras = width, height, list(extras or ())

    def _repr_html_(self):
        extras = " ".join(self.extras)
        return (f'<iframe width="{self.width}" height="{self.height}" src="{escape(self.src)}" frameborder="0" '
                f"allowfullscreen {extras}></iframe>")


class YouTubeVideo(IFrame):
    def __init__(self, id, width=400, height=300, allow_autoplay=False, **params):
        self.id = id
        extras = ['allow="autoplay"'] if allow_autoplay else []
        super().__init__("https://www.youtube.com/embed/" + id, width, height, extras, **params)


class VimeoVideo(IFrame):
    def __init__(self, id, width=400, height=300, **params):
        self.id = id
        super().__init__("https://player.vimeo.com/video/" + id, width, height, **params)


class ScribdDocument(IFrame):
    def __init__(self, id, width=400, height=300, **params):
        self.id = id
        super().__init__(f"https://www.scribd.com/embeds/{id}/content", width, height, **params)


class FileLink(_Element):
    """A link to a file next to the notebook."""

    def __init__(self, path, url_prefix="", result_html_prefix="", result_html_suffix="<br>"):
        self.path, self.url_prefix = str(path), url_prefix
        self.before, self.after = result_html_prefix, result_html_suffix

    def _repr_html_(self):
        if not os.path.exists(self.path):
            return f"no file {escape(self.path)}"
        link = f'<a href="{escape(self.url_prefix + self.path)}" target="_blank">{escape(self.path)}</a>'
        return self.before + link + self.after

    def __repr__(self):
        return os.path.abspath(self.path)


class FileLinks(_Element):
    """Links to the files of a folder and its subfolders."""

    def __init__(self, path, url_prefix="", included_suffixes=None, result_html_prefix="", result_html_suffix="<br>", recursive=True, **_):
        self.path, self.url_prefix, self.suffixes = str(path).rstrip(os.sep), url_prefix, included_suffixes
        self.before, self.after, self.recursive = result_html_prefix, result_html_suffix, recursive

    def _files(self):
        for folder, below, names in os.walk(self.path):
            below[:] = sorted(below) if self.recursive else []
            if kept := [n for n in sorted(names) if self.suffixes is None or n.endswith(tuple(self.suffixes))]:
                yield folder, [os.path.join(folder, n) for n in kept]

    def _repr_html_(self):
        return "".join(escape(folder) + "/<br>" + "".join(
            FileLink(f, self.url_prefix, "&nbsp;&nbsp;" + self.before, self.after)._repr_html_() for f in files)
            for folder, files in self._files())

    def __repr__(self):
        return "\n".join(line for folder, files in self._files() for line in (folder + "/", *("  " + os.path.basename(f) for f in files)))


def _sound(samples, rate, normalize):
    """A WAV file of samples, [channel][time] or [time]."""
    import io
    import wave

    import numpy as np

    values = np.asarray(samples, dtype=float)
    values = values.reshape(1, -1) if values.ndim == 1 else values
    peak = np.abs(values).max() if normalize and values.size else 1
    if not normalize and values.size and np.abs(values).max() > 1:
        raise ValueError("samples must be between -1 and 1 if they are not normalized")
    ints = (values / (peak or 1) * 32767).astype("<i2")
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(len(ints))
        file.setsampwidth(2)
        file.setframerate(int(rate))
        file.writeframes(ints.T.tobytes())
    return out.getvalue()


class Audio(_Element):
    """Sound from a file, an address, bytes, or samples with their rate."""

    def __init__(self, data=None, filename=None, url=None, embed=None, rate=None, autoplay=False, normalize=True, *, element_id=None):
        if isinstance(data, str):
            url, filename, data = (data, filename, None) if "://" in data else (url, data, None)
        if filename is not None:
            with open(filename, "rb") as file:
                data = file.read()
        elif data is not None and not isinstance(data, bytes):
            if rate is None:
                raise ValueError("samples need a rate: Audio(samples, rate=44100)")
            data = _sound(data, rate, normalize)
        self.mime = mimetypes.guess_type(filename or url or "x.wav")[0] or "audio/wav"
        self.data, self.url, self.autoplay, self.element_id = data, url, autoplay, element_id

    def _repr_html_(self):
        source = self.url if self.data is None else _embedded(self.data, self.mime)
        name = f' id="{self.element_id}"' if self.element_id else ""
        return (f'<audio{name} controls{" autoplay" if self.autoplay else ""}>' f'<source src="{source}" type="{self.mime}"></audio>')


class Video(_Element):
    """Video from a file or an address; with `embed` it is stored in the notebook."""

    def __init__(self, data=None, url=None, filename=None, embed=False, mimetype=None, width=None, height=None, html_attributes="controls"):
        if isinstance(data, str):
            url, filename, data = (data, filename, None) if "://" in data else (url, data, None)
        self.url = url or filename
        self.mime = mimetype or mimetypes.guess_type(self.url or "x.mp4")[0] or "video/mp4"
        if embed and filename and data is None:
            with open(filename, "rb") as file:
                data = file.read()
        self.data, self.width, self.height, self.attributes = data, width, height, html_attributes

    def _repr_html_(self):
        source = self.url if self.data is None else _embedded(self.data, self.mime)
        size = "".join(f' {name}="{value}"' for name, value in (("width", self.width), ("height", self.height)) if value)
        return f'<video src="{source}" {self.attributes}{size}></video>'


TextDisplayObject = DisplayObject


class GeoJSON(JSON):
    _mime = "application/geo+json"


class ProgressBar:
    """A progress bar; iterating over it advances it."""

    def __init__(self, total):
        self.total, self.html_width, self.text_width, self._handle = total, "60ex", 60, DisplayHandle()
        self._progress = 0

    def __repr__(self):
        filled = int(self._progress / self.total * self.text_width) if self.total else self.text_width
        return f"[{'=' * filled}{' ' * (self.text_width - filled)}] {self._progress}/{self.total}"

    def _repr_html_(self):
        return f'<progress style="width:{self.html_width}" max="{self.total}" value="{self._progress}"></progress>'

    def display(self):
        self._handle.display(self)

    def update(self):
        self._handle.update(self)

    @property
    def progress(self):
        return self._progress

    @progress.setter
    def progress(self, value):
        self._progress = value
        self.update()

    def __iter__(self):
        self.display()
        self._progress = -1
        return self

    def __next__(self):
        if self._progress + 1 >= self.total:
            raise StopIteration
        self.progress += 1
        return self._progress


def _one_form(name, mime):
    """Makes display_html and the like: objects in one form; `raw`: they are in that form already."""
    def show(*objs, raw=False, metadata=None, **options):
        for obj in objs:
            if raw:
                publish_display_data({mime: obj}, {mime: metadata} if metadata else None)
            else:
                display(obj, metadata=metadata, include=["text/plain", mime], **options)

    show.__name__ = show.__qualname__ = name
    return show


for _mime, _method in {"text/plain": "_repr_pretty_", **METHODS}.items():
    _name = "display" + _method[len("_repr"):-1]
    globals()[_name] = _one_form(_name, _mime)


def set_matplotlib_formats(*formats, **_):
    """Sets the formats of figures."""
    from . import figures

    figures.set_formats(formats)


def set_matplotlib_close(close=True):
    """Sets whether figures are closed after the cell that made them."""
    from . import figures

    figures.closes = bool(close)
