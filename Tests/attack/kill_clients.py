"""Clients that send requests as fast as possible, and remember what they had received when their server was killed."""

import json
import socket
import threading

from frames import TEXT, BadFrame, frame, handshake, read_server_frames

BURST = 100


class Client(threading.Thread):
    """A client on its own connection; it ends with the connection, which is expected once `is_killed` is set."""

    def __init__(self, server, credentials, name, is_killed):
        super().__init__(daemon=True)
        self.name, self.port, self.is_killed = name, server.port, is_killed
        self.fields = [f"{field}: {value}" for field, value in credentials.items()]
        self.connection = server.connect(20)
        self.problem = None

    def run(self):
        try:
            self.talk()
        except Exception as error:
            # After such a long wait, the kill was not the reason for the end.
            if not isinstance(error, OSError) or isinstance(error, socket.timeout) or not self.is_killed.is_set():
                self.problem = f"{self.name}: {type(error).__name__}: {error}"
        finally:
            self.connection.close()


class Asker(Client):
    """Sends one request after another; each has a number in its URL."""

    def __init__(self, server, credentials, name, is_killed, path):
        super().__init__(server, credentials, name, is_killed)
        self.path = path
        # Target -> body of each answer whose last byte arrived.
        self.received = {}

    def talk(self):
        data = b""
        for number in range(1 << 30):
            target = f"{self.path}?n={self.name}-{number}"
            head = [f"GET {target} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", *self.fields, "", ""]
            self.connection.sendall("\r\n".join(head).encode())
            while b"\r\n\r\n" not in data:
                data += self.more()
            fields, _, data = data.partition(b"\r\n\r\n")
            assert fields.startswith(b"HTTP/1.1 200 "), fields[:80]
            length = int(fields.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            chunks, have = [data], len(data)
            while have < length:
                chunks.append(self.more())
                have += len(chunks[-1])
            data = b"".join(chunks)
            self.received[target], data = data[:length], data[length:]

    def more(self):
        data = self.connection.recv(1 << 18)
        if not data:
            raise OSError("the connection ended")
        return data


class Talker(Client):
    """Sends bursts of frames on a consultation's socket, and reads the answers."""

    def __init__(self, server, credentials, name, is_killed, path, message, last):
        super().__init__(server, credentials, name, is_killed)
        self.target = f"{path}?n={name}"
        self.burst = frame(TEXT, json.dumps(message).encode()) * (BURST if message["type"] == "ping" else 1)
        self.last, self.expected = last, BURST if message["type"] == "ping" else 1
        self.chunks = []

    def talk(self):
        self.connection.sendall(handshake(self.target, self.port, self.fields))
        while not any(b"connected" in chunk for chunk in self.chunks):
            self.take()
        while True:
            self.connection.sendall(self.burst)
            count = 0
            while count < self.expected:
                count += self.take()

    def take(self):
        """Reads the available frames; returns how many messages of the burst they answer."""
        data = self.connection.recv(1 << 18)
        if not data:
            raise OSError("the connection ended")
        # An earlier cut-off part belongs to this.
        tail = self.chunks[-1][-len(self.last) + 1:] if self.chunks else b""
        self.chunks.append(data)
        return (tail + data).count(self.last)

    def texts(self):
        """The complete text messages."""
        data = b"".join(self.chunks)
        head, _, rest = data.partition(b"\r\n\r\n")
        if head and not head.startswith(b"HTTP/1.1 101 "):
            raise BadFrame(f"the handshake got {head[:80]!r}")
        return [payload.decode() for opcode, _, payload in read_server_frames(rest) if opcode == TEXT]
