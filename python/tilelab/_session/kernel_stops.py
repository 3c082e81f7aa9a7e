# SPDX-License-Identifier: Apache-2.0
"""Breakpoints inside of kernels. Before a call of a kernel whose lines have breakpoints, one block of the call is replayed on the simulator,
as by %dbg, and each statement that stops is shown to debugpy as a Python frame: code with the statement's file and line, whose locals are
the names and buffers of the block. The frame's condition, stop and steps are then those of any other line."""

import sys

from .pristine import __builtins__  # unaffected by user code

# pydevd's commands.
_NONE, _INTO, _OVER, _RETURN, _INTO_MY_CODE, _RETURN_MY_CODE = -1, 107, 108, 109, 144, 160
_MOST_BLOCKS = 1 << 16  # that are searched for one in which a condition holds


def frame_code(file, line, name):
    """Code that does nothing, in this line of this file."""
    import ast

    at = {"lineno": line, "end_lineno": line, "col_offset": 0, "end_col_offset": 0}
    return compile(ast.Module([ast.Pass(**at)], []), file, "exec", 0, True).replace(co_name=name)


class KernelStops:
    """Replays kernels of `debugging`, the state of the session's debugger."""

    def __init__(self, debugging):
        import weakref

        self._debugging, self._places, self._replays = debugging, weakref.WeakKeyDictionary(), False

    def update(self):
        """Watches calls while there are breakpoints; otherwise kernels run as without a debugger."""
        from .imports import after_import

        after_import("tilelab._kernel.kernel", self._watch)

    def _watch(self, module):
        wanted = self._debugging.is_attached and any(self._debugging.breakpoints.values())
        module.before_call = self._before_call if wanted else None

    def _before_call(self, kernel, values):
        import threading

        if self._replays or threading.current_thread() is not threading.main_thread():
            return
        step = self._debugging.link.step_state()
        files = self._files(kernel)
        breaks = {(file, one["line"]): one.get("condition", "") for file, lines in files.items()
                  for one in self._debugging.breakpoints.get(self._debugging.paths.get(file, file), ()) if min(lines) <= one["line"] <= max(lines)}
        if not breaks and step.pydev_step_cmd not in (_INTO, _INTO_MY_CODE):
            return
        self._replays = True
        try:
            if (replay := _replay(kernel, values, breaks, files, self._debugging.shell.ns)) is not None:
                replay.run(step)
        finally:
            self._replays = False

    def _files(self, kernel):
        """File -> lines of the kernel's statements, macros included."""
        if (found := self._places.get(kernel)) is None:
            import re

            found = self._places[kernel] = {}
            for file, line in re.findall(r"  # @(.+):(\d+):\d+$", kernel._func.text(True), re.MULTILINE):
                cell = f"cell {file}"  # the text writes a cell as its number
                found.setdefault(cell if cell in self._debugging.paths else file, set()).add(int(line))
        return found


def _replay(kernel, values, breaks, files, names):
    """The replay of a block; None where the call is wrong, which it reports itself."""
    from .._tools.debugger import Debugger

    try:
        debugger = Debugger(kernel._recording(values), names)
        recording = debugger.recording
        if (block := _block(recording, list(breaks.values()))) != recording.block:
            debugger = Debugger(kernel._recording(values, block), names)
    except Exception:
        return None
    return _Replay(debugger, breaks, files)


def _block(recording, conditions):
    """The first block in which a condition can hold, if it names a coordinate of the block; otherwise the first one."""
    from itertools import islice, product

    codes = [compile(text, "<condition>", "eval") for text in conditions if any(name in text for name in recording.indices)]
    if not codes or len(codes) < len(conditions):
        return recording.block
    for z, y, x in islice(product(*(range(extent) for extent in reversed(recording.grid))), _MOST_BLOCKS):
        names = dict(zip(recording.indices, (x, y, z)))
        if any(_can_hold(code, names) for code in codes):
            return x, y, z
    return recording.block


def _can_hold(code, names):
    try:
        return bool(eval(code, names))
    except Exception:  # it also names values of the kernel
        return True


def _step_over(step):
    """The step ends after the call of the kernel, in the user's frame that made it."""
    frame = sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "tilelab":
        frame = frame.f_back
    step.pydev_step_cmd, step.pydev_step_stop = _OVER, frame


class _Replay:
    """Stops in the statements of one block, in the order of their execution."""

    def __init__(self, debugger, breaks, files):
        self._debugger, self._steps, self._files = debugger, debugger.steps, files
        self._lines = {}  # line of a statement -> [(file, line)] where its breakpoints show it
        for place in sorted(breaks):
            if (line := self._statement_at(place[1])) is not None:
                self._lines.setdefault(line, []).append(place)

    def _statement_at(self, line):
        """The line of the statement at a breakpoint: its own, that of a statement around it, or the next one."""
        steps = self._steps
        if line in steps.lines:
            return line
        around = next((a for a, b in zip(steps.line, steps.end_line) if a <= line <= b), None)
        return next((later for later in steps.lines if later > line), None) if around is None else around

    def run(self, step):
        stepping, agent = step.pydev_step_cmd in (_INTO, _INTO_MY_CODE), None
        for position in range(len(self._steps)):
            line, here = self._steps.line[position], self._steps.agent[position]
            places = self._lines.get(line, ())
            if stepping and line and agent in (None, here):
                places = places or (None,)
            for place in places:
                if stepping:
                    step.pydev_step_cmd, step.pydev_step_stop = _INTO, None
                self._stop(position, place)
                stepping = step.pydev_step_cmd != _NONE
                if step.pydev_step_cmd in (_RETURN, _RETURN_MY_CODE):
                    return _step_over(step)
                agent = here if stepping else None
        return _step_over(step) if stepping else None

    def _stop(self, position, place):
        """Runs the frame of a statement; debugpy stops in it or not."""
        debugger = self._debugger
        debugger.position, debugger.agent = position, self._steps.agent[position]
        names = debugger.scope()
        if place is None or len(self._files) > 1:
            span = debugger.recording.event(position)["span"]
            if place is not None and place[0] != span["file"]:
                return  # a macro of another file
            place = place or (span["file"], span["line"])
        exec(frame_code(*place, debugger.title()), debugger.user_names, names)
