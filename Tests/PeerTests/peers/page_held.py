"""Stories of breakpoints on the page, and of held items."""

import base64
import json
import re
from concurrent.futures import ThreadPoolExecutor

from page_tools import App, close_quietly, is_accessible, message, until
from playwright.sync_api import expect


class Held:
    def held(self):
        """Requests, responses, handshakes and frames wait for the page's actions."""
        server = self.serve("--scenario", "default")
        self.page = self.open(server, "#breakpoints", dark=True)
        expect(self.page.locator("#link")).to_have_text("Live")
        self.cards, self.form = self.page.locator(".held-item"), self.page.locator("#breakpoints form")
        with ThreadPoolExecutor() as threads:
            self.requests(server, threads)
            self.responses(server, threads)
            self.table(server, threads)
            self.handshakes(server)
            self.frames(server)
            # Items held by a page continue when the page is closed.
            self.hold("request", Where="GET /api/v1/consultations")
            asked = threads.submit(server.send, "GET", "/api/v1/consultations")
            expect(self.cards).to_have_count(1)
            close_quietly(self.page, "400 (Bad Request)")
            assert asked.result()[0] == 200
            # Its breakpoint is removed once another page looks.
            other = self.open(server, "#breakpoints")
            expect(other.locator("#breakpoint-list")).to_contain_text("No breakpoint is set.")
            assert server.ask("GET", "/__admin/breakpoints")["breakpoints"] == []
            close_quietly(other)
        server.stop()

    def hold(self, what, **members):
        before = self.page.locator("#breakpoint-list tbody tr").count()
        self.form.get_by_label("Hold", exact=True).select_option(what)
        if self.form.locator("details:not([open])").count():
            self.form.locator("summary").click()
        for label, text in members.items():
            control = self.form.get_by_label(label, exact=True).first
            if control.evaluate("each => each.localName") == "select":
                control.select_option(label=text)
            else:
                control.fill(text)
        self.form.get_by_role("button", name="Set").click()
        expect(self.page.locator("#breakpoint-list tbody tr")).to_have_count(before + 1)

    def remove_all(self):
        rows = self.page.locator("#breakpoint-list tbody tr")
        while count := rows.count():
            rows.first.get_by_role("button", name="Remove").click()
            expect(rows).to_have_count(count - 1)

    def released(self, button="Continue", card=None):
        """The request that the page sends when the button of the only card is pressed."""
        with self.page.expect_request(lambda each: each.method == "POST" and "/held/" in each.url) as sent:
            # The button says if the item was changed.
            (card or self.cards).get_by_role("button", name=re.compile(f"^{button}(, changed)?$")).click()
        expect(self.cards).to_have_count(0)
        return sent.value.post_data_json

    def requests(self, server, threads):
        page, cards = self.page, self.cards
        self.hold("request", Where="POST /api/v1/meal-logs/natural", Text="Eggs", For="5m")
        breakpoint, = server.ask("GET", "/__admin/breakpoints")["breakpoints"]
        assert breakpoint["hold"] == {"what": "request", "text": "Eggs", "for": "5m"}, breakpoint
        expect(page.locator("#breakpoint-list tbody td")).to_have_text(
            ["", breakpoint["name"], "POST /api/v1/meal-logs/natural", "requests that contain “Eggs”", "5m", "0", "0", "0", "Remove"])
        # The list shows a part of this one, which has CRLF: unchanged parts are not sent.
        long = '{"meal_type": "breakfast",\r\n' + " " * 70_000 + '"raw_input": "Eggs"}\r\n'
        asked = threads.submit(server.send_text, "POST", "/api/v1/meal-logs/natural", long)
        body = cards.get_by_label("Body", exact=True)
        expect(body).to_have_value(long.replace("\r\n", "\n"))
        fields = cards.get_by_label("Fields", exact=True)
        fields.fill(fields.input_value() + "\nX-By-Hand: yes")
        sent = self.released()
        assert set(sent) == {"action", "fields"} and {"name": "X-By-Hand", "value": "yes"} in sent["fields"], sent
        assert asked.result()[0] == 201 and '"raw_input":"Eggs"' in asked.result()[1], asked.result()
        # Its end can be changed, and its line ends stay.
        asked = threads.submit(server.send_text, "POST", "/api/v1/meal-logs/natural", long)
        expect(body).to_have_value(long.replace("\r\n", "\n"))
        body.evaluate("each => { each.setRangeText('Toast', each.value.indexOf('Eggs'), each.value.indexOf('Eggs') + 4); each.dispatchEvent(new Event('input')); }")
        sent = self.released()
        assert sent == {"action": "change", "text": long.replace("Eggs", "Toast")}, str(sent)[:300]
        assert '"raw_input":"Toast"' in asked.result()[1], asked.result()
        # A method and a target; a body that a text area cannot keep is base64.
        self.hold("request", Where="GET /api/v1/consultations")
        asked = threads.submit(server.send, "GET", "/api/v1/consultations")
        is_accessible(page, "a held request")
        self.picture(page, "held-request")
        cards.get_by_label("Target", exact=True).fill("/api/v1/goals?limit=1")
        assert self.released() == {"action": "change", "target": "/api/v1/goals?limit=1"}
        assert '"goals"' in asked.result()[1], asked.result()
        asked = threads.submit(server.send_text, "POST", "/api/v1/meal-logs/natural", '{"raw_input":"Eggs",\r"meal_type":\n"lunch"}')
        whole = cards.get_by_label("Body, as base64", exact=True)
        text = base64.b64decode(whole.input_value()).decode()
        assert "\r" in text and "\n" in text, text
        whole.fill(base64.b64encode(text.replace("Eggs", "Soup").encode()).decode())
        assert set(self.released()) == {"action", "base64"}
        assert '"raw_input":"Soup"' in asked.result()[1], asked.result()
        # An answer in its place.
        page.clock.install()
        asked = threads.submit(server.send, "GET", "/api/v1/consultations")
        cards.get_by_role("button", name="Answer…").click()
        dialog = page.locator("dialog")
        # It waits while somebody types the answer, too.
        with page.expect_response(lambda each: each.request.method == "PATCH" and each.ok):
            dialog.get_by_label("Fields", exact=True).fill("Content-Type: text/plain\nRetry-After: 3")
        dialog.get_by_label("Body", exact=True).fill("No tea.")
        # The dialog stays open, with its input, until the server accepts an answer.
        dialog.get_by_label("Status", exact=True).fill("99")
        dialog.get_by_role("button", name="Answer", exact=True).click()
        expect(dialog.locator(".toast.bad")).to_contain_text("status")
        expect(dialog.get_by_label("Body", exact=True)).to_have_value("No tea.")
        is_accessible(page, "a refused answer")
        dialog.get_by_label("Status", exact=True).fill("418")
        dialog.get_by_role("button", name="Answer", exact=True).click()
        expect(dialog).to_have_count(0)
        assert asked.result() == (418, "No tea."), asked.result()
        expect(cards).to_have_count(0)
        # The text typed last does not prolong the wait of what has been released.
        prolonged = []
        page.on("request", lambda each: each.method == "PATCH" and prolonged.append(each.url))
        page.clock.fast_forward(21_000)
        # Dropped in the selected way.
        asked = threads.submit(server.send, "GET", "/api/v1/consultations")
        cards.get_by_label("How to drop it").select_option("reset")
        assert self.released("Drop") == {"action": "drop", "how": "reset"}
        assert isinstance(asked.exception(), OSError), asked.exception()
        assert not prolonged, prolonged
        self.remove_all()

    def responses(self, server, threads):
        cards = self.cards
        self.hold("response", Where="GET /api/v1/goals")
        asked = threads.submit(server.send, "GET", "/api/v1/goals")
        expect(cards).to_contain_text("response held by")
        # It waits while somebody types, and five more minutes after a button.
        status, until = cards.get_by_label("Status", exact=True), lambda: server.ask("GET", "/__admin/held")["held"][0]["until"]
        for act in (lambda: status.fill("500"), lambda: cards.get_by_role("button", name="5 more minutes").click()):
            before = until()
            with self.page.expect_response(lambda each: each.request.method == "PATCH" and each.ok):
                act()
            assert until() > before, (until(), before)
        expect(cards.locator(".left")).to_contain_text(re.compile(r"continues in (9\.\d|10\.0) min"))
        expect(cards.get_by_role("button", name="Continue, changed", exact=True)).to_be_visible()
        assert self.released() == {"action": "change", "status": 500}
        assert asked.result()[0] == 500 and '"goals"' in asked.result()[1], asked.result()
        # Typing does not shorten the wait of an item that waits longer anyway.
        asked = threads.submit(server.send, "GET", "/api/v1/goals")
        cards.get_by_role("button", name="5 more minutes").click()
        expect(cards.locator(".left")).to_contain_text(re.compile(r"continues in 5\.\d min"))
        longest = until()
        cards.get_by_label("Fields", exact=True).fill("Content-Type: text/plain")
        cards.get_by_label("Body", exact=True).fill("mine")
        self.page.wait_for_timeout(500)
        assert until() == longest, (until(), longest)
        assert set(self.released()) == {"action", "fields", "text"}
        assert asked.result() == (200, "mine"), asked.result()
        # A step holds the response to the request.
        self.hold("request", Where="GET /api/v1/consultations")
        asked = threads.submit(server.send, "GET", "/api/v1/consultations")
        expect(cards).to_contain_text("request held by")
        cards.get_by_role("button", name="Step").click()
        expect(cards).to_contain_text("response held by")
        assert self.released() == {"action": "continue"}
        assert asked.result()[0] == 200
        self.remove_all()

    def table(self, server, threads):
        """A breakpoint is switched in the table."""
        self.hold("request", Where="GET /api/v1/goals", Name="goals")
        ours = self.page.locator("#breakpoint-list tr", has_text="goals")
        ours.get_by_role("switch").click()
        expect(ours.get_by_role("switch")).not_to_be_checked()
        assert server.send("GET", "/api/v1/goals")[0] == 200
        # Another page leaves it alone while this one is open.
        other = self.open(server, "#breakpoints")
        expect(other.locator("#breakpoint-list tr", has_text="goals").get_by_role("switch")).not_to_be_checked()
        close_quietly(other)
        ours.get_by_role("switch").click()
        expect(ours.get_by_role("switch")).to_be_checked()
        asked = threads.submit(server.send, "GET", "/api/v1/goals")
        expect(self.cards).to_have_count(1)
        expect(ours.get_by_role("cell", name="1", exact=True)).not_to_have_count(0)
        self.picture(self.page, "breakpoints-live")
        is_accessible(self.page, "breakpoints")
        self.released()
        assert asked.result()[0] == 200
        self.remove_all()

    def handshakes(self, server):
        self.hold("handshake", Where="handshake /api/v1/consultations/{id}/ws")
        app = App(self.browser, server)
        app.page.evaluate("url => { window.late = new WebSocket(url); late.onopen = () => { late.done = 'open'; }; late.onerror = () => { late.done ??= 'refused'; }; }",
                          f"{server.url.replace('http', 'ws')}/api/v1/consultations/{server.consultation('general_wellness')}/ws?token={server.token}")
        expect(self.cards).to_contain_text("handshake held by")
        self.cards.get_by_role("button", name="Answer…").click()
        dialog = self.page.locator("dialog")
        dialog.get_by_label("Status", exact=True).fill("503")
        dialog.get_by_role("button", name="Answer", exact=True).click()
        expect(self.cards).to_have_count(0)
        until(app.page, "() => late.done")
        assert app.page.evaluate("late.done") == "refused"
        self.remove_all()

    def frames(self, server):
        cards = self.cards
        app = App(self.browser, server)
        app.chat(server.consultation("fitness_coach"), stays=True)
        connection = server.ask("GET", "/__admin/sockets")["sockets"][0]["connection"]
        # One from the server is changed before the app sees it.
        self.hold("frame", Direction="server to client", Type="stream complete", Connection=str(connection))
        app.say(message("Hello"))
        expect(cards).to_contain_text("from the server")
        area = cards.get_by_label("Body", exact=True)
        area.fill(area.input_value().replace('"stream_complete"', '"changed_by_hand"'))
        assert set(self.released()) == {"action", "text"}
        app.received('"changed_by_hand"')
        self.remove_all()
        # Binary frames are bytes, and so is their replacement.
        self.hold("frame", Direction="client to server")
        app.page.evaluate("sockets.at(-1).send(new Uint8Array([0, 255, 1]))")
        whole = cards.get_by_label("Body, as base64", exact=True)
        expect(whole).to_have_value("AP8B")
        whole.fill("AP8C")
        assert self.released() == {"action": "change", "base64": "AP8C"}
        entry = [each for each in map(json.loads, server.send("GET", "/__admin/journal")[1].splitlines()) if each["kind"] == "released"][-1]
        assert entry["payload_base64"] == "AP8C", entry
        self.remove_all()
