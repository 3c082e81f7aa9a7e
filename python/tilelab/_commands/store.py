# SPDX-License-Identifier: Apache-2.0
"""%store: values that outlast the session, one pickle per name."""

import os
import pickle

from .._compiler.state_files import replace_file, state_folder, state_path
from .._session.view import CommandError, View, reject_if


def _names():
    try:
        return sorted(entry.removesuffix(".pickle") for entry in os.listdir(state_path("store")) if entry.endswith(".pickle"))
    except OSError:
        return []


def _path(name):
    reject_if(not name.isidentifier(), f"%store takes names, not {name}")
    return state_path("store", name + ".pickle")


def _keep(shell, name):
    path = _path(name)
    reject_if(name not in shell.ns, f"{name} is not defined here")
    try:
        data = pickle.dumps(shell.ns[name])
    except Exception as error:  # whatever a class's own pickling raises
        raise CommandError(f"{name} cannot be stored: {error}") from None
    state_folder("store")
    replace_file(path, data)
    return f"stored {name}, {type(shell.ns[name]).__name__}, {len(data)} bytes\n"


def _restored(shell, name):
    try:
        with open(_path(name), "rb") as file:
            shell.ns[name] = pickle.load(file)
    except FileNotFoundError:
        raise CommandError(f"no stored {name}; {', '.join(_names()) or 'nothing is stored'}") from None
    except Exception as error:  # the class may have changed or not be defined yet
        return f"{name} cannot be restored: {error}\n"
    return f"{name}, {type(shell.ns[name]).__name__}\n"


def _written(shell, words):
    """%store NAME > FILE: the text of a value."""
    sign = next(word for word in words if word in (">", ">>"))
    at = words.index(sign)
    reject_if(at != 1 or len(words) != 3, "%store NAME > FILE")
    if words[0] not in shell.ns:
        raise CommandError(f"{words[0]} is not defined here")
    value, path = shell.ns[words[0]], os.path.expanduser(words[2])
    text = value if isinstance(value, str) else "\n".join(map(str, value)) if isinstance(value, list) else repr(value)
    with open(path, "w" if sign == ">" else "a", encoding="utf-8") as file:
        file.write(text if text.endswith("\n") else text + "\n")
    return View(f"wrote {path}\n")


def command_store(shell, call):
    words = call.args
    if call.has("-z"):
        for name in _names():
            os.unlink(_path(name))
        return None
    if call.has("-d"):
        reject_if(not words, "%store -d takes names; -z deletes all")
        for name in words:
            reject_if(name not in _names(), f"no stored {name}")
            os.unlink(_path(name))
        return None
    if call.has("-r"):
        return View("".join(_restored(shell, name) for name in words or _names()) or "nothing is stored\n")
    if ">" in words or ">>" in words:
        return _written(shell, words)
    if words:
        return View("".join(_keep(shell, name) for name in words))
    rows = [{"name": name, "bytes": os.path.getsize(_path(name))} for name in _names()]
    text = "".join(f"  {row['name']}  {row['bytes']} bytes\n" for row in rows)
    return View(text or "nothing is stored; %store NAME stores a value\n", None, rows)
