"""Checks that a recording of 'fitiq-mock record' contains everything that its clients saw, whatever happens.

Usage: recording.py PROGRAM CHAPTER...
"""

import asyncio
import base64
import collections
import contextlib
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import uuid

import aiohttp
from aiohttp import web

PROGRAM = sys.argv[1]
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="fitiq-mock-recording-"))
IS_LONG = bool(os.environ.get("FITIQ_MOCK_TEST_LONG"))
ENVIRONMENT = {**os.environ, "FITIQ_MOCK_DATA_DIR": str(FOLDER / "data")}


class Running:
    """A fitiq-mock after it has reported that it is ready."""

    def __init__(self, command, *options, **arguments):
        self.ready_file = FOLDER / f"ready-{random.getrandbits(64):x}.json"
        self.errors = open(f"{self.ready_file}.err", "w+")
        self.output = open(f"{self.ready_file}.out", "w+")
        self.process = subprocess.Popen(
            [PROGRAM, command, "--port", "0", "--ready-file", str(self.ready_file), *options],
            stdout=self.output, stderr=self.errors, env=ENVIRONMENT, **arguments)
        deadline = time.monotonic() + 20
        while not (self.ready_file.exists() and self.ready_file.stat().st_size):
            assert self.process.poll() is None, self.log()
            assert time.monotonic() < deadline, "not ready within 20 s"
            time.sleep(0.005)
        self.ready = json.loads(self.ready_file.read_text())
        self.url = self.ready["url"]

    def log(self):
        self.errors.seek(0)
        return self.errors.read()

    def printed(self):
        self.output.seek(0)
        return self.output.read()

    def stop(self, status=0, recording=None):
        self.process.send_signal(signal.SIGTERM)
        if recording:
            # The ready file is removed last, when the recording is complete.
            while self.ready_file.exists() and self.process.poll() is None:
                time.sleep(0.001)
            assert not recording.with_name(recording.name + ".part").exists(), "the ready file went first"
        assert self.process.wait(10) == status, (self.process.returncode, self.log())
        return self.printed().splitlines()[-1]

    def kill(self):
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def running(command, *options, **arguments):
    program = Running(command, *options, **arguments)
    try:
        yield program
    finally:
        if program.process.poll() is None:
            program.kill()


def entries(path):
    """The entries of a recording; continued WebSockets are joined."""
    result, sockets = [], {}
    for entry in json.loads(path.read_text())["log"]["entries"]:
        number = entry.get("_fitiq", {}).get("socket")
        if number is not None and number in sockets:
            sockets[number]["_webSocketMessages"] += entry.get("_webSocketMessages", [])
            continue
        if number is not None:
            sockets[number] = entry
        result.append(entry)
    return result


def credentials(server):
    return {"Authorization": f"Bearer {server.ready['token']}", "X-API-Key": server.ready["api_key"]}


async def consultation(session, url, context, token=None):
    body = {"persona": "nutritionist", "context_type": "mood", "context_id": str(uuid.uuid5(uuid.NAMESPACE_URL, context))}
    fields = {"Authorization": token} if token else {}
    async with session.post(f"{url}/api/v1/consultations", json=body, headers=fields) as answer:
        data = await answer.json()
        return data["data"]["id"] if answer.status == 201 else data["error"]["details"]["existing_consultation_id"]


# MARK: Chapters


async def killed():
    """Killed at random moments: the file opens, and has everything that a client had seen."""
    with running("serve", "--instant") as server:
        await kill(
            50 if IS_LONG else 15, lambda path: Running("record", "--upstream", server.url, "--output", str(path), "--overwrite"),
            credentials(server),
            # Longer than one write of the system.
            ["api/v1/consultations?limit=1&", "openapi.yaml?"])


async def killed_serving():
    """The same with 'serve --record'."""
    await kill(
        30 if IS_LONG else 10, lambda path: Running("serve", "--instant", "--record", str(path)), None,
        ["api/v1/consultations?limit=1&", "api/v1/goals?"])


async def kill(rounds, start, fields, targets):
    seed = int(os.environ.get("FITIQ_MOCK_TEST_SEED", random.getrandbits(32)))
    print(f"seed {seed} (FITIQ_MOCK_TEST_SEED repeats it)")
    numbers = random.Random(seed)
    seen_in_all = collections.Counter()

    def is_enough():
        return seen_in_all["answers"] > 6 * rounds and seen_in_all["frames"] > 2 * rounds

    # On a busy machine, a client sees less before each kill, so it takes more kills.
    for round in range(3 * rounds):
        if round >= rounds and is_enough():
            break
        path = FOLDER / f"killed-{round}.har"
        program = start(path)
        seen = collections.Counter()
        messages = collections.defaultdict(list)
        async with aiohttp.ClientSession(headers=fields or credentials(program)) as session:
            tasks = [
                asyncio.create_task(ask(session, program.url, targets[n % len(targets)], seen, f"{round}-{n}"))
                for n in range(8)]
            tasks += [asyncio.create_task(chat(session, program.url, messages, n)) for n in range(4)]
            await asyncio.sleep(numbers.uniform(0, 0.4))
            program.kill()
            await asyncio.gather(*tasks, return_exceptions=True)
        recorded = collections.Counter()
        sockets = {}
        for entry in entries(path):
            if entry.get("_resourceType") == "websocket":
                sockets[entry["request"]["url"].split("n=")[1]] = entry
            else:
                recorded[entry["request"]["url"].split("/", 3)[3]] += 1
        missing = seen - recorded
        assert not missing, f"round {round}, seed {seed}: {missing} were answered, and are not in the file"
        for name, texts in messages.items():
            kept = [m["data"] for m in sockets[name]["_webSocketMessages"] if m["type"] == "receive"]
            assert kept[:len(texts)] == texts, f"round {round}, seed {seed}: frames of socket {name} are missing"
            seen_in_all["frames"] += len(texts)
        seen_in_all["answers"] += seen.total()
        if recorded and fields:
            # The next recording finds the remains of this one, and replaces them.
            for suffix in ["", ".part"]:
                path.with_name(path.name + suffix).rename(FOLDER / f"killed-{round + 1}.har{suffix}")
    assert is_enough(), seen_in_all
    print(f"{seen_in_all['answers']} answers and {seen_in_all['frames']} frames were seen, and all are kept")


async def ask(session, url, base, seen, name):
    for number in range(10_000):
        target = f"{base}n={name}-{number}"
        async with session.get(f"{url}/{target}") as answer:
            await answer.read()
            seen[target] += 1


async def chat(session, url, messages, number):
    id = await consultation(session, url, f"goal-{number}")
    for turn in range(10_000):
        name = f"{number}-{turn}"
        async with session.ws_connect(f"{url}/api/v1/consultations/{id}/ws?n={name}") as socket:
            for _ in range(5):
                await socket.send_json({"type": "message", "content": f"What about {name}?"})
                while True:
                    text = (await socket.receive_str())
                    messages[name].append(text)
                    if json.loads(text)["type"] in ("stream_complete", "error"):
                        break


async def many():
    """WebSockets stream at once while they are recorded, with more than 1,024 descriptors, and nothing is lost."""
    count = 1_000 if IS_LONG else 600
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8_192), hard))
    path = FOLDER / "many.har"
    tokens = [
        "Bearer " + subprocess.run([PROGRAM, "token", "--user", f"user-{n}"], capture_output=True, text=True).stdout.strip()
        for n in range(count // 10)]
    with running("serve", "--instant") as server, \
            running("record", "--upstream", server.url, "--output", str(path)) as proxy:
        timeout = aiohttp.ClientTimeout(total=None)
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(headers=credentials(server), connector=connector, timeout=timeout) as session:
            room = asyncio.Semaphore(50)

            async def connect(number):
                token = tokens[number // 10]
                async with room:
                    id = await consultation(session, proxy.url, str(number), token)
                    return await session.ws_connect(
                        f"{proxy.url}/api/v1/consultations/{id}/ws?n={number}", headers={"Authorization": token})

            sockets = await asyncio.gather(*(connect(number) for number in range(count)))
            seen = [[] for _ in sockets]
            sent = [json.dumps({"type": "message", "content": f"Question {number}"}) for number in range(count)]

            async def talk(number):
                await sockets[number].send_str(sent[number])
                while not seen[number] or json.loads(seen[number][-1])["type"] != "stream_complete":
                    seen[number].append(await sockets[number].receive_str())

            await asyncio.wait_for(asyncio.gather(*(talk(number) for number in range(count))), 100)
            for socket in sockets:
                await socket.close()
        assert proxy.stop(recording=path) == f"{count} requests and {count} WebSockets in {path}"
        server.stop()
    found = 0
    for entry in entries(path):
        if entry.get("_resourceType") != "websocket":
            continue
        number = int(entry["request"]["url"].split("n=")[1])
        kept = {kind: [m["data"] for m in entry["_webSocketMessages"] if m["type"] == kind] for kind in ("send", "receive")}
        assert kept["receive"] == seen[number], f"socket {number}"
        assert kept["send"] == [sent[number]], f"socket {number}"
        assert entry["_fitiq"]["ending"]["cause"] == "close_frame", entry["_fitiq"]
        found += 1
    assert found == count
    print(f"{sum(map(len, seen))} frames over {count} sockets, and all are kept")


async def foreign_server():
    """An upstream built with a foreign library: every framing of bodies, early answers, WebSockets.

    Returns its runner, its URL, and the fields of the requests.
    """
    asked = []

    async def chunked(request):
        asked.append(dict(request.headers))
        answer = web.StreamResponse(headers={"Set-Cookie": "id=1; Domain=example.com; Secure"})
        answer.enable_chunked_encoding()
        await answer.prepare(request)
        for number in range(100):
            await answer.write(f"piece {number}\n".encode())
        await answer.write_eof()
        return answer

    async def until_close(request):
        answer = web.StreamResponse()
        answer.force_close()
        await answer.prepare(request)
        await answer.write(b"until the end")
        await answer.write_eof()
        return answer

    async def upload(request):
        count = 0
        async for piece in request.content.iter_any():
            count += len(piece)
        return web.json_response({"count": count, "expect": request.headers.get("Expect")})

    async def drop(request):
        request.transport.abort() if "reset" in request.query else request.transport.close()
        return web.Response()

    async def redirect(request):
        raise web.HTTPFound(f"http://{request.host}/chunked")

    async def talk(request):
        answer = web.WebSocketResponse(compress=True)
        await answer.prepare(request)
        async for message in answer:
            if message.type == aiohttp.WSMsgType.BINARY:
                await answer.send_bytes(message.data[::-1])
            elif message.data == "close":
                await answer.close(code=4001, message=b"as you wish")
            else:
                await answer.send_str(message.data.upper())
        return answer

    application = web.Application(client_max_size=1 << 26)
    application.add_routes([
        web.get("/chunked", chunked), web.get("/until-close", until_close), web.post("/upload", upload),
        web.post("/drop", drop), web.get("/redirect", redirect), web.get("/ws", talk)])
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    upstream = "http://127.0.0.1:%d" % site._server.sockets[0].getsockname()[1]
    return runner, upstream, asked


async def foreign():
    """The view of clients through a recorder in front of it."""
    runner, upstream, asked = await foreign_server()
    path = FOLDER / "foreign.har"
    with running("record", "--upstream", upstream, "--output", str(path)) as proxy:
        async with aiohttp.ClientSession() as session:
            expected = "".join(f"piece {number}\n" for number in range(100))
            for _ in range(2):
                async with session.get(proxy.url + "/chunked", headers={"Accept-Encoding": "gzip"}) as answer:
                    assert await answer.text() == expected
                    assert answer.headers["Set-Cookie"] == "id=1"
                async with session.get(proxy.url + "/until-close") as answer:
                    assert await answer.text() == "until the end"
            assert asked[0]["Accept-Encoding"] == "gzip" and asked[0]["Host"] == upstream.split("//")[1], asked[0]
            assert not [name for name in asked[0] if name.lower().startswith(("x-forwarded", "via", "forwarded"))]
            async with session.get(proxy.url + "/redirect", allow_redirects=False) as answer:
                assert answer.headers["Location"] == proxy.url + "/chunked"

            async def pieces():
                for _ in range(100):
                    yield b"x" * 10_000

            async with session.post(proxy.url + "/upload", data=pieces()) as answer:
                assert (await answer.json())["count"] == 1_000_000
            async with session.post(proxy.url + "/upload", data=b"y" * 300_000, expect100=True) as answer:
                assert await answer.json() == {"count": 300_000, "expect": "100-continue"}
            for query in ("", "?reset=1"):
                try:
                    await session.post(proxy.url + "/drop" + query)
                    raise AssertionError("an answer out of nothing")
                except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                    pass
            async with session.ws_connect(proxy.url + "/ws", compress=15) as socket:
                await socket.send_str("hello")
                assert await socket.receive_str() == "HELLO"
                await socket.send_bytes(b"\x00\x01\x02")
                assert await socket.receive_bytes() == b"\x02\x01\x00"
                await socket.send_str("close")
                message = await socket.receive()
                assert (message.type, message.data, message.extra) == (aiohttp.WSMsgType.CLOSE, 4001, "as you wish")
        assert proxy.stop() == f"9 requests and 1 WebSocket in {path}", proxy.printed()
    await runner.cleanup()
    kept = entries(path)
    assert [entry["response"]["status"] for entry in kept] == [200, 200, 200, 200, 302, 200, 200, 0, 0, 101]
    assert kept[0]["response"]["content"]["text"] == expected
    assert kept[1]["response"]["content"]["text"] == "until the end"
    assert kept[6]["request"]["postData"]["text"] == "y" * 300_000
    frames = [(m["type"], m["opcode"], m["data"]) for m in kept[9]["_webSocketMessages"]]
    assert frames == [
        ("send", 1, "hello"), ("receive", 1, "HELLO"), ("send", 2, base64.b64encode(b"\x00\x01\x02").decode()),
        ("receive", 2, base64.b64encode(b"\x02\x01\x00").decode()), ("send", 1, "close")], frames
    assert "permessage" not in json.dumps(kept[9]), "an extension would make frames unreadable"


async def stories(story, chapters):
    """A story of the other peers, played through the proxy unchanged."""
    path = FOLDER / f"{story}.har"
    with running("serve", "--instant") as server, \
            running("record", "--upstream", server.url, "--output", str(path)) as proxy:
        ready = FOLDER / f"{story}.json"
        ready.write_text(json.dumps({**server.ready, "url": proxy.ready["url"], "ws_url": proxy.ready["ws_url"]}))
        script = pathlib.Path(__file__).with_name(f"{story}.py")
        told = subprocess.run(
            [sys.executable, str(script), str(ready), PROGRAM, *chapters], capture_output=True, text=True)
        assert told.returncode == 0, told.stdout + told.stderr + proxy.log()
        proxy.stop()
    assert entries(path)


# Without echo, whose 16 MiB take a debug build longer to record than the client waits.
LIBRARY_CHAPTERS = [
    "rest", "refusals", "handshakes", "chat", "bad_frames", "archiving", "deflate", "goal_chat", "goal_from_chat",
    "goal_rules", "meals", "meals_heard", "meals_listed", "judged"]


async def websockets_stories():
    await stories("with_websockets", LIBRARY_CHAPTERS)


async def aiohttp_stories():
    await stories("with_aiohttp", LIBRARY_CHAPTERS)


async def socket_stories():
    await stories("with_sockets", ["pipelining", "single_bytes"])


async def doors():
    """The fake behind 'record' and behind nginx: access to its admin API, and its check of origins, stay as strict."""
    async def status(url, path, method="GET", **fields):
        async with aiohttp.ClientSession() as session:
            async with session.request(method, url + path, headers=fields) as answer:
                await answer.read()
                return answer.status

    with running("serve") as fake:
        assert await status(fake.url, "/__admin/state") == 200
        path = FOLDER / "doors.har"
        with running("record", "--upstream", fake.url, "--output", str(path), "--host", "0.0.0.0") as proxy:
            near = "http://127.0.0.1:" + proxy.url.rsplit(":", 1)[1]
            for admin in ["/__admin/state", "/%5f_admin/state", "/__admin/requests", "/__admin/worlds/default/state"]:
                for host in ["evil.example", "127.0.0.1"]:
                    assert await status(near, admin, Host=host) == 403, (admin, host)
            assert await status(near, "/__admin/journal", "DELETE") == 403
            assert await status(near, "/__admin/health") == 200
            rebound = {"Host": "evil.example", "Origin": "http://evil.example"}
            assert await status(near, "/api/v1/consultations", "POST", **rebound) == 403
            assert await status(near, "/api/v1/consultations", "POST", Origin=near) != 403
            proxy.stop()
        if not NGINX:
            return print("nginx is not installed, so it is not asked")
        # Without `proxy_set_header Host`, nginx sends the upstream's own.
        with nginx_serving(f"""
                location / {{
                  proxy_pass {fake.url}; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
                }}""") as there:
            assert await status(there, "/__admin/state", Host="evil.example") == 403
            assert await status(there, "/__admin/state") == 403
            assert await status(there, "/__admin/health") == 200


HAPROXY = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin:/opt/homebrew/bin")
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/opt/homebrew/bin")


@contextlib.contextmanager
def nginx_serving(server, http=""):
    """nginx with these directives for its server and for http; yields its URL.

    It inherits a listening socket, as from an nginx that it replaces: another program could take a port that is chosen,
    freed and only then bound by nginx.
    """
    FOLDER.chmod(0o755)
    configuration = FOLDER / "nginx.conf"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        configuration.write_text(f"""
            daemon off; pid {FOLDER}/nginx.pid; error_log {FOLDER}/nginx.err; worker_processes 1; events {{}}
            http {{
              access_log off; client_body_temp_path {FOLDER}/b; proxy_temp_path {FOLDER}/p;
              fastcgi_temp_path {FOLDER}/f; uwsgi_temp_path {FOLDER}/u; scgi_temp_path {FOLDER}/s; {http}
              server {{ listen {address}; {server} }}
            }}""")
        process = subprocess.Popen(
            [NGINX, "-c", str(configuration), "-p", str(FOLDER)], stderr=subprocess.DEVNULL,
            pass_fds=[listener.fileno()], env={**os.environ, "NGINX": f"{listener.fileno()};"})
    try:
        yield "http://" + address
    finally:
        process.terminate()
        process.wait()


async def nginx():
    """A server that closes connections early: after three requests, and after an idle second."""
    if not NGINX:
        return print("nginx is not installed, so this chapter is not told")
    body = "".join(f"line {number}\n" for number in range(30_000))
    (FOLDER / "www").mkdir()
    (FOLDER / "www" / "file.txt").write_text(body)
    with nginx_serving(f"root {FOLDER}/www;", "gzip on; gzip_types *; keepalive_requests 3;") as upstream:
        path = FOLDER / "nginx.har"
        with running("record", "--upstream", upstream, "--output", str(path)) as proxy:
            async with aiohttp.ClientSession() as session:
                for number in range(20):
                    async with session.get(proxy.url + f"/file.txt?{number}") as answer:
                        assert await answer.text() == body
                    plain = {"Accept-Encoding": "identity"}
                    async with session.head(proxy.url + "/file.txt", headers=plain) as answer:
                        assert int(answer.headers["Content-Length"]) == len(body)
                    ranged = {"Range": "bytes=5-9", **plain}
                    async with session.get(proxy.url + "/file.txt", headers=ranged) as answer:
                        assert (answer.status, await answer.text()) == (206, body[5:10])
            proxy.stop()
        kept = [entry for entry in entries(path) if "file.txt?" in entry["request"]["url"]]
        assert len(kept) == 20 and all(entry["response"]["content"]["text"] == body for entry in kept)


async def journal(session, server):
    """The entries of a server's default world."""
    async with session.get(server.url + "/__admin/journal") as answer:
        return [json.loads(line) for line in (await answer.text()).splitlines()]


async def behind():
    """A foreign server behind the faults of 'serve': every framing arrives, and a dropped request gets a 502."""
    runner, upstream, asked = await foreign_server()
    with running("serve", "--upstream", upstream) as front:
        async with aiohttp.ClientSession() as session:
            expected = "".join(f"piece {number}\n" for number in range(100))
            for _ in range(2):
                async with session.get(front.url + "/chunked", headers={"Accept-Encoding": "gzip"}) as answer:
                    assert await answer.text() == expected
                    assert answer.headers["Set-Cookie"] == "id=1"
                async with session.get(front.url + "/until-close") as answer:
                    assert await answer.text() == "until the end"
            assert asked[0]["Host"] == upstream.split("//")[1], asked[0]
            assert not [name for name in asked[0] if name.lower().startswith(("x-forwarded", "via", "forwarded"))]
            async with session.get(front.url + "/redirect", allow_redirects=False) as answer:
                assert answer.headers["Location"] == front.url + "/chunked"
            async with session.post(front.url + "/upload", data=b"y" * 300_000, expect100=True) as answer:
                assert await answer.json() == {"count": 300_000, "expect": None}
            for query in ("", "?reset=1"):
                async with session.post(front.url + "/drop" + query) as answer:
                    assert answer.status == 502 and "without an answer" in await answer.text()
            async with session.ws_connect(front.url + "/ws", compress=15) as socket:
                await socket.send_str("hello")
                assert await socket.receive_str() == "HELLO"
                await socket.send_bytes(b"\x00\x01\x02")
                assert await socket.receive_bytes() == b"\x02\x01\x00"
                await socket.send_str("close")
                message = await socket.receive()
                assert (message.type, message.data, message.extra) == (aiohttp.WSMsgType.CLOSE, 4001, "as you wish")
            entries_of_journal = await journal(session, front)
        notes = [entry["text"] for entry in entries_of_journal if entry["kind"] == "note"]
        assert len(notes) == 2 and all("without an answer" in note for note in notes), notes
        real = [entry for entry in entries_of_journal if entry.get("answered_by") == "real"]
        assert len(real) == 7, real
        front.stop()
    await runner.cleanup()


async def behind_proxies():
    """A fake behind nginx, and behind HAProxy, behind the faults of 'serve': the first stream is cut, the next is whole."""
    forward = "proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $wanted;"
    with running("serve", "--instant") as fake:
        proxies = []
        if NGINX:
            proxies.append(nginx_serving(
                f"location / {{ proxy_pass {fake.url}; {forward} }}",
                "map $http_upgrade $wanted { default upgrade; '' ''; }"))
        if HAPROXY:
            proxies.append(haproxy_serving(fake.url))
        if not proxies:
            print("neither nginx nor HAProxy is installed, so this chapter is not told")
        for number, proxy in enumerate(proxies):
            with proxy as upstream, running(
                    "serve", "--upstream", upstream, "--scenario", "drop-mid-stream") as front:
                async with aiohttp.ClientSession(headers=credentials(fake)) as session:
                    id = await consultation(session, front.url, f"proxy {number}")
                    texts = []
                    for _ in range(2):
                        async with session.ws_connect(f"{front.url}/api/v1/consultations/{id}/ws") as socket:
                            await socket.send_json({"type": "message", "content": "Hello"})
                            frames = [message.json() async for message in socket_until_end(socket)]
                            texts.append([frame["type"] for frame in frames])
                    assert "stream_complete" not in texts[0] and texts[1][-1] == "stream_complete", texts
                front.stop()


async def socket_until_end(socket):
    """The messages up to the end of an answer, or of the socket."""
    async for message in socket:
        yield message
        if message.json()["type"] == "stream_complete":
            return


@contextlib.contextmanager
def haproxy_serving(url):
    """HAProxy in front of a server, on a listening socket; yields its URL."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        configuration = FOLDER / "haproxy.cfg"
        configuration.write_text(f"""
            defaults
              mode http
              timeout connect 5s
              timeout client 60s
              timeout server 60s
              timeout tunnel 1h
            listen front
              bind fd@{listener.fileno()}
              server fake {url.split("//")[1]}
""")
        process = subprocess.Popen(
            [HAPROXY, "-db", "-f", str(configuration)], stderr=subprocess.DEVNULL, pass_fds=[listener.fileno()])
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            process.terminate()
            process.wait()


async def behind_tls():
    """An upstream over TLS is believed where its CA is named; else the client gets 502, and others do not notice."""
    with running("serve", "--instant", "--tls", "--tls-port", "0") as fake:
        https, authority = fake.ready["https_url"], fake.ready["ca_certificate"]
        with running("serve", "--upstream", https, "--upstream-ca", authority) as front:
            async with aiohttp.ClientSession(headers=credentials(fake)) as session:
                for _ in range(3):
                    async with session.get(front.url + "/api/v1/goals") as answer:
                        assert answer.status == 200, await answer.text()
                id = await consultation(session, front.url, "tls")
                async with session.ws_connect(f"{front.url}/api/v1/consultations/{id}/ws") as socket:
                    await socket.send_json({"type": "message", "content": "Hello"})
                    assert [m.json() async for m in socket_until_end(socket)][-1]["type"] == "stream_complete"
            front.stop()
        for upstream, code in [(https, "UPSTREAM_TLS_FAILED"), ("http://127.0.0.1:1", "UPSTREAM_UNREACHABLE")]:
            with running("serve", "--upstream", upstream) as front:
                async with aiohttp.ClientSession(headers=credentials(fake)) as session:
                    async with session.get(front.url + "/api/v1/goals") as answer:
                        assert (answer.status, (await answer.json())["error"]["code"]) == (502, code)
                    notes = [entry["text"] for entry in await journal(session, front) if entry["kind"] == "note"]
                    assert len(notes) == 1 and notes[0].startswith("upstream: "), notes
                front.stop()
        # The server itself is refused as its upstream.
        with running("serve") as front:
            async with aiohttp.ClientSession() as session:
                made = await session.post(front.url + "/__admin/worlds", json={"upstream": front.url})
                world = await made.json()
                async with session.get(world["url"] + "/api/v1/goals") as answer:
                    assert answer.status == 502 and "this server itself" in await answer.text()
            front.stop()


async def behind_polite():
    """The polite client in every built-in scenario, in front of a real server: no judge blames it."""
    sys.path.insert(0, str(pathlib.Path(__file__).parent / "../../../Fixtures/adapters/python"))
    from fitiq_client import Client

    listed = subprocess.run([PROGRAM, "scenarios"], check=True, capture_output=True, text=True).stdout
    names = [line.split()[0] for line in listed.splitlines() if line and not line.startswith(" ")]
    assert len(names) > 30, listed
    places, judged = asyncio.Semaphore(4), 0

    async def until(client, condition, seconds):
        """In some scenarios it may never come."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while client.is_busy or not condition():
                    await asyncio.sleep(0.05)

    async def play(name):
        """The judges' findings against the client, and the obligations that they leave to the server; None without a
        question."""
        with running("serve", "--instant") as real, \
                running("serve", "--instant", "--upstream", real.url, "--scenario", name) as front:
            client = Client(
                front.url, front.ready["ws_url"], front.ready["token"], front.ready["api_key"],
                refresh=lambda: front.ready["fresh_token"])
            client.start_consultation("nutritionist")
            client.send("How much protein do I need?")
            await until(client, lambda: len(client.transcript) == 2, 6)
            client.log_meal("2 eggs", "breakfast")
            client.create_goal("Run 5 km", "By summer.")
            await until(client, lambda: client.goals and client.meals, 6)
            client.disconnect()
            await until(client, lambda: client.connection == "disconnected", 3)
            async with aiohttp.ClientSession() as session:
                async with session.get(front.url + "/__admin/verdicts") as answer:
                    verdicts = (await answer.json())["verdicts"]
                entries = await journal(session, front)
            broken = {v["id"]: [f["message"] for f in v["findings"]] for v in verdicts if v["verdict"] == "broken"}
            if not any(entry.get("answered_by") == "real" for entry in entries):
                return broken, None
            return broken, [verdict["id"] for verdict in verdicts if verdict.get("not_judged")]

    async def judge(name):
        nonlocal judged
        async with places:
            broken, left = await play(name)
            # A busy machine makes the client late, but not twice in the same way.
            for _ in range(2):
                if broken:
                    again, _ = await play(name)
                    broken = {id: broken[id] for id in broken if id in again}
            assert not broken, (name, broken)
            if left is not None:
                assert left == ["ids/backend-goal-id", "retry/creates-once"], (name, left)
                judged += 1

    async with asyncio.TaskGroup() as group:
        for name in names:
            group.create_task(judge(name))
    assert judged > 25, f"only {judged} scenarios let anything through to the server"


async def certificates():
    """An upstream over TLS is trusted with its certificate, and only then; clients use TLS as well."""
    certificate, key = FOLDER / "other.pem", FOLDER / "other-key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=other.example", "-addext", "subjectAltName=DNS:other.example", "-keyout", str(key), "-out",
         str(certificate)], check=True, capture_output=True)
    tls = ["--instant", "--tls", "--tls-port", "0"]
    with running("serve", *tls) as server, \
            running("serve", *tls, "--certificate", str(certificate), "--key", str(key)) as stranger:
        https, authority = server.ready["https_url"], server.ready["ca_certificate"]
        path = FOLDER / "tls.har"
        with running(
                "record", "--upstream", https, "--output", str(path), "--upstream-ca", authority, "--tls", "--tls-port",
                "0") as proxy:
            assert proxy.ready["ca_certificate"] == authority
            context = ssl.create_default_context(cafile=authority)
            async with aiohttp.ClientSession(headers=credentials(server)) as session:
                for url in (proxy.url, proxy.ready["https_url"]):
                    tls = {"ssl": context} if url.startswith("https") else {}
                    for _ in range(3):
                        async with session.get(url + "/api/v1/consultations", **tls) as answer:
                            assert answer.status == 200, await answer.text()
                    body = {"persona": "nutritionist"}
                    async with session.post(url + "/api/v1/consultations", json=body, **tls) as answer:
                        data = await answer.json()
                        id = data["data"]["id"] if answer.status == 201 else data["error"]["details"]["existing_consultation_id"]
                    async with session.ws_connect(f"{url}/api/v1/consultations/{id}/ws", **tls) as socket:
                        await socket.send_json({"type": "message", "content": "Hello"})
                        while (await socket.receive_json())["type"] != "stream_complete":
                            pass
                try:
                    async with session.get(proxy.ready["https_url"] + "/health"):
                        raise AssertionError("a client that does not know the CA believes the proxy")
                except aiohttp.ClientConnectorCertificateError:
                    pass
                # A bare port scan is not logged.
                _, writer = await asyncio.open_connection("127.0.0.1", int(proxy.ready["https_url"].rpartition(":")[2]))
                writer.close()
                await writer.wait_closed()
            assert proxy.stop() == f"8 requests and 2 WebSockets in {path}", (proxy.printed(), proxy.log())
            assert "certificate' explains how." in proxy.log(), proxy.log()
            assert "without sending anything" not in proxy.log(), proxy.log()
        kept = entries(path)
        assert all(entry["request"]["url"].startswith(("https://", "wss://")) for entry in kept)
        assert server.ready["token"] not in path.read_text() and "redacted-token-1" in path.read_text()

        for upstream, options, words in [
                (https, [], ["UPSTREAM_TLS_FAILED", "cannot be trusted", "make the proxy trust that CA's certificate"]),
                (stranger.ready["https_url"], ["--upstream-ca", str(certificate)],
                 ["UPSTREAM_TLS_FAILED", "other.example"]),
                (server.url.replace("http://", "https://"), ["--upstream-ca", authority], ["UPSTREAM_TLS_FAILED", "http://"]),
                ("http://127.0.0.1:1", [], ["UPSTREAM_UNREACHABLE", "nothing is listening there"])]:
            path = FOLDER / f"refused-{random.getrandbits(64):x}.har"
            with running("record", "--upstream", upstream, "--output", str(path), *options) as proxy:
                async with aiohttp.ClientSession() as session, session.get(proxy.url + "/health") as answer:
                    text = await answer.text()
                    assert answer.status == 502, text
                    assert all(word in text for word in words), (words, text)
                assert words[-1] in proxy.log(), proxy.log()
                assert proxy.stop() == f"0 requests and 0 WebSockets in {path}"


async def files():
    """An existing file is left alone; a file that cannot grow ends the recording, but not the proxy."""
    with running("serve", "--instant") as server:
        path = FOLDER / "kept.har"
        path.write_text("mine")
        command = [PROGRAM, "record", "--port", "0", "--upstream", server.url, "--output", str(path)]
        refused = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
        assert refused.returncode == 2 and "--overwrite" in refused.stderr, refused
        assert path.read_text() == "mine"
        with running("record", "--upstream", server.url, "--output", str(path), "--overwrite") as proxy:
            proxy.stop()
        assert entries(path) == [] and path.stat().st_mode & 0o777 == 0o600

        def small():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

        for name, program in [("proxy", "record"), ("server", "serve")]:
            path = FOLDER / f"full-{program}.har"
            options = ["--upstream", server.url, "--output"] if program == "record" else ["--instant", "--record"]
            with running(program, *options, str(path), preexec_fn=small) as process:
                fields = credentials(server if program == "record" else process)
                async with aiohttp.ClientSession(headers=fields) as session:
                    for number in range(100):
                        async with session.get(f"{process.url}/api/v1/consultations?n={number}") as answer:
                            assert answer.status == 200
                log = process.log()
                assert log.count("THE RECORDING HAS STOPPED") == 1, log
                assert f"The {name} continues without it; everything before that is in '{path}'" in log, log
                line = process.stop(status=3)
            # The file is complete, and as full as possible.
            numbers = [int(entry["request"]["url"].split("=")[1]) for entry in entries(path)]
            assert numbers == list(range(len(numbers))) and path.stat().st_size > 17_000, numbers
            assert line == f"{len(numbers)} requests and 0 WebSockets in {path}", line
            assert not path.with_name(path.name + ".part").exists()
        own = [PROGRAM, "record", "--port", server.url.split(":")[-1], "--upstream", server.url]
        taken = subprocess.run(own + ["--output", str(FOLDER / "x.har")], capture_output=True, text=True, env=ENVIRONMENT)
        assert taken.returncode == 2 and "--port" in taken.stderr, taken
        assert not (FOLDER / "x.har").exists()


async def shared():
    """A recording that another process writes is refused and continues; so is the only remaining copy of one."""
    for program in ["record", "serve"]:
        folder = FOLDER / f"shared-{program}"
        folder.mkdir()
        path = folder / "session.har"
        with running("serve", "--instant") as server:
            upstream = ["--upstream", server.url, "--output"]
            seconds = [
                ["serve", "--record", str(path)], ["record", *upstream, str(path)],
                ["record", *upstream, str(path), "--overwrite"]]

            def refused(words):
                for second in seconds:
                    command = [PROGRAM, *second, "--port", "0"]
                    refusal = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=20)
                    assert refusal.returncode == 2 and words in refusal.stderr, refusal

            with running(program, *(upstream if program == "record" else ["--record"]), str(path)) as process:
                fields = credentials(server if program == "record" else process)
                async with aiohttp.ClientSession(headers=fields) as session:
                    for number in range(2):
                        async with session.get(f"{process.url}/api/v1/consultations?n={number}") as answer:
                            assert answer.status == 200
                        refused("another process is writing to it")
                assert process.stop() == f"2 requests and 0 WebSockets in {path}"
            assert len(entries(path)) == 2
            path.rename(path.with_name("session.har.part"))
            refused("session.har.part' already exists and may be the only copy")
            assert len(entries(path.with_name("session.har.part"))) == 2 and not path.exists()


async def displaced():
    """A recording is moved, removed or replaced: the program reports it, and does not touch other files."""
    for program in ["record", "serve"]:
        for kind in ["folder", "file", "foreign"]:
            folder = FOLDER / f"displaced-{program}-{kind}"
            folder.mkdir()
            path = folder / "session.har"
            with running("serve", "--instant") as server:
                state = FOLDER / f"state-{kind}.json"
                options = (["--upstream", server.url, "--output"] if program == "record"
                           else ["--export-on-exit", str(state), "--record"])
                with running(program, *options, str(path)) as process:
                    fields = credentials(server if program == "record" else process)
                    async with aiohttp.ClientSession(headers=fields) as session:
                        async with session.get(process.url + "/api/v1/consultations") as answer:
                            assert answer.status == 200
                    if kind == "folder":
                        shutil.rmtree(folder)
                    else:
                        path.unlink()
                    if kind == "foreign":
                        path.write_text("foreign")
                    process.process.send_signal(signal.SIGTERM)
                    assert process.process.wait(10) == 3, (process.process.returncode, process.log())
                    log = process.log()
            # The server's data is unaffected.
            assert program == "record" or "users" in json.loads(state.read_text()), state
            if kind == "folder":
                assert f"'{path}' was moved or removed during the recording, so the recording is lost" in log, log
                continue
            beside = path.with_name("session.har.part")
            assert f"'{path}' was moved, removed or replaced by another file" in log and f"in '{beside}'" in log, log
            assert len(entries(beside)) == 1
            assert path.read_text() == "foreign" if kind == "foreign" else not path.exists()
        folder = FOLDER / f"displaced-{program}-twin"
        folder.mkdir()
        path = folder / "session.har"
        with running("serve", "--instant") as server:
            options = ["--upstream", server.url, "--output"] if program == "record" else ["--record"]
            with running(program, *options, str(path)) as process:
                fields = credentials(server if program == "record" else process)
                async with aiohttp.ClientSession(headers=fields) as session:
                    for _ in range(2):
                        path.with_name("session.har.part").unlink()
                        async with session.get(process.url + "/api/v1/consultations") as answer:
                            assert answer.status == 200
                assert process.stop() == f"2 requests and 0 WebSockets in {path}", process.log()
        assert len(entries(path)) == 2 and [file.name for file in folder.iterdir()] == ["session.har"]


def main():
    try:
        for chapter in sys.argv[2:]:
            start = time.monotonic()
            asyncio.run(globals()[chapter]())
            print(f"told {chapter} in {time.monotonic() - start:.1f} s")
    finally:
        subprocess.run(["rm", "-rf", str(FOLDER)])


main()
