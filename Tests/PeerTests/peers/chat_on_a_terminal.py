"""A person at a terminal: chat_on_a_terminal.py PROGRAM URL WAIT KEYS [WAIT KEYS ...].

Waits until the terminal shows a text, presses keys (with escapes as in Python), and so on; prints the terminal's
output, and the exit status as in the shell.
"""

import os
import pty
import select
import sys
import time

program, url, *steps = sys.argv[1:]
process, terminal = pty.fork()
if process == 0:
    os.execv(program, [program, "chat", "--url", url])

shown = b""
# How much of the output earlier waits have covered.
place = 0


def read(until, seconds=60):
    """Reads until the text appears, or until the output ends."""
    global shown, place
    end = time.monotonic() + seconds
    while until is None or until not in shown[place:]:
        if time.monotonic() > end:
            sys.exit(f"{until} does not come: {shown}")
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:
            return
        if not data:
            return
        shown += data
    place = shown.index(until, place) + len(until)


for wait, keys in zip(steps[::2], steps[1::2]):
    read(wait.encode().decode("unicode_escape").encode("latin-1"))
    os.write(terminal, keys.encode().decode("unicode_escape").encode("latin-1"))
read(None)
_, status = os.waitpid(process, 0)
sys.stdout.write(shown.decode().replace("\r", ""))
print("exit", os.waitstatus_to_exitcode(status))
