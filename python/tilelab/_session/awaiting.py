# SPDX-License-Identifier: Apache-2.0
"""`await` at the top level of a cell: one event loop for the session, which runs while a cell waits.

Between cells it stands still, so asyncio.run() works in a cell too. An interrupt may come between any two steps of
asyncio's own bookkeeping as well: nothing here relies on that having been finished.
"""

from .own import __builtins__  # a cell may change Python's

COMPILE_FLAG = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
CODE_FLAG = 0x80  # inspect.CO_COROUTINE: the compiled text does wait
_SECONDS_TO_END = 1  # for the `finally` of what is interrupted

_loop = None


def finish(coroutine):
    """Its value; where it is interrupted it ends before this does."""
    loop = _standing_still()
    try:
        return _run(loop, loop.create_task(coroutine)).result()
    except BaseException:
        _end(loop, coroutine)
        raise


def _standing_still():
    """The session's loop, made at first, whatever an interrupt has left half done."""
    import asyncio

    global _loop
    if _loop is None or _loop.is_closed():
        _loop = asyncio.new_event_loop()
    if _loop.is_running():  # run_forever() was cut off while it tidied up
        _loop._thread_id = None
        asyncio._set_running_loop(None)
    asyncio.set_event_loop(_loop)  # asyncio.run() has taken it away
    return _loop


def _run(loop, future):
    """Unlike run_until_complete() it minds no callback that an earlier run has left: that stops the loop once too often."""
    future.add_done_callback(lambda _: loop.stop())
    try:
        while not future.done():
            loop.run_forever()
    finally:
        if future.done() and not future.cancelled():
            future.exception()  # else asyncio reports an interrupt that nobody asked for
    return future


def _end(loop, coroutine):
    """Ends the task of a cell, found by its coroutine: the interrupt may have come before the task had a name here."""
    import asyncio

    _standing_still()
    mine = [task for task in asyncio.all_tasks(loop) if task.get_coro() is coroutine]
    for task in mine:
        task.cancel()
    if mine:
        _run(loop, loop.create_task(asyncio.wait(mine, timeout=_SECONDS_TO_END)))
    else:
        coroutine.close()  # it has ended, or never began
