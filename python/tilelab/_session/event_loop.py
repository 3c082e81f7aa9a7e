# SPDX-License-Identifier: Apache-2.0
"""`await` at the top level of a cell: one event loop per session, paused unless a cell waits, so asyncio.run() works in cells. Tasks run
while a cell waits, and briefly around each cell. An interrupt may arrive between any two steps of asyncio's bookkeeping."""

from .pristine import __builtins__  # unaffected by user code

COMPILE_FLAG = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
CODE_FLAG = 0x80  # inspect.CO_COROUTINE: the code awaits
_SECONDS_TO_END = 1  # for the `finally` blocks of interrupted coroutines
_SECONDS_FOR_TASKS, _STEPS_FOR_TASKS = 0.005, 20  # minimum

_loop = None


def finish(coroutine):
    """Runs a coroutine and returns its value; an interrupt cancels it first."""
    loop = _paused_loop()
    try:
        return _run(loop, loop.create_task(coroutine)).result()
    except BaseException as error:
        here = _where_it_waits(coroutine) if isinstance(error, KeyboardInterrupt) and _in_the_loop(error) else None
        _end(loop, coroutine)
        raise error.with_traceback(here or error.__traceback__)


def run_tasks():
    """Runs the tasks of other cells briefly."""
    if _loop is None or _loop.is_closed():
        return
    import asyncio

    if asyncio.all_tasks(_loop):
        loop = _paused_loop()
        end, steps = loop.time() + _SECONDS_FOR_TASKS, iter(range(_STEPS_FOR_TASKS))

        def step():
            if next(steps, None) is None:
                loop.call_at(end, loop.stop)
            else:
                loop.call_soon(step)

        step()
        loop.run_forever()


def _close():
    """Cancels pending tasks as asyncio.run() does, while the interpreter is still complete."""
    import asyncio

    loop = _paused_loop()
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
        task._log_destroy_pending = False  # a pending task is not an error
    if left:
        _run(loop, loop.create_task(asyncio.wait(left, timeout=_SECONDS_TO_END)))
    loop.close()


def let_cells_create_tasks(asyncio):
    """Makes asyncio.create_task() work in a cell that awaits nothing: it uses the session's paused loop."""
    import functools
    import threading

    pythons_own = asyncio.create_task

    @functools.wraps(pythons_own)
    def create_task(coro, **options):
        main = threading.current_thread() is threading.main_thread()
        if main and asyncio._get_running_loop() is None:
            return _paused_loop().create_task(coro, **options)
        return pythons_own(coro, **options)

    asyncio.create_task = asyncio.tasks.create_task = create_task


def _in_the_loop(error):
    """Whether the error was raised while the loop was idle, outside any task."""
    from .error import is_of_the_loop

    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    return is_of_the_loop(trace.tb_frame.f_code.co_filename)


def _where_it_waits(coroutine):
    """A traceback through the chain of awaits; None if the coroutine has not started."""
    import types

    frames = []
    while (frame := getattr(coroutine, "cr_frame", None) or getattr(coroutine, "gi_frame", None)) is not None:
        frames.append(frame)
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None)
    trace = None
    for frame in reversed(frames):
        if frame.f_lasti >= 0 and frame.f_lineno:
            trace = types.TracebackType(trace, frame, frame.f_lasti, frame.f_lineno)
    return trace


def _paused_loop():
    """The session's loop, created on first use and repaired after an interrupt."""
    import asyncio

    global _loop
    if _loop is None or _loop.is_closed():
        import atexit

        _loop = asyncio.new_event_loop()
        atexit.register(_close)
    if _loop.is_running() or asyncio._get_running_loop() is _loop:  # run_forever() was interrupted during cleanup
        _loop._thread_id = None
        asyncio._set_running_loop(None)
    asyncio.set_event_loop(_loop)  # asyncio.run() has unset it
    return _loop


def _run(loop, future):
    """Unlike run_until_complete(), tolerates a stale callback of an earlier run, which stops the loop once more."""
    future.add_done_callback(lambda _: loop.stop())
    try:
        while not future.done():
            loop.run_forever()
    finally:
        if future.done() and not future.cancelled():
            future.exception()  # otherwise asyncio logs the exception as never retrieved
    return future


def _end(loop, coroutine):
    """Ends the task of a cell, found by its coroutine: the interrupt may have arrived before the task had a name here."""
    import asyncio

    _paused_loop()
    mine = [task for task in asyncio.all_tasks(loop) if task.get_coro() is coroutine]
    for task in mine:
        task.cancel()
    if mine:
        _run(loop, loop.create_task(asyncio.wait(mine, timeout=_SECONDS_TO_END)))
    else:
        coroutine.close()  # it has ended, or never started
