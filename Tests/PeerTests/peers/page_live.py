"""Stories of what the page does by hand: sockets, breakpoints, marks, and scenarios that a client is made to face."""

import re
from concurrent.futures import ThreadPoolExecutor

from page_stand_ins import StandIns
from page_tools import App, close_quietly, is_accessible, message, open_page, panel, row
from playwright.sync_api import expect

GOAL = {"title": "Run 5 km", "description": "In spring", "targetDate": "2030-03-01T00:00:00Z", "category": "fitness"}
SOCKET = {
    "connection": 12, "world": "default", "endpoint": "openSocket", "path": "/api/v1/consultations/910a2dec-8902-4cc1-beeb-8da1658eec67/ws",
    "user": "7d3f2b60-5a52-4c1e-9a54-0f6f1c1d2e3a", "consultation": "910a2dec-8902-4cc1-beeb-8da1658eec67", "protocol": "message",
    "state": "open", "secure": False, "opened_at": "2026-01-29T10:30:00.000000000Z", "age": "12.5s", "frames_in": 3, "frames_out": 17,
    "unsent_bytes": 0, "streaming": {"message_id": "m", "piece": 5, "of": 20}, "held": [57], "next_deadline": None}
HELD = {"direction": "server_to_client", "due": "2026-01-29T10:30:00.000000000Z", "until": "2099-01-29T10:30:30.000000000Z"}


class Live:
    def live(self):
        """Sockets, breakpoints, marks and scenarios: what is done by hand."""
        server = self.serve("--scenario", "default")
        if not server.offers("GET /held"):
            server.stop()
            return self.buttons()
        self.sockets(server)
        self.breakpoints(server)
        self.marks(server)
        server.stop()

    def sockets(self, server):
        page = self.open(server, "#sockets")
        app = App(self.browser, server)
        app.chat(server.consultation(), stays=True)
        ours = page.locator("#socket-list tbody tr")
        expect(ours).to_have_count(1)
        page.get_by_role("button", name="Send…").click()
        page.get_by_label("Template").select_option("stream_chunk")
        area = page.locator("#sender textarea")
        expect(area).to_have_value(re.compile('"content"'))
        area.fill('{"content": "from the template"}')
        page.get_by_role("button", name="Send", exact=True).click()
        app.received("from the template")
        page.get_by_label("Template").select_option("")
        area.fill("as it is")
        is_accessible(page, "sockets")
        self.picture(page, "sockets-live")
        page.get_by_role("button", name="Send", exact=True).click()
        app.received("as it is")
        page.get_by_role("button", name="Silence").click()
        expect(ours).to_contain_text("silent")
        page.get_by_role("button", name="Resume").click()
        expect(ours).not_to_contain_text("silent")
        page.get_by_role("button", name="Close…").click()
        page.get_by_label("Reason").fill("enough")
        page.get_by_role("button", name="Close it").click()
        expect(ours).to_have_count(0)
        panel(page, "timeline")
        expect(row(page, "enough")).not_to_have_count(0)
        close_quietly(page)

    def breakpoints(self, server):
        page = self.open(server, "#breakpoints")
        expect(page.locator("#link")).to_have_text("Live")
        cards, form = page.locator(".held-item"), page.locator("#breakpoints form")

        def hold(what, only):
            form.get_by_label("Hold").select_option(what)
            form.get_by_label("Only").fill(only)
            form.get_by_role("button", name="Set").click()

        with ThreadPoolExecutor() as threads:
            # A response gets another status, a request another answer.
            hold("response", "GET /api/v1/goals")
            expect(page.locator("#breakpoint-list tbody tr")).to_have_count(1)
            asked = threads.submit(server.send, "GET", "/api/v1/goals")
            expect(cards).to_contain_text("response held by")
            cards.get_by_label("Status").fill("500")
            cards.get_by_role("button", name="Continue").click()
            assert asked.result()[0] == 500
            hold("request", "GET /api/v1/consultations")
            expect(page.locator("#breakpoint-list tbody tr")).to_have_count(2)
            asked = threads.submit(server.send, "GET", "/api/v1/consultations")
            is_accessible(page, "breakpoints")
            self.picture(page, "breakpoints-live")
            cards.get_by_role("button", name="Answer 503 instead").click()
            assert asked.result()[0] == 503
            expect(cards).to_have_count(0)
            # A frame is changed before the app sees it.
            hold("frame", "stream_complete")
            app = App(self.browser, server)
            app.chat(server.consultation("fitness_coach"), stays=True)
            app.say(message("Hello"))
            expect(cards).to_contain_text("from the server")
            area = cards.locator("textarea")
            area.fill(area.input_value().replace('"stream_complete"', '"changed_by_hand"'))
            cards.get_by_role("button", name="Continue").click()
            app.received('"changed_by_hand"')
            page.locator("#breakpoint-list tr", has_text="stream_complete").get_by_role("button", name="Remove").click()
            expect(page.locator("#breakpoint-list tbody tr")).to_have_count(2)
            # What a page holds goes on when the page is closed.
            asked = threads.submit(server.send, "GET", "/api/v1/consultations")
            expect(cards).to_have_count(1)
            close_quietly(page)
            assert asked.result()[0] == 200

    def marks(self, server):
        page = self.open(server, "#worlds")
        page.get_by_role("button", name="Set a mark").click()
        marks = page.locator("#marks tbody tr")
        expect(marks).to_have_count(1)
        server.ask("POST", "/api/v1/goals", GOAL)
        marks.get_by_role("button", name="Rewind").click()
        page.locator("dialog").get_by_role("button", name="Rewind").click()
        expect(page.locator(".toast", has_text="The world is as it was")).to_be_visible()
        assert server.ask("GET", "/__admin/worlds/default")["goals"] == 0
        page.get_by_role("button", name="Fork").click()
        expect(page.locator(".world-list tbody tr")).to_have_count(2)
        # A world in which the client is made to face an obligation.
        panel(page, "verdicts")
        page.get_by_role("button", name="Not faced").click()
        wanted = page.locator(".verdicts details:visible").filter(has_text="Make it face this").first
        wanted.locator("summary").click()
        scenario = wanted.locator(".tools button").first
        name = scenario.inner_text()
        scenario.click()
        expect(page.locator(".toast", has_text=name)).to_be_visible()
        assert server.ask("GET", "/__admin/worlds/default")["scenario"] == name
        close_quietly(page)

    def buttons(self):
        """What the buttons of these panels send."""
        server = self.serve()
        instead = StandIns(server)
        instead.sockets = [SOCKET]
        instead.waiting = [
            {**HELD, "held": 57, "breakpoint": "live-1", "place": "frame", "connection": 12, "behind": 2,
             "frame": {"opcode": "text", "payload": '{"type":"stream_chunk","content":"For "}'}},
            {**HELD, "held": 58, "breakpoint": "live-2", "place": "response", "connection": 13, "behind": 0,
             "request": {"method": "POST", "target": "/api/v1/goals", "version": "1.1", "fields": [], "body": "{}"},
             "response": {"status": 201, "fields": [], "body": '{"success":true}'}}]
        instead.breakpoints = [{"name": "live-1", "on": "frame", "enabled": True, "match": {"type": "stream_chunk"}, "timeout": "30s",
                                "matches": 4, "acted": 2, "holding": 1}]
        page = open_page(self.browser, server.page + "#breakpoints", stand_ins=instead)

        def sends(button, method, path, body):
            button.click()
            for _ in range(100):
                if (f"{method} {path}", body) in instead.sent:
                    return
                page.wait_for_timeout(20)
            raise AssertionError(f"{method} {path} {body} is not in {instead.sent}")

        cards = page.locator(".held-item")
        expect(cards).to_have_count(2)
        expect(cards.first).to_contain_text("2 more behind it")
        is_accessible(page, "breakpoints with what they hold")
        self.picture(page, "breakpoints-live")
        changed = '{"type":"stream_chunk","content":"No "}'
        cards.first.locator("textarea").fill(changed)
        sends(cards.first.get_by_role("button", name="Continue"), "POST", "held/57", {"action": "change", "text": changed})
        expect(cards).to_have_count(1)
        cards.first.get_by_label("Status").fill("500")
        sends(cards.first.get_by_role("button", name="Step"), "POST", "held/58", {"action": "change", "status": 500, "step": True})
        expect(cards).to_have_count(0)
        page.get_by_label("Only").fill("stream_chunk")
        page.get_by_role("button", name="Set", exact=True).click()
        expect(page.locator(".toast")).to_contain_text("The breakpoint is set.")
        path, body = instead.sent[-1]
        assert path == "POST breakpoints" and body["controller"].startswith("page-") and body["match"] == {"type": "stream_chunk"}, body
        sends(page.get_by_role("button", name="Remove"), "DELETE", "breakpoints/live-1", {})
        panel(page, "sockets")
        expect(page.locator("#socket-list")).to_contain_text("streams 5 of 20, 1 held")
        page.get_by_role("button", name="Send…").click()
        is_accessible(page, "sockets with a form")
        self.picture(page, "sockets-live")
        sends(page.get_by_role("button", name="Send", exact=True), "POST", "sockets/12/send",
              {"template": "stream_chunk", "fields": {"content": "…"}})
        page.get_by_label("Template").select_option("")
        page.locator("#sender textarea").fill("as it is")
        sends(page.get_by_role("button", name="Send", exact=True), "POST", "sockets/12/send", {"text": "as it is"})
        for name, action in (("Cut", "finish"), ("Reset", "reset"), ("Silence", "silence")):
            sends(page.get_by_role("button", name=name, exact=True), "POST", f"sockets/12/{action}", {})
        page.get_by_role("button", name="Close…").click()
        page.get_by_label("Reason").fill("enough")
        sends(page.get_by_role("button", name="Close it"), "POST", "sockets/12/close", {"code": 1001, "reason": "enough"})
        panel(page, "worlds")
        is_accessible(page, "worlds with marks")
        sends(page.get_by_role("button", name="Set a mark"), "POST", "marks", {})
        page.get_by_role("button", name="Rewind").click()
        sends(page.locator("dialog").get_by_role("button", name="Rewind"), "POST", "rewind", {"to": "before"})
        sends(page.get_by_role("button", name="Fork"), "POST", "fork", {})
        close_quietly(page)
        server.stop()
