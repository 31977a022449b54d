"""Runs a command in a pseudo-terminal, types into it, and copies what it writes to standard output.

Arguments: columns, rows, steps as JSON, command and its arguments. A step is an object: `after` (wait until this text
has come since the step before; escape sequences are left out of the comparison), then `send` (type this), `resize`
([columns, rows]), or `signal` (a number, to the command). Ends with the command's exit code; with 99 and a line on
standard error when a step's text has not come within a minute.
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

columns, rows, steps, command = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3]), sys.argv[4:]
sequence = re.compile(r"\x1b\[\??[\d;]*[A-Za-z]|\r")


def set_size(columns, rows):
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


master, slave = pty.openpty()
set_size(columns, rows)
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for stream in (0, 1, 2):
        os.dup2(slave, stream)
    os.close(master)
    os.execv(command[0], command)
resizable = os.dup(slave) if any("resize" in step for step in steps) else None
if resizable is None:
    os.close(slave)
seen = b""
offset = 0  # of what earlier steps have waited for, in the text without escape sequences
deadline = time.monotonic() + 60
while True:
    text = sequence.sub("", seen.decode("utf-8", "ignore")) if steps else ""
    found = text.find(steps[0].get("after", ""), offset) if steps and seen else -1
    if found >= 0:
        step = steps.pop(0)
        offset = found + len(step.get("after", ""))
        deadline = time.monotonic() + 60
        if "resize" in step:
            set_size(*step["resize"])
        if "signal" in step:
            os.kill(child, step["signal"])
        if "send" in step:
            os.write(master, step["send"].encode())
        if not any("resize" in later for later in steps) and resizable is not None:
            os.close(slave)
            os.close(resizable)
            resizable = None
        continue
    ready, _, _ = select.select([master], [], [], 1)
    if ready:
        try:
            output = os.read(master, 65536)
        except OSError:  # the last process that had the terminal open is gone
            break
        if not output:
            break
        os.write(1, output)
        seen += output
    elif steps and time.monotonic() > deadline:
        sys.stderr.write(f"never came: {steps[0]!r}\n")
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        sys.exit(99)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256)
