"""Stories of the page's actions: sockets, marks, and scenarios for a client to face."""

import json
import re

from page_tools import App, close_quietly, is_accessible, message, open_page, panel, row, until
from playwright.sync_api import expect

GOAL = {"title": "Run 5 km", "description": "In spring", "targetDate": "2030-03-01T00:00:00Z", "category": "fitness"}


class Live:
    def live(self):
        """Sockets, marks and scenarios, controlled by hand."""
        server = self.serve("--scenario", "default")
        self.sockets(server)
        self.marks(server)
        server.stop()

    def sockets(self, server):
        page = self.open(server, "#sockets")
        app = App(self.browser, server)
        app.chat(server.consultation(), stays=True)
        ours = page.locator("#socket-list tbody tr")
        expect(ours).to_have_count(1)
        # A small screen shows the actions on a socket, too.
        for size in ((1024, 768), (390, 844)):
            small = self.open(server, "#sockets", size=size)
            expect(small.get_by_role("button", name="Silence")).to_be_in_viewport(ratio=1)
            expect(small.get_by_role("button", name="Frames")).to_be_in_viewport(ratio=1)
            is_accessible(small, f"sockets at {size[0]} pixels")
            close_quietly(small)
        self.streaming()
        page.get_by_role("button", name="Send…").click()
        page.get_by_label("Template").select_option("stream_chunk")
        area = page.locator("#sender textarea")
        expect(area).to_have_value(re.compile('"content"'))
        area.fill('{"content": "from the template"}')
        page.get_by_role("button", name="Send", exact=True).click()
        app.received("from the template")
        # A refused message has its refusal next to it until the next attempt.
        refused = page.locator("#sender .field", has=page.get_by_label("Message")).locator(".refused")
        for text, said in (('{"content": ', 'The members of stream_chunk must be a JSON object, but this is not JSON: {"content": Correct it'),
                           ('{"contents": "x"}', "contents")):
            area.fill(text)
            page.get_by_role("button", name="Send", exact=True).click()
            expect(refused).to_contain_text(said)
        page.get_by_label("Template").select_option("base64")
        area.fill("%")
        page.get_by_role("button", name="Send", exact=True).click()
        expect(refused).to_contain_text("base64")
        is_accessible(page, "a refused message")
        page.get_by_label("Template").select_option("text")
        area.fill("as it is")
        is_accessible(page, "sockets")
        self.picture(page, "sockets-live")
        page.get_by_role("button", name="Send", exact=True).click()
        app.received("as it is")
        expect(refused).to_have_count(0)
        page.get_by_label("Template").select_option("base64")
        area.fill("AAEC")
        with page.expect_response("**/send") as sent:
            page.get_by_role("button", name="Send", exact=True).click()
        assert sent.value.json() == {"sent": 3}
        # A click counts even if the list changes while the button is pressed.
        page.get_by_role("button", name="Silence").hover()
        page.mouse.down()
        with page.expect_response("**/sockets") as listed:
            server.ask("GET", "/api/v1/goals")
        listed.value.finished()
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.mouse.up()
        expect(ours).to_contain_text("silent")
        page.get_by_role("button", name="Resume").click()
        expect(ours).not_to_contain_text("silent")
        page.get_by_role("button", name="Close…").click()
        page.get_by_label("Reason").fill("enough")
        page.get_by_role("button", name="Close it").click()
        expect(ours).to_have_count(0)
        # A held socket is stepped through; others are cut off.
        chat = server.consultation("fitness_coach")
        app.chat(chat, stays=True)
        with page.expect_response("**/breakpoints"):
            page.get_by_role("button", name="Hold").click()
        app.say(message("Hello"))
        panel(page, "breakpoints")
        held = page.locator(".held-item")
        expect(held).to_contain_text("from the client")
        held.get_by_role("button", name="Step").click()
        expect(held).to_contain_text("from the server")
        page.locator("#breakpoint-list").get_by_role("button", name="Remove").click()
        expect(held).to_have_count(0)
        app.page.evaluate("sockets.at(-1).close(1000)")
        panel(page, "sockets")
        expect(ours).to_have_count(0)
        for name in ("Cut", "Reset"):
            app.chat(chat, stays=True)
            expect(ours).to_have_count(1)
            page.get_by_role("button", name=name, exact=True).click()
            expect(ours).to_have_count(0)
            ended = [each for each in map(json.loads, server.send("GET", "/__admin/journal")[1].splitlines()) if each["kind"] == "closed"][-1]
            assert ended["faults"] == ["by hand"] and not ended["clean"], ended
        panel(page, "timeline")
        expect(row(page, "enough")).not_to_have_count(0)
        close_quietly(page, "400 (Bad Request)")

    def marks(self, server):
        page = self.open(server, "#worlds")
        page.get_by_role("button", name="Set a mark").click()
        marks = page.locator("#marks tbody tr")
        expect(marks).to_have_count(1)
        server.ask("POST", "/api/v1/goals", GOAL)
        marks.get_by_role("button", name="Rewind").click()
        page.locator("dialog").get_by_role("button", name="Rewind").click()
        expect(page.locator(".toast", has_text="The world returned to")).to_be_visible()
        assert server.ask("GET", "/__admin/worlds/default")["goals"] == 0
        page.get_by_role("button", name="Fork").click()
        expect(page.locator("#world-list tbody tr")).to_have_count(2)
        # The page shows the copy, and a client's credentials for it.
        expect(page.locator("#world")).not_to_have_value("default")
        world = page.locator("#world").input_value()
        access, facts = page.locator("#access"), server.ask("GET", f"/__admin/worlds/{world}")
        for name, key in (("URL", "url"), ("WebSocket URL", "ws_url"), ("API key", "api_key"), ("Token", "token")):
            expect(access).to_contain_text(facts[key])
            access.get_by_role("button", name=f"Copy the {name}", exact=True).click()
            until(page, "text => navigator.clipboard.readText().then(copied => copied === text)", facts[key])
        is_accessible(page, "how to reach a world")
        # A world in which the client faces an obligation.
        panel(page, "verdicts")
        page.get_by_role("button", name="Not faced").click()
        wanted = page.locator(".verdicts details:visible").filter(has_text="Restart the world with a scenario").first
        wanted.locator("summary").click()
        scenario = wanted.locator(".tools button").first
        name = scenario.inner_text()
        scenario.click()
        expect(page.locator(".toast", has_text=name)).to_be_visible()
        assert server.ask("GET", f"/__admin/worlds/{world}")["scenario"] == name
        # A world is reset to another scenario.
        panel(page, "worlds")
        page.locator("#world-list tr", has_text=world).get_by_role("button", name="Reset").click()
        page.locator("dialog").get_by_label("Scenario").select_option("conflict")
        page.locator("dialog").get_by_role("button", name="Reset").click()
        expect(page.locator("#world-list tr", has_text=world)).to_contain_text("conflict")
        close_quietly(page)

    def streaming(self):
        """A socket's state is longest while an answer streams, and hides no action at any width."""
        server = self.serve("--scenario", "default", "--clock", "manual")
        app = App(self.browser, server)
        app.chat(server.consultation(), stays=True)
        app.say(message("Hello"))
        app.received("message_received")
        server.ask("POST", "/__admin/clock", {"advance": "2s"})
        page = self.open(server, "#sockets")
        state = page.locator("#socket-list td", has_text=re.compile(r"streaming \d+ of \d+, next at"))
        expect(state).to_have_count(1)
        for width in range(1180, 1300, 10):
            page.set_viewport_size({"width": width, "height": 800})
            for name in ("Hold", "Reset", "Silence"):
                expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
        close_quietly(page)
        server.stop()
