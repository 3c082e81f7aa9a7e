# SPDX-License-Identifier: Apache-2.0
"""Files in the user's state directory. Only the user can read them, whatever made the directory and whatever the umask is."""

import contextlib
import os


def state_path(*names):
    """A path in the user's state directory of tilelab."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "tilelab", *names)


def state_folder(*names):
    """The path of a folder in that directory, made if it does not exist. Raises OSError if that fails."""
    for path in (state_path(), state_path(*names)):
        os.makedirs(path, mode=0o700, exist_ok=True)
    return state_path(*names)


def replace_file(path, data):
    """Writes bytes to a file of such a folder, at once: no process reads a part of them. Raises OSError if that fails."""
    import tempfile

    handle, fresh = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(fresh, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(fresh)
        raise
