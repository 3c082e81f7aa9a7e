# SPDX-License-Identifier: Apache-2.0
"""%prints: filters and limits of the events of T.print."""

import dataclasses

from .._compiler import prints
from .._session.view import CommandError, View, asking, reject_if


def _value(name, text):
    if name == "message":
        return text
    try:
        numbers = [int(part) for part in text.strip("()").split(",") if part.strip()]
    except ValueError:
        raise CommandError(f"--{name} takes integers, not {text}") from None
    return tuple(numbers) if name == "block" else numbers[0] if len(numbers) == 1 else text


def command_prints(shell, call):
    reject_if(call.args, "%prints takes options: --block 1,0 --message step; --all resets them")
    if call.has("--all"):
        prints.print_options()
    given = {field.name: call.options["--" + field.name] for field in dataclasses.fields(prints.Options) if call.has("--" + field.name)}
    if given:
        asking(prints.print_options, **{name: _value(name, text) for name, text in given.items()})
    now = dataclasses.asdict(prints.now)
    words = {"block": "all blocks", "thread": "all threads", "message": "all messages"}
    text = "".join(f"  {name:8}  {words.get(name) if value is None else value}\n" for name, value in now.items())
    return View("events that T.print shows\n" + text, None, now)
