"""Runs a command in a pseudo-terminal and copies what it writes to standard output.

Arguments: columns, text to type when the first output has come (may be empty), command and its arguments.
Ends with the command's exit code.
"""

import fcntl
import os
import pty
import struct
import sys
import termios

columns, typed, command = int(sys.argv[1]), sys.argv[2].encode(), sys.argv[3:]
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for stream in (0, 1, 2):
        os.dup2(slave, stream)
    os.close(master)
    os.execv(command[0], command)
os.close(slave)
while True:
    try:
        output = os.read(master, 65536)
    except OSError:  # the last process that had the terminal open is gone
        break
    if not output:
        break
    os.write(1, output)
    if typed:
        os.write(master, typed)
        typed = b""
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
