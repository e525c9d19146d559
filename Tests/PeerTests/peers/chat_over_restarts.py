"""A person whose server restarts during a chat at a terminal: chat_over_restarts.py PROGRAM"""

import os
import pty
import select
import subprocess
import sys
import tempfile
import time

program = sys.argv[1]
LIMIT = 60
started = []


class Server:
    """A server that keeps its data in a file, on a port of its choice or on an earlier server's port."""

    def __init__(self, folder, state, port="0"):
        ready = os.path.join(folder, "ready.json")
        self.process = subprocess.Popen(
            [program, "serve", "--instant", "--port", port, "--ready-file", ready, "--state",
             os.path.join(folder, state)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        started.append(self.process)
        self.url = subprocess.check_output([program, "wait", "--ready-file", ready], text=True).strip()
        self.port = self.url.rsplit(":", 1)[1]

    def stop(self):
        self.process.terminate()
        self.process.wait(LIMIT)


class Chat:
    def __init__(self, url):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execv(program, [program, "chat", "--url", url])
        self.shown, self.place = "", 0

    def read(self, text):
        """Reads until the text appears after what was read before."""
        end = time.monotonic() + LIMIT
        while text not in self.shown[self.place:]:
            assert time.monotonic() < end, f"{text!r} does not come: {self.shown!r}"
            if select.select([self.terminal], [], [], 0.1)[0]:
                self.shown += os.read(self.terminal, 65536).decode()
        self.place = self.shown.index(text, self.place) + len(text)

    def say(self, line):
        self.read("> ")
        os.write(self.terminal, line.encode() + b"\n")


def story(folder):
    server = Server(folder, "mine")
    chat = Chat(server.url)
    chat.say("How much protein?")
    chat.read("> How much protein?\r\n")
    # The prompt returns after the answer.
    chat.read("> ")
    server.stop()
    # For a moment another server has the port. It does not know the consultation, so the client gives up.
    port = server.port
    other = Server(folder, "other", port)
    chat.read("could not reconnect.")
    other.stop()
    # A line reports that nothing is listening, and the chat continues.
    for _ in range(2):
        chat.say("And eggs?")
        chat.read("fitiq-mock: cannot connect to 127.0.0.1:" + port)
    server = Server(folder, "mine", port)
    chat.say("And milk?")
    chat.read("fitiq-mock: reconnected.")
    chat.read("\r\n")
    # A server without the consultation begins another one.
    chat.say("And soy?")
    chat.read("> And soy?\r\n")
    chat.read("> ")
    server.stop()
    other = Server(folder, "other", port)
    chat.read("could not reconnect.")
    chat.say("And peas?")
    # The server refused the consultation, or came too late for the client's last attempt.
    chat.read("begins: ")
    chat.read("\r\n")
    chat.say("/quit")
    _, status = os.waitpid(chat.process, 0)
    other.stop()
    assert os.waitstatus_to_exitcode(status) == 0, chat.shown


with tempfile.TemporaryDirectory() as folder:
    try:
        story(folder)
    finally:
        for process in started:
            process.kill()
