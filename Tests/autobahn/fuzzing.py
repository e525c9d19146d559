"""Plays the cases as client of a server, and as server of a client, on Autobahn's own WebSockets.

It does the same as the suite's fuzzing.py, which needs Python 2 and the library of that time.
"""

import asyncio
import collections
import pathlib
import sys

from autobahn.asyncio import websocket
from autobahn.websocket.protocol import WebSocketProtocol

from cases import number

sys.path.append(str(pathlib.Path(__file__).parent.parent / "attack"))
from running import Server  # noqa: E402

# The number of waiting cases that are played at once.
LANES = 8
# These use the processor, and are played alone; 9.5 and 9.6 wait between small pieces.
HEAVY = ("9.1.", "9.2.", "9.3.", "9.4.", "9.7.", "9.8.", "12.", "13.")
# In seconds. The library's timer rounds down to a whole second of its clock, so its default of 1 may be over at once.
TIMEOUTS = {"closeHandshakeTimeout": 5, "openHandshakeTimeout": 10}
Result = collections.namedtuple("Result", "behavior close text")


class Fuzzing:
    """The object that cases call `p`, for either role; they see and send bytes as the text of Python 2."""

    case = None
    connectionWasOpen = False
    createWirelog = False

    def begin(self, case, results):
        self.txFrameStats = collections.Counter()
        self.results = results
        self.case = case(self)

    def enableWirelog(self, _):
        pass

    def onOpen(self):
        self.connectionWasOpen = True
        self.case.onOpen()

    def onMessage(self, payload, isBinary):
        # The compression cases count and digest bytes; the others compare with texts.
        self.case.onMessage(payload if hasattr(self.case, "TESTDATA") else payload.decode("latin-1"), isBinary)

    def onPong(self, payload):
        self.case.onPong(payload.decode("latin-1"))

    def onClose(self, wasClean, code, reason):
        if self.case:
            self.case.onClose(wasClean, code, reason)

    def connection_lost(self, error):
        super().connection_lost(error)
        if self.case:
            self.case.onConnectionLost(self.failedByMe)
            case = self.case
            self.results[number(type(case))] = Result(
                case.behavior, case.behaviorClose, case.result if case.behavior != case.OK else case.resultClose)

    def later(self, delay, call):
        def unless_closed():
            if self.state != WebSocketProtocol.STATE_CLOSED:
                call()

        asyncio.get_running_loop().call_later(delay, unless_closed)

    def continueLater(self, delay, call, tag=None):
        self.later(delay, call)

    def killAfter(self, delay):
        self.later(delay, self._fail_connection)

    def closeAfter(self, delay):
        self.later(delay, self.sendClose)

    def sendFrame(self, opcode, payload=b"", *options, **more):
        self.txFrameStats[opcode] += 1
        super().sendFrame(opcode, _bytes(payload), *options, **more)

    def sendMessage(self, payload, *options, **more):
        if self.state == WebSocketProtocol.STATE_OPEN:
            super().sendMessage(_bytes(payload), *options, **more)

    def sendMessageFrameData(self, payload, sync=False):
        return super().sendMessageFrameData(_bytes(payload), sync)

    def sendCloseFrame(self, code=None, reasonUtf8=None, isReply=False):
        super().sendCloseFrame(code, reasonUtf8 and _bytes(reasonUtf8), isReply)


class FuzzingClient(Fuzzing, websocket.WebSocketClientProtocol):
    pass


class FuzzingServer(Fuzzing, websocket.WebSocketServerProtocol):
    def onConnect(self, request):
        self.begin(self.factory.cases[request.path.removeprefix("/")], self.factory.results)


def _bytes(text):
    return text.encode("latin-1") if isinstance(text, str) else text


def plays(cases):
    """The cases in playing order: batches of one, or of those that are played at once."""
    light = [case for case in cases if not number(case).startswith(HEAVY)]
    heavy = [case for case in cases if number(case).startswith(HEAVY)]
    return [light[lane::LANES] for lane in range(LANES)], heavy


async def play_server(program, cases, folder):
    """The results of a fitiq-mock, which echoes at /__admin/echo."""
    results = {}
    command = [sys.executable, program] if program.endswith(".py") else [program]
    server = Server(command, "serve", "--instant", "--compression", "on", folder=folder)
    try:
        loop = asyncio.get_running_loop()

        async def play(lane):
            for case in lane:
                factory = websocket.WebSocketClientFactory(f"ws://127.0.0.1:{server.port}/__admin/echo", loop=loop)
                factory.setProtocolOptions(failByDrop=False, serverConnectionDropTimeout=5, **TIMEOUTS)
                protocol = FuzzingClient()
                protocol.factory = factory
                protocol.begin(case, results)
                await loop.create_connection(lambda: protocol, "127.0.0.1", server.port)
                await protocol.is_closed
                # The connection is notified of its end a moment after it is closed.
                while number(case) not in results:
                    await asyncio.sleep(0.001)

        lanes, heavy = plays(cases)
        await asyncio.gather(*map(play, lanes))
        await play(heavy)
    finally:
        server.kill()
    return results


async def play_client(program, cases):
    """The results of a client: a program that gets a port and paths, and echoes what it receives at each."""
    results = {}
    loop = asyncio.get_running_loop()
    factory = websocket.WebSocketServerFactory("ws://127.0.0.1", loop=loop)
    factory.setProtocolOptions(failByDrop=False, **TIMEOUTS)
    factory.protocol = FuzzingServer
    factory.cases = {number(case): case for case in cases}
    factory.results = results
    listener = await loop.create_server(factory, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]

    async def play(lane):
        if lane:
            paths = ["/" + number(case) for case in lane]
            process = await asyncio.create_subprocess_exec(program, str(port), *paths)
            await process.wait()

    lanes, heavy = plays(cases)
    await asyncio.gather(*map(play, lanes))
    await play(heavy)
    # The last connections are notified of their end.
    await asyncio.sleep(0.1)
    listener.close()
    return results
