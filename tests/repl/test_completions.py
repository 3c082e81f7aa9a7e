# SPDX-License-Identifier: Apache-2.0
"""Completions of bash, zsh and fish after `tilelab`, by Tab in each of them."""

import os
import shutil
import subprocess

from terminal import Terminal

# In each shell tilelab is a function that shows its arguments: what Tab made of a line is seen when it runs.
STUB = "tilelab() { printf '<%s>' \"$@\"; echo; }\n"
BASH = "PS1='$ '\n" + STUB + "source ./script\n"
ZSH = "PROMPT='$ '\n" + STUB + "fpath=($PWD $fpath)\nautoload -Uz compinit\ncompinit -u -d $PWD/dump\n"
FISH = ("function fish_prompt; printf '$ '; end\nfunction tilelab; printf '<%s>' $argv; echo; end\n"
        "set -g fish_greeting\nset -g fish_autosuggestion_enabled 0\nsource ./script\n")
SHELLS = {"bash": (BASH, "script", ("--noprofile", "--rcfile", "start", "-i")), "zsh": (ZSH, "_tilelab", ("-i",)),
          "fish": (FISH, "script", ("--no-config", "--private", "-i", "-C", "source start"))}

CASES = [("doc", "<doctor>"), ("install", "<install-kernel>"), ("-q doctor --j", "<-q><doctor><--json>"),
         ("compile --target sm_9", "<compile><--target><sm_90a>"), ("compile one.py --emit lay", "<compile><one.py><--emit><layouts>"),
         ("compile one.py --after infer", "<compile><one.py><--after><infer_layouts>"), ("check --al", "<check><--all>"),
         ("compile on", "<compile><one.py>"), ("compile two", "<compile><two words.py>"), ("compile one.py -o fol", "<compile><one.py><-o><folder>"),
         ("completions zs", "<completions><zsh>"), ("--color=alw", "<--color=always>"), ("--no-i", "<--no-init>"),
         ("on", "<one.py>"), ("one.py tw", "<one.py><two words.py>"), ("install-kernel --prefix fol", "<install-kernel><--prefix><folder>"),
         # No match: the word is unchanged.
         ("doctor on", "<doctor><on>"), ("puzzle --jobs on", "<puzzle><--jobs><on>"), ("manual tw", "<manual><tw>"),
         ("one.py comp", "<one.py><comp>"), ("compile --emit tw", "<compile><--emit><tw>")]


def _interactive(program, shell):
    start, script, arguments = SHELLS[shell]
    for name, text in (("start", start), (".zshrc", start), ("one.py", ""), ("two words.py", ""), ("folder/x", "")):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        with open(name, "w") as file:
            file.write(text)
    with open(script, "w") as file:
        file.write(subprocess.run([program, "completions", shell], capture_output=True, text=True, check=True).stdout)
    home = os.getcwd()
    terminal = Terminal(shutil.which(shell), *arguments, columns=200,
                        environment={"HOME": home, "ZDOTDIR": home, "LC_ALL": "C.UTF-8"})
    terminal.expect(r"\$ ", 40)  # zsh builds its dump of completions first
    terminal.wait_for_silence()
    return terminal


def _completes(program, shell):
    if not shutil.which(shell):
        print(f"skipped: there is no {shell} (apt install {shell})")
        return
    terminal = _interactive(program, shell)
    for typed, wanted in CASES:
        terminal.type("tilelab " + typed + "\t")
        terminal.wait_for_silence()
        terminal.type("\r")
        made = terminal.expect(r"(?:<[^<>]*>)+(?=\n)")[0].replace("/>", ">")  # zsh takes a slash at the end away
        assert made == wanted, (shell, typed, wanted, terminal.text[-500:])
        terminal.wait_for_silence()
    for typed, wanted in (("comp", {"compile", "completions"}), ("compile --emit ", {"ir", "c", "layouts", "passes", "json", "program"}),
                          ("--no-", {"--no-init", "--no-pager"}), ("--color=", {"auto", "always", "never"})):
        terminal.type("tilelab " + typed + ("\t\t" if shell == "bash" else "\t"))
        terminal.wait_for_silence()
        shown = terminal.text[terminal.seen:].replace("tilelab " + typed, "")
        assert all(word in shown for word in wanted), (shell, typed, shown)
        terminal.type("\x03")
        terminal.wait_for_silence()
        terminal.seen = len(terminal.text)
    assert "rror" not in terminal.text and "not found" not in terminal.text, (shell, terminal.text)


def test_tab_in_bash(program):
    _completes(program, "bash")


def test_tab_in_zsh(program):
    _completes(program, "zsh")


def test_tab_in_fish(program):
    _completes(program, "fish")
