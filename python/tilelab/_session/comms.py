# SPDX-License-Identifier: Apache-2.0
"""Comms: messages between widgets and their views in a browser, managed by the package `comm` and transported by tilelab."""

import json
import sys

import _tilelab_host as host

from .display import json_text
from .pristine import __builtins__  # unaffected by user code

_TYPES = ("comm_open", "comm_msg", "comm_close")


class _Requests:
    """The kernel attribute of a comm: gives the current request."""

    def get_parent(self, channel=None):
        return {"header": json.loads(host.request_header() or "{}")}


def _plain(value):
    """JSON form of NumPy numbers, dates and the like in a widget's data."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"a comm cannot send {type(value).__name__}")


def _send(msg_type, content, metadata, buffers):
    texts = [memoryview(b).tobytes().decode("latin-1") for b in buffers or ()]
    host.comm(msg_type, json_text(content, _plain), json_text(metadata or {}, _plain), texts)


def take_over(module):
    """Runs when the package `comm` has been imported."""
    from comm.base_comm import BaseComm, CommManager

    class Comm(BaseComm):
        kernel = _Requests()

        def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
            content = {"data": data or {}, "comm_id": self.comm_id, **keys}
            _send(msg_type, content, metadata, buffers)

    manager = CommManager()
    module.create_comm = Comm
    module.get_comm_manager = lambda: manager


def greet_widgets(module):
    """Registers the target by which a page requests the existing widgets; IPython would do so."""
    if register := getattr(module, "register_comm_target", None):
        register()
    from .display import show_figures

    # interact() captures its figures in its own output.
    module.widgets.interaction.show_inline_matplotlib_plots = show_figures


def greet_bars(module):
    """Gives tqdm.auto its widget bars in a notebook; it would ask IPython."""
    try:
        from tqdm import notebook
    except ImportError:
        return
    if host.captures() and notebook.IProgress is not None:
        module.tqdm, module.trange = notebook.tqdm, notebook.trange


def _manager():
    module = sys.modules.get("comm")
    return module and module.get_comm_manager()


def arrived(msg_type, header, content, metadata, buffers):
    """Dispatches a message to its comm; False if no comm here has that ID."""
    manager, content = _manager(), json.loads(content)
    name = content.get("target_name") if msg_type == "comm_open" else content.get("comm_id")
    known = manager and (manager.targets if msg_type == "comm_open" else manager.comms)
    if msg_type not in _TYPES or not known or not isinstance(name, str) or name not in known:
        return False
    content.setdefault("data", {})
    getattr(manager, msg_type)(None, None, {
        "header": json.loads(header), "parent_header": {}, "metadata": json.loads(metadata), "content": content, "msg_type": msg_type,
        "buffers": [memoryview(text.encode("latin-1")) for text in buffers]})
    return True


def listed(target):
    """JSON text: {comm_id: {"target_name": ...}} of a target, or of all."""
    manager = _manager()
    return json.dumps({} if not manager else {
        name: {"target_name": comm.target_name} for name, comm in list(manager.comms.items())
        if target in ("", comm.target_name)})
