# SPDX-License-Identifier: Apache-2.0
"""`await` at the top level of a cell: one event loop for the session, which runs while a cell waits.

Between cells it stands still, so asyncio.run() works in a cell too.
"""

from .own import __builtins__  # a cell may change Python's

COMPILE_FLAG = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
CODE_FLAG = 0x80  # inspect.CO_COROUTINE: the compiled text does wait

_loop = None


def finish(coroutine):
    """Its value; where it is interrupted it ends before this does."""
    import asyncio

    global _loop
    if _loop is None or _loop.is_closed():
        _loop = asyncio.new_event_loop()
    asyncio.set_event_loop(_loop)  # asyncio.run() has taken it away
    task = _loop.create_task(coroutine)
    try:
        return _loop.run_until_complete(task)
    except BaseException:
        if not task.done():
            task.cancel()
            _loop.run_until_complete(asyncio.wait([task], timeout=1))
        raise
