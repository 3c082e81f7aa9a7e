# SPDX-License-Identifier: Apache-2.0
"""%load_ext and %autoreload: extensions of IPython, and the one that is built in."""

import importlib
import sys

from .._session.reload import Reloader
from .._session.view import CommandError, View, reject_if

_reloader = None
_loaded = {"autoreload"}


def _reloads(shell):
    global _reloader
    if _reloader is None:
        _reloader = Reloader(shell.ns)
        shell.before_cell.append(_reloader.check)
        shell.after_cell.append(_reloader.watch)
    return _reloader


def _one_name(call, name):
    reject_if(len(call.args) != 1, f"%{name} takes one name")
    return call.args[0]


def _module(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name == "IPython" or (missing.name or "").startswith("IPython."):
            raise CommandError(f"the extension {name} needs IPython itself: %pip install ipython") from None
        if missing.name != name:
            raise
        raise CommandError(f"unknown extension {name}; %pip install may find it") from None


def command_load_ext(shell, call):
    from .._session.ipython import stand_in

    name = _one_name(call, "load_ext")
    if name in _loaded:
        return
    module = _module(name)
    reject_if(not hasattr(module, "load_ipython_extension"), f"{name} is not an extension: it has no load_ipython_extension()")
    module.load_ipython_extension(stand_in(shell))
    _loaded.add(name)


def command_reload_ext(shell, call):
    name = _one_name(call, "reload_ext")
    if name != "autoreload" and name in _loaded:
        _loaded.discard(name)
        importlib.reload(sys.modules[name])
    return command_load_ext(shell, call)


def command_unload_ext(shell, call):
    from .._session.ipython import stand_in

    name = _one_name(call, "unload_ext")
    reject_if(name not in _loaded, f"{name} is not loaded")
    if name == "autoreload":  # built in
        if _reloader:
            _reloader.mode = 0
        return
    leave = getattr(sys.modules.get(name), "unload_ipython_extension", None)
    reject_if(leave is None, f"{name} cannot be unloaded: it has no unload_ipython_extension()")
    leave(stand_in(shell))
    _loaded.discard(name)


_MODES = {"0": 0, "off": 0, "1": 1, "explicit": 1, "2": 2, "all": 2, "3": 2, "complete": 2}


def command_autoreload(shell, call):
    reloader, word = _reloads(shell), call.args[0].lower() if call.args else "now"
    if word == "now":
        return reloader.check(everything=True)
    reject_if(word not in _MODES, f"%autoreload takes 0, 1, 2, 3 or now, not {word}")
    reloader.mode = _MODES[word]
    reloader.watch()


def command_aimport(shell, call):
    reloader = _reloads(shell)
    if not call.args:
        followed = sorted(reloader.chosen) if reloader.mode == 1 else ["all modules"] if reloader.mode else ["none"]
        left_out = f"; not {', '.join(sorted(reloader.excluded))}" if reloader.excluded else ""
        return View(f"reloaded: {', '.join(followed)}{left_out}\n")
    for name in " ".join(call.args).replace(",", " ").split():
        if name.startswith("-"):
            reloader.excluded.add(name[1:])
            reloader.chosen.discard(name[1:])
        else:
            shell.ns[name.partition(".")[0]] = __import__(name)
            reloader.chosen.add(name)
            reloader.excluded.discard(name)
    reloader.watch()
    return None
