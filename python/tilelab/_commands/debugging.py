# SPDX-License-Identifier: Apache-2.0
"""%debug and %pdb: Python's debugger. %prun: its profiler."""

import sys

import _tilelab_host as host

from .._session.post_mortem import debugger, post_mortem
from .._session.view import CommandError, View, reject_if


def command_debug(shell, call):
    trace = getattr(sys, "last_traceback", None)
    reject_if(trace is None and not call.args, "nothing has failed yet; %debug CODE runs code in the debugger")
    reject_if(not host.has_input(), "the debugger needs input, which this front end does not support")
    if call.args:
        debugger().run(call.args[0], shell.ns)
    else:
        post_mortem(trace)


def command_pdb(shell, call):
    word = call.args[0].lower() if call.args else ""
    reject_if(word not in ("", "on", "off", "1", "0"), f"%pdb takes on or off, not {word}")
    shell.debugs_errors = word in ("on", "1") if word else not shell.debugs_errors
    return View(f"the debugger {'opens' if shell.debugs_errors else 'does not open'} when a cell fails\n")


def _statistics(profile, call):
    import io
    import pstats

    text = io.StringIO()
    statistics = pstats.Stats(profile, stream=text)
    try:
        statistics.strip_dirs().sort_stats(call.options.get("-s", "time"))
    except KeyError:
        raise CommandError(f"-s takes {', '.join(sorted(pstats.Stats.sort_arg_dict_default))}") from None
    if limit := call.options.get("-l", ""):
        statistics.print_stats(int(limit) if limit.isdigit() else float(limit) if "." in limit else limit)
    else:
        statistics.print_stats()
    return statistics, text.getvalue().lstrip("\n")


def command_prun(shell, call):
    import cProfile

    text = call.cell if call.cell is not None else (call.args[0] if call.args else "")
    reject_if(not text.strip(), "%prun needs code to run")
    parts = shell.compile_part(text, call.lines_above if call.cell is not None else 0)
    profile = cProfile.Profile()
    try:
        profile.runcall(shell.run_compiled, *parts)
    except SystemExit:
        pass
    statistics, report = _statistics(profile, call)
    for option, write in (("-D", lambda path: statistics.dump_stats(path)), ("-T", lambda path: open(path, "w").write(report))):
        if call.has(option):
            write(call.options[option])
    if not call.has("-q"):
        view = View(report)
        view.page = True
        view.show()
    return statistics if call.has("-r") else None
