# SPDX-License-Identifier: Apache-2.0
"""Rich display with IPython's API: values to MIME bundles, {mime: text}; binary types are base64, JSON types are JSON text. In a session
they go to the front end; in a plain program display() prints the text."""

import sys

from .repr_methods import METHODS
from .pristine import __builtins__  # unaffected by user code
from .plain_text import plain_text

_sinks = []  # stack of lists that capture displays: %%capture


def _host():
    """The host module of the front end, or None outside a session."""
    return sys.modules.get("_tilelab_host")


def json_text(value, default=None):
    """JSON for browsers: null for numbers that JSON can't represent."""
    import json

    try:
        return json.dumps(value, default=default, allow_nan=False)
    except ValueError:
        return json.dumps(json.loads(json.dumps(value, default=default), parse_constant=lambda _: None))


def _encode(mime, data):
    if isinstance(data, bytes):
        import base64

        return base64.b64encode(data).decode("ascii")
    if mime.endswith("json") and not isinstance(data, str):
        return json_text(data)
    return data if isinstance(data, str) else str(data)


def _split(data):
    """A representation is data or (data, metadata)."""
    return data if isinstance(data, tuple) and len(data) == 2 else (data, None)


def _report_failure(error, what):
    """Reports a failing representation; the others are shown."""
    from .error import format_error

    print(f"{what} failed and is omitted:", *format_error(error, False), sep="\n", file=sys.stderr)


def _made_by(function, what):
    """(data, metadata) of a representation, (None, None) if there is none."""
    try:
        return _split(function())
    except NotImplementedError:
        return None, None
    except Exception as error:
        _report_failure(error, what)
        return None, None


def _registered(mime, value):
    """The function that a library has registered for the type by get_ipython().display_formatter."""
    module = sys.modules.get("tilelab._session.formatters")
    return module.function_for(mime, value) if module else None


def shows_itself(value):
    """Calls an object's _ipython_display_, if it has one."""
    kind = type(value)
    module = sys.modules.get("tilelab._session.formatters")
    function = module and module.registered.ipython_display_formatter.of(value)
    if not function and (getattr(kind, "_ipython_display_", None) is None or isinstance(value, type)):
        return False
    try:
        function(value) if function else value._ipython_display_()
    except NotImplementedError:
        return False
    except Exception as error:
        _report_failure(error, f"{kind.__name__}._ipython_display_")
        return False
    return True


def mime_bundle(value, include=None, exclude=None):
    """({mime: text}, {mime: metadata}) of any object, always with text/plain."""
    bundle, metadata = {}, {}
    kind = type(value)
    is_type = isinstance(value, type)
    if getattr(kind, "_repr_mimebundle_", None) is not None and not is_type:
        data, more = _made_by(lambda: value._repr_mimebundle_(include=include, exclude=exclude), f"{kind.__name__}._repr_mimebundle_")
        bundle.update(data or {})
        metadata.update(more or {})
    for mime, name in METHODS.items():
        function = _registered(mime, value)
        if mime in bundle or not (function or (not is_type and getattr(kind, name, None) is not None)):
            continue
        data, more = _made_by((lambda: function(value)) if function else getattr(value, name), f"{kind.__name__}.{name}")
        if data is not None:
            bundle[mime] = data
            if more:
                metadata[mime] = more
    if kind.__module__ == "matplotlib.figure" and kind.__name__ == "Figure":
        from .figures import bundle_of

        drawn, sizes = bundle_of(value)
        bundle, metadata = {**drawn, **bundle}, {**sizes, **metadata}
    if "text/plain" not in bundle:
        bundle["text/plain"] = plain_text(value)
    chosen = {
        mime: _encode(mime, data)
        for mime, data in bundle.items()
        if mime == "text/plain" or ((not include or mime in include) and mime not in (exclude or ()))
    }
    return chosen, metadata


def pack(bundle, metadata):
    """The arguments for the host: metadata as JSON text, "" if there is none."""
    return bundle, json_text(metadata) if metadata else ""


def take_displays(sink):
    """Captures displays in the list `sink` until give_back_displays()."""
    _sinks.append(sink)


def give_back_displays():
    _sinks.pop()


def is_captured():
    return bool(_sinks)


def captured(bundle, metadata, display_id="", update=False):
    """Whether a sink has taken the display."""
    if _sinks:
        _sinks[-1].append((bundle, metadata, display_id, update))
    return bool(_sinks)


def shown_in_terminal(bundle):
    """Whether the session's terminal has shown the picture of a display."""
    host = _host()
    if "image/png" not in bundle or host.captures() or not host.isatty(1):
        return False
    from . import terminal_pictures

    if text := terminal_pictures.shown(bundle):
        sys.stdout.write(text)
    return bool(text)


def _send(bundle, metadata, display_id, update):
    if captured(bundle, metadata, display_id, update):
        return
    if host := _host():
        if not shown_in_terminal(bundle):
            host.display(*pack(bundle, metadata), display_id or "", update)
    else:
        print(bundle.get("text/plain", ""))


def show_figures():
    """Shows and closes the open figures of matplotlib."""
    if (pyplot := sys.modules.get("matplotlib.pyplot")) is None:
        return
    from . import figures

    for number in pyplot.get_fignums():
        display(pyplot.figure(number))
    if figures.closes:
        pyplot.close("all")


class DisplayHandle:
    """A display that can be updated."""

    def __init__(self, display_id=None):
        if not isinstance(display_id, str):
            import uuid

            display_id = uuid.uuid4().hex
        self.display_id = display_id

    def __repr__(self):
        return f"<DisplayHandle display_id={self.display_id}>"

    def display(self, obj, **options):
        display(obj, display_id=self.display_id, **options)

    def update(self, obj, **options):
        update_display(obj, display_id=self.display_id, **options)


def display(*objs, include=None, exclude=None, metadata=None, transient=None, display_id=None, raw=False, clear=False, update=False, **_):
    """Shows objects in their richest form. With display_id (True: a new one) returns a handle."""
    if transient and not display_id:
        display_id = transient.get("display_id")
    handle = DisplayHandle(display_id) if display_id else None
    if clear:
        clear_output(wait=True)
    for obj in objs:
        if not raw and shows_itself(obj):
            continue
        bundle, own = ({m: _encode(m, d) for m, d in obj.items()}, {}) if raw else mime_bundle(obj, include, exclude)
        _send(bundle, {**own, **(metadata or {})}, handle and handle.display_id, update)
    return handle


def update_display(obj, *, display_id, **options):
    """Replaces the display with that display_id."""
    display(obj, display_id=display_id, update=True, **options)


def publish_display_data(data, metadata=None, *, transient=None, **options):
    """Shows a ready bundle {mime: data}."""
    display(data, raw=True, metadata=metadata, transient=transient, **options)


def clear_output(wait=False):
    """Removes the cell's displays; with wait, when the next output arrives."""
    if host := _host():
        host.clear_output(bool(wait))


def __getattr__(name):
    """Other names of IPython.display: ours, or those of an installed IPython."""
    if name.startswith("_"):
        raise AttributeError(name)
    import importlib

    for module in ("tilelab._session.media", "IPython.lib.display", "IPython.core.display"):
        try:
            place = importlib.import_module(module)
        except ImportError:
            continue
        # Without IPython the last one is an alias of this module.
        if place is not sys.modules[__name__] and hasattr(place, name):
            return getattr(place, name)
    raise AttributeError(f"tilelab has no IPython.display.{name}")


class DisplayObject:
    """Text or bytes with a MIME type; `url` and `filename` are read at construction."""

    _mime = "text/plain"
    _binary = False

    def __init__(self, data=None, url=None, filename=None, metadata=None):
        if isinstance(data, str) and url is None and data.startswith(("http://", "https://")):
            data, url = None, data
        if filename is not None:
            with open(filename, "rb") as file:
                data = file.read()
        elif url is not None:
            import urllib.request

            with urllib.request.urlopen(url) as reply:
                data = reply.read()
        if isinstance(data, bytes) and not self._binary:
            data = data.decode("utf-8", "replace")
        self.data, self.url, self.filename, self.metadata = data, url, filename, metadata

    def __repr__(self):
        return f"<{type(self).__module__}.{type(self).__name__} object>".replace("tilelab._session.display", "IPython.core.display")

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self._mime: self.data}, ({self._mime: self.metadata} if self.metadata else {})


class Bundle:
    """A ready display: {mime: data} and {mime: metadata}."""

    def __init__(self, data, metadata):
        self.data, self.metadata = data, metadata

    def __repr__(self):
        return self.data.get("text/plain", "")

    def _repr_mimebundle_(self, include=None, exclude=None):
        return self.data, self.metadata


class Code(DisplayObject):
    """Source text in a monospaced frame."""

    def __init__(self, data=None, url=None, filename=None, language=None, metadata=None):
        super().__init__(data, url, filename, metadata)
        self.language = language

    def __repr__(self):
        return str(self.data)

    def _repr_mimebundle_(self, include=None, exclude=None):
        from html import escape

        return {"text/plain": str(self.data), "text/html":
                f'<pre style="font-family:monospace;margin:0">{escape(str(self.data))}</pre>'}, {}


def _kind(name, mime):
    return type(name, (DisplayObject,), {"_mime": mime, "__module__": __name__})


HTML, Markdown, Latex = _kind("HTML", "text/html"), _kind("Markdown", "text/markdown"), _kind("Latex", "text/latex")
SVG, Javascript = _kind("SVG", "image/svg+xml"), _kind("Javascript", "application/javascript")


class JSON(DisplayObject):
    """Data as a tree; `expanded`: open at first, below the name `root`."""

    _mime = "application/json"

    def __init__(self, data=None, url=None, filename=None, expanded=False, metadata=None, root="root", **more):
        super().__init__(data, url, filename, {"expanded": expanded, "root": root, **(metadata or {}), **more})
        if isinstance(self.data, str):
            import json

            self.data = json.loads(self.data)


class Math(Latex):
    def __init__(self, data=None, **options):
        super().__init__(f"$\\displaystyle {str(data).strip('$')}$", **options)


class Pretty(DisplayObject):
    def __repr__(self):
        return str(self.data)


class Image(DisplayObject):
    """A PNG or JPEG from bytes, a file or an address; width and height in pixels."""

    _binary = True

    def __init__(self, data=None, url=None, filename=None, format=None, embed=None, width=None, height=None,
                 retina=False, unconfined=False, metadata=None, alt=None):
        if isinstance(data, str) and url is None and not data.startswith("data:"):
            data, url, filename = (None, data, filename) if data.startswith("http") else (None, url, data)
        self.width, self.height, self.alt = width, height, alt
        self.linked = url is not None and not embed  # loaded by the browser
        size = {k: v for k, v in (("width", width), ("height", height), ("unconfined", unconfined), ("alt", alt)) if v}
        super().__init__(data, None if self.linked else url, filename, {**size, **(metadata or {})} or None)
        self.url = url
        if retina and isinstance(self.data, bytes) and self.data[:8] == b"\x89PNG\r\n\x1a\n" and not width:
            from .figures import png_size

            self.width, self.height = (n // 2 for n in png_size(self.data))
            self.metadata = {**(self.metadata or {}), "width": self.width, "height": self.height}
        jpeg = isinstance(self.data, bytes) and self.data[:2] == b"\xff\xd8"
        self.format = format or ("jpeg" if jpeg else "png")
        self._mime = "image/" + {"jpg": "jpeg", "svg": "svg+xml"}.get(self.format, self.format)

    def _repr_mimebundle_(self, include=None, exclude=None):
        if not self.linked:
            return super()._repr_mimebundle_(include, exclude)
        from html import escape

        size = "".join(f' {name}="{escape(str(value))}"' for name, value in
                       (("width", self.width), ("height", self.height), ("alt", self.alt)) if value)
        return {"text/html": f'<img src="{escape(self.url)}"{size}/>'}, {}
