"""Tools for the stories of with_page.py: servers, an app as their client, and observed pages."""

import atexit
import http.client
import json
import re
import socket
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

ROWS = ".grid-body .r:not([hidden])"


class Server:
    """A fitiq-mock on its own port, and requests to it as an app and as its operator."""

    def __init__(self, program, *options, port=0):
        # Both are removed even if a story fails.
        self.files = tempfile.TemporaryDirectory()
        self.folder = Path(self.files.name)
        ready = self.folder / "ready.json"
        self.process = subprocess.Popen(
            [program, "serve", "--port", str(port), "--ready-file", str(ready), *options],
            stdout=subprocess.PIPE, stderr=(self.folder / "log").open("w"), text=True)
        atexit.register(self.process.kill)
        for line in self.process.stdout:
            if line.startswith("Stop with"):
                break
        facts = json.loads(ready.read_text(encoding="utf-8"))
        self.url, self.token, self.key = facts["url"], facts["token"], facts["api_key"]
        self.page = self.url + "/__admin/ui"

    def stop(self):
        self.process.terminate()
        assert self.process.wait(20) == 0, (self.folder / "log").read_text()

    def send(self, method, path, body=None, **fields):
        return self.send_text(method, path, None if body is None else json.dumps(body), **fields)

    def send_text(self, method, path, text, **fields):
        request = urllib.request.Request(
            self.url + path, method=method, data=None if text is None else text.encode(),
            headers={"Authorization": "Bearer " + self.token, "X-API-Key": self.key, "Content-Type": "application/json", **fields})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def ask(self, method, path, body=None, **fields):
        status, text = self.send(method, path, body, **fields)
        assert status < 300, f"{method} {path}: {status} {text}"
        return json.loads(text) if text else None

    def consultation(self, persona="nutritionist"):
        return self.ask("POST", "/api/v1/consultations", {"persona": persona})["data"]["id"]


class Forward:
    """A port that is forwarded to a server's, and can be cut."""

    def __init__(self, server):
        self.target = int(server.url.rsplit(":", 1)[1])
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.open, self.is_cut = [], False
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            try:
                far = None if self.is_cut else socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                far = None
            if far is None:
                near.close()
                continue
            self.open += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.relay, args=(source, sink), daemon=True).start()

    def relay(self, source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            # A reset at one end ends the other, too; otherwise a browser would wait for its answer forever.
            self.end(source, sink)

    @staticmethod
    def end(*sockets):
        for each in sockets:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        self.is_cut = True
        self.end(*self.open)
        self.open.clear()

    def mend(self):
        self.is_cut = False


class Prefix:
    """A reverse proxy that serves a server below a path, and records requests to other paths."""

    def __init__(self, server, prefix):
        self.target, self.prefix, self.strangers = urlsplit(server.url).netloc, prefix, []
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                proxy.answer(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *arguments):
                pass

        self.listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.listener.server_port}{prefix}"
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def answer(self, request):
        if not request.path.startswith(self.prefix + "/"):
            self.strangers.append(request.path)
            return request.send_error(404)
        far = http.client.HTTPConnection(self.target)
        fields = {name: value for name, value in request.headers.items() if name.lower() != "connection"}
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        far.request(request.command, request.path.removeprefix(self.prefix), body or None, fields)
        answer = far.getresponse()
        request.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection"):
                request.send_header(name, value)
        request.end_headers()
        try:
            while data := answer.read1(65536):
                request.wfile.write(data)
        except OSError:
            far.close()


class App:
    """A browser page that chats over WebSockets like the app."""

    def __init__(self, browser, server):
        self.server = server
        self.page = browser.new_page()
        self.page.route("**/favicon.ico", lambda route: route.abort())
        self.page.goto(server.url + "/health")

    def chat(self, consultation, *messages, stays=False):
        """Opens a socket, sends the texts, and waits for as many answers as there are chat messages."""
        url = f"{self.server.url.replace('http', 'ws')}/api/v1/consultations/{consultation}/ws?token={self.server.token}"
        answers = 0 if stays else sum(1 for each in messages if '"message"' in each)
        self.page.evaluate("""([url, messages, answers, stays]) => new Promise((done, failed) => {
            const socket = new WebSocket(url);
            window.sockets = [...(window.sockets ?? []), socket];
            socket.onerror = () => failed(new Error("no socket"));
            socket.received = [];
            const look = () => {
                if (socket.received.filter(each => each.includes('"stream_complete"')).length < answers) return;
                if (!stays && messages.length) socket.close(1000);
                done();
            };
            socket.onclose = () => done();
            socket.onmessage = event => { socket.received.push(event.data); if (socket.received.length > 1 || stays) look(); };
            socket.onopen = () => messages.forEach(each => socket.send(each));
        })""", [url, list(messages), answers, stays])

    def received(self, text):
        """Waits until a socket has received the text."""
        until(self.page, "text => sockets.some(each => each.received.some(one => one.includes(text)))", text)

    def say(self, text):
        self.page.evaluate("text => sockets.at(-1).send(text)", text)


def message(text):
    return json.dumps({"type": "message", "content": text})


def until(page, condition, argument=None, limit=20_000):
    """Waits for a condition of the page; wait_for_function would evaluate text in it, which its CSP forbids."""
    for _ in range(limit // 20):
        if page.evaluate(condition, argument):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"not within {limit} ms: {condition} {argument or ''}")


def open_page(browser, url, size=(1440, 900), dark=False):
    """A page in its own context, which records its console and violations of its CSP."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light",
                                  permissions=["clipboard-read", "clipboard-write"] if url.startswith("http") else [])
    page = context.new_page()
    page.set_default_timeout(20_000)
    expect.set_options(timeout=20_000)
    page.told = []
    page.on("console", lambda one: page.told.append(f"{one.type}: {one.text}") if one.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: page.told.append(f"pageerror: {error}"))
    page.add_init_script("""window.violations = [];
        addEventListener('securitypolicyviolation', e => violations.push(`${e.violatedDirective} ${e.blockedURI} ${e.sample}`))""")
    page.goto(url)
    return page


def is_accessible(page, name, rules=None):
    """Checks that axe finds no violation, with all rules or with the named ones."""
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    found = Axe().run(page, options=options).response["violations"]
    assert not found, f"axe, {name}: " + "; ".join(f"{each['id']} at {each['nodes'][0]['html'][:160]}" for each in found)


def close_quietly(page, *expected):
    """Checks that the console had only expected messages, and that the policy was not violated."""
    said = [each for each in page.told if not any(one in each for one in expected)]
    assert not said, said[:5]
    violations = page.evaluate("violations")
    assert not violations, violations[:5]
    page.context.close()


def panel(page, name):
    page.locator(f"#nav a[href='#{name}']").click()
    expect(page.locator(f"#{name}")).to_be_visible()


def rows(page):
    return page.locator(ROWS)


def row(page, text):
    """The rows with a text. A number must be the whole text of a cell, because times and sizes contain digits too."""
    if text.isdigit():
        return rows(page).filter(has=page.get_by_text(text, exact=True))
    return rows(page).filter(has_text=re.compile(re.escape(text)))
