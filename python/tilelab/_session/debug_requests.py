# SPDX-License-Identifier: Apache-2.0
"""Jupyter's debug requests, as ipykernel answers them: Debug Adapter Protocol inside of debug_request, most of it forwarded to debugpy. A
separate thread answers all requests."""

import _thread
import os
import sys

import _tilelab_host as host

from .cell_files import SEED, SUFFIX, CellFiles
from .debug_variables import Variables, is_shown, rich
from .debugpy_link import Link, Refused
from .kernel_stops import KernelStops
from .pristine import __builtins__  # unaffected by user code

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Debugging:
    """The state of debugging in a session; `answer` takes a request and returns the response."""

    def __init__(self, shell):
        self.shell, self.link = shell, None
        self.files, self.variables_at_rest = CellFiles(), Variables(shell)
        self.is_started = False  # between initialize and disconnect
        self.is_attached = False
        self.paths = {}  # name of a cell -> its file
        self.kernel_stops = KernelStops(self)
        self.breakpoints = {}  # path -> as the client set them
        self.stopped = set()  # threads

    def answer(self, request):
        command, sequence = str(request.get("command", "")), request.get("seq", 0)
        response = {"type": "response", "request_seq": sequence, "seq": sequence, "success": True, "command": command}
        arguments = request.get("arguments")
        arguments = arguments if isinstance(arguments, dict) else {}
        try:
            if not self.is_started and command not in _WITHOUT_START:
                raise Refused(f"{command}: the debugger has not been started")
            answered = _ANSWERS[command](self, arguments) if command in _ANSWERS else self._forward(command, arguments)
        except Refused as refused:
            return {**response, "success": False, "message": str(refused), "body": {}}
        except Exception as error:  # a malformed request
            return {**response, "success": False, "message": f"{command}: {type(error).__name__}: {error}", "body": {}}
        return {**response, "body": answered}

    def _forward(self, command, arguments):
        response = self.link.request(command, arguments)
        if not response.get("success"):
            raise Refused(response.get("message") or f"debugpy cannot answer {command}")
        return response.get("body") or {}

    def arrived(self, event):
        """An event of debugpy."""
        import json

        kind, body = event.get("event"), event.get("body") or {}
        if kind == "stopped":
            self.stopped.add(body.get("threadId"))
        elif kind == "continued":
            self.stopped = set() if body.get("allThreadsContinued") else self.stopped - {body.get("threadId")}
        elif kind == "output" and body.get("category") == "console":
            return  # remarks for the developers of debugpy
        event.pop("pydevd_cmd_id", None)
        host.debug_event(json.dumps(event))

    # ---- start and end

    def initialize(self, arguments):
        if self.link is None:
            self.link = Link(self.arrived)
            self.shell.before_cell.append(self._begin_cell)
            self.shell.after_cell.append(self._end_cell)
            os.register_at_fork(after_in_child=self._forget)
        body = self._forward("initialize", {"adapterID": "debugpy", **arguments})
        for name in list(self.shell.texts):
            self._name_file(name)
        self.is_started = True
        return body

    def attach(self, arguments):
        arguments = {**arguments, "rules": [{"path": _PACKAGE + "/**", "include": False}, *arguments.get("rules", ())]}
        arguments.setdefault("justMyCode", True)
        body = self._forward("attach", arguments)
        self._forward("configurationDone", {})
        self.link.configured()
        self.is_attached = True
        return body

    def disconnect(self, arguments):
        """Lets the program continue. The session never ends with its debugger."""
        self.is_started = self.is_attached = False
        self.breakpoints, self.stopped = {}, set()
        self.kernel_stops.update()
        return self._forward("disconnect", {**arguments, "terminateDebuggee": False})

    def close(self):
        if self.link is not None:
            self.link.close()

    def _forget(self):
        """In a process that a cell has forked: debugpy's threads are not in it."""
        self.link.trace(False)
        self.is_started = self.is_attached = False

    # ---- cells

    def _begin_cell(self):
        if self.is_started:
            self._name_file(self.shell.cell_name)
        self.link.trace(self.is_attached)

    def _name_file(self, name):
        path = self.paths[name] = self.files.write(self.shell.texts[name])
        self.link.name_file(name, path)

    def _end_cell(self):
        """A step ends with its cell, and so does a stop that was interrupted."""
        if self.is_attached:
            self.link.end_step()

    # ---- what Jupyter adds

    def debug_info(self, _):
        return {"isStarted": self.is_started, "hashMethod": "Murmur2", "hashSeed": SEED,
                "tmpFilePrefix": self.files.prefix, "tmpFileSuffix": SUFFIX,
                "breakpoints": [{"source": path, "breakpoints": found} for path, found in self.breakpoints.items()],
                "stoppedThreads": sorted(self.stopped), "richRendering": True, "copyToGlobals": True,
                "exceptionPaths": ["Python Exceptions"]}

    def dump_cell(self, arguments):
        return {"sourcePath": self.files.write(arguments["code"])}

    def set_breakpoints(self, arguments):
        body = self._forward("setBreakpoints", arguments)
        wanted = arguments.get("breakpoints") or []
        lines = [found.get("line") for found in body.get("breakpoints", ())]
        self.breakpoints[arguments["source"]["path"]] = [
            {**one, "line": line or one.get("line")} for one, line in zip(wanted, lines)]
        self.kernel_stops.update()
        return body

    def source(self, arguments):
        path = arguments["source"]["path"]
        try:
            with open(path, encoding="utf-8") as file:
                return {"content": file.read()}
        except (OSError, UnicodeDecodeError):
            raise Refused(f"no source of {path}") from None

    def configuration_done(self, _):
        return {}  # attach has done it

    def stack_trace(self, arguments):
        """Without the frames of tilelab, and without what has called the session."""
        body = self._forward("stackTrace", arguments)
        frames = body.get("stackFrames", [])
        paths = [str((frame.get("source") or {}).get("path", "")) for frame in frames]
        cells = set(self.paths.values())
        end = max((i + 1 for i, path in enumerate(paths) if path in cells), default=len(paths))
        frames = [frame for frame, path in zip(frames[:end], paths) if not path.startswith(_PACKAGE + os.sep)]
        return {**body, "stackFrames": frames, "totalFrames": len(frames)}

    def variables(self, arguments):
        if not self.stopped:
            return {"variables": self.variables_at_rest.children(arguments["variablesReference"])}
        body = self._forward("variables", arguments)
        return {**body, "variables": [one for one in body.get("variables", ()) if is_shown(self.shell, one["name"])]}

    def inspect_variables(self, _):
        return {"variables": self.variables_at_rest.globals()}

    def rich_inspect_variables(self, arguments):
        name = arguments["variableName"]
        if not name.isidentifier():  # a group as "special variables"
            return {"data": {}, "metadata": {}}
        if not self.stopped:
            if name not in self.shell.ns:
                raise Refused(f"{name} is not defined")
            data, metadata = rich(self.shell.ns[name])
            return {"data": data, "metadata": metadata}
        keep = f"__import__({__name__!r}, fromlist=['kept']).kept.append({name})"
        self._forward("evaluate", {"expression": keep, "frameId": arguments["frameId"], "context": "clipboard"})
        data, metadata = rich(kept.pop())
        return {"data": data, "metadata": metadata}

    def copy_to_globals(self, arguments):
        source, target = arguments["srcVariableName"], arguments["dstVariableName"]
        if not (source.isidentifier() and target.isidentifier()):
            raise Refused("srcVariableName and dstVariableName must be identifiers")
        return self._forward("setExpression", {"expression": f"globals()[{target!r}]", "value": source, "frameId": arguments["srcFrameId"]})

    def modules(self, arguments):
        first, count = arguments.get("startModule", 0), arguments.get("moduleCount")
        found = list(sys.modules.copy().values())
        rows = []
        for i, module in enumerate(found[first:first + count] if count else found[first:], first):
            origin = getattr(getattr(module, "__spec__", None), "origin", None)
            if isinstance(origin, str) and origin.endswith(".py"):
                rows.append({"id": i, "name": module.__name__, "path": origin})
        return {"modules": rows, "totalModules": len(found)}


kept = []  # the value that rich_inspect_variables asks for
_ANSWERS = {"initialize": Debugging.initialize, "attach": Debugging.attach, "disconnect": Debugging.disconnect,
            "terminate": Debugging.disconnect, "debugInfo": Debugging.debug_info, "dumpCell": Debugging.dump_cell,
            "setBreakpoints": Debugging.set_breakpoints, "source": Debugging.source, "configurationDone": Debugging.configuration_done,
            "stackTrace": Debugging.stack_trace, "variables": Debugging.variables, "inspectVariables": Debugging.inspect_variables,
            "richInspectVariables": Debugging.rich_inspect_variables, "copyToGlobals": Debugging.copy_to_globals,
            "modules": Debugging.modules}
_WITHOUT_START = ("initialize", "debugInfo", "variables", "inspectVariables", "richInspectVariables", "modules")
_debugging = None
_serving = _thread.allocate_lock()  # held while the thread that answers requests runs


def start(shell):
    """Starts the thread that answers requests. It is one of Python, which debugpy can ignore, whatever thread has received the request; one
    without `threading`, which would take the thread that imports it for the main one."""
    global _debugging
    _debugging = Debugging(shell)
    _serving.acquire()
    _thread.start_new_thread(_serve, ())


def _serve():
    try:
        _answer_all()
    finally:
        _serving.release()


def _answer_all():
    import json

    while (text := host.next_debug_request()) is not None:
        request = json.loads(text) if text else None
        if request is not None:
            host.debug_reply(json.dumps(_debugging.answer(request if isinstance(request, dict) else {}), default=str))
        else:  # the last client has gone: a stopped program continues
            if _debugging.is_started:
                _debugging.answer({"command": "disconnect"})
            host.debug_reply("")


def close():
    """Ends a wait for debugpy, and the thread, at the end of the session."""
    if _debugging is not None:
        _debugging.close()
        _serving.acquire(timeout=2)
