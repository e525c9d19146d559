"""Stories of the page of the admin API in Chromium.

    with_page.py CHROMIUM FITIQ_MOCK STORY,STORY [FOLDER]     FOLDER is for screenshots
"""

import json
import re
import subprocess
import sys
import tempfile
import threading
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from page_held import Held
from page_live import GOAL, Live
from page_tools import (
    App, Forward, Prefix, Server, close_quietly, is_accessible, message, open_page, panel, row, rows, until)
from playwright.sync_api import expect, sync_playwright

FAULTS = [{"name": "goals-down", "on": "GET /api/v1/goals", "status": 503},
          {"name": "slow-lists", "on": "GET /api/v1/consultations", "delay": "1s", "enabled": False}]
ROOT = Path(__file__).resolve().parents[3]
BROKEN = "consultation/history-before-connect"


class Handler(BaseHTTPRequestHandler):
    """An empty page of another origin."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


class Stories(Live, Held):
    def __init__(self, browser, program, pictures):
        self.browser, self.program, self.pictures = browser, program, pictures

    def serve(self, *options, **more):
        return Server(self.program, *(options or ["--instant"]), **more)

    def open(self, server, hash="", **more):
        return open_page(self.browser, server.page + hash, **more)

    def traffic(self, server):
        """An app's traffic in a minute, with one breach and a few problems."""
        for fault in FAULTS:
            server.ask("POST", "/__admin/faults", fault)
        app = App(self.browser, server)
        consultation = server.consultation()
        server.send("POST", "/api/v1/consultations", {"persona": "nutritionist"})
        server.send("GET", "/api/v1/goals")
        server.send("GET", "/api/v1/goalz")
        app.chat(consultation, '{"type":"ping"}', message("What should I eat for breakfast?"))
        server.ask("POST", "/api/v1/meal-logs/natural", {"raw_input": "two eggs on toast", "meal_type": "breakfast"})
        server.ask("POST", "/api/v1/goals", GOAL)
        return app, consultation

    # MARK: Stories

    def timeline(self):
        server = self.serve()
        app, consultation = self.traffic(server)
        page = self.open(server)
        expect(page.locator("#link")).to_have_text("Live")
        is_accessible(page, "timeline")
        # With every chunk the list is longer than the page.
        page.keyboard.press("c")
        # New entries appear at once, and the end stays in view.
        server.send("GET", "/api/v1/goals?limit=7")
        expect(row(page, "/api/v1/goals?limit=7")).to_be_in_viewport()
        expect(row(page, "/api/v1/goalz")).to_have_count(0)
        # On a page as high as the list, all rows exist.
        page.set_viewport_size({"width": 1280, "height": 2600})
        expect(row(page, "/api/v1/goalz")).to_have_count(1)
        page.keyboard.press("c")
        # Pings are hidden by default.
        expect(row(page, "ping")).to_have_count(0)
        page.keyboard.press("p")
        expect(row(page, "pong")).to_have_count(1)
        page.keyboard.press("p")
        expect(row(page, "pong")).to_have_count(0)
        # The chunks of an answer are one row, with their number, text, time and bytes.
        fold = row(page, "stream_chunk")
        expect(fold).to_have_count(1)
        expect(fold.locator(".what")).to_have_text(re.compile(r"^stream_chunk × \d+$"))
        expect(fold.locator(".size")).to_have_text(re.compile(r"kB$"))
        count = int(fold.locator(".what").inner_text().split()[-1])
        assert count > 3, count
        # The row opens and closes, and the keyboard shows each chunk.
        fold.click()
        expect(row(page, "stream_chunk")).to_have_count(count + 1)
        row(page, f"× {count}").click()
        expect(row(page, "stream_chunk")).to_have_count(1)
        page.keyboard.press("Enter")
        expect(row(page, "stream_chunk")).to_have_count(count + 1)
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        page.keyboard.press("c")
        expect(row(page, "stream_chunk")).to_have_count(count)
        expect(row(page, "stream_complete")).to_have_count(1)
        page.keyboard.press("c")
        # An overview at the top links to what it counts.
        overview = page.locator("#overview")
        expect(overview).to_contain_text(re.compile(r"\d requests"))
        expect(overview).to_contain_text("2 failed")
        expect(overview).to_contain_text("1 socket, 0 open")
        expect(overview).to_contain_text("broken")
        overview.get_by_role("link", name="failed").click()
        expect(page.get_by_label("Filter by words")).to_have_value("status=5xx")
        page.get_by_role("button", name="Clear").click()
        # The detail of an exchange: near misses, bodies, copies, its own address.
        row(page, "/api/v1/goalz").click()
        detail = page.locator("#detail")
        expect(detail).to_contain_text('should be "goals"')
        expect(detail.locator(".code .k").first).to_have_text('"success"')
        detail.get_by_role("button", name="Hex").click()
        expect(detail.locator(".code.hex")).to_contain_text("7b 22 73 75 63 63 65 73")
        detail.get_by_role("button", name="Raw").click()
        expect(detail.locator("pre").first).to_contain_text('{"success":false')
        is_accessible(page, "detail")
        for name, said in (("curl", f"curl -sS -i \\\n  '{server.url}/api/v1/goalz'"), ("JSON", '"kind": "exchange"')):
            detail.get_by_role("button", name=f"Copy {name}").click()
            until(page, "text => navigator.clipboard.readText().then(copied => copied.startsWith(text) || copied.includes(text))", said)
        with page.expect_download() as saved:
            detail.get_by_role("button", name="Save HAR").click()
        har = json.loads(Path(saved.value.path()).read_text(encoding="utf-8"))
        assert har["log"]["entries"][0]["response"]["status"] == 404, har
        assert "entry=" in page.url, page.url
        other = open_page(self.browser, page.url)
        expect(other.locator("#detail")).to_contain_text("/api/v1/goalz")
        close_quietly(other)
        page.keyboard.press("Escape")
        expect(detail).to_be_hidden()
        # The server accepts the scenario that reproduces an entry.
        row(page, "503").last.click()
        detail.get_by_role("button", name="Copy Scenario").click()
        until(page, "() => navigator.clipboard.readText().then(copied => copied.includes('status: 503'))")
        self.checks_scenario(page.evaluate("navigator.clipboard.readText()"))
        page.keyboard.press("Escape")
        # Filters, by text, status and socket, and the keyboard.
        page.keyboard.press("/")
        page.keyboard.type("run 5 KM kind=exchange")
        expect(rows(page)).to_have_count(1)
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        page.get_by_label("Add a condition").select_option("status=5xx")
        expect(page.get_by_label("Filter by words")).to_have_value("status=5xx")
        expect(row(page, "404")).to_have_count(0)
        expect(row(page, "503")).not_to_have_count(0)
        page.keyboard.press("Escape")
        page.locator("#grid").focus()
        page.keyboard.press("Escape")
        row(page, "stream_complete").click()
        detail.get_by_role("button", name="Only this socket").click()
        expect(row(page, "/api/v1/goals")).to_have_count(0)
        expect(row(page, "opened").or_(row(page, "/ws"))).not_to_have_count(0)
        page.get_by_role("button", name="Clear").click()
        page.keyboard.press("b")
        expect(detail.locator(".problem.should")).to_contain_text(f"Breaks {BROKEN} (should). ")
        page.keyboard.press("?")
        expect(page.locator("dialog")).to_contain_text("Next breach")
        is_accessible(page, "keyboard")
        page.keyboard.press("Escape")
        close_quietly(page)
        server.stop()

    def filters(self):
        """The words of `fitiq-mock watch`."""
        server = self.serve()
        app, consultation = self.traffic(server)
        page = self.open(server)
        field = page.get_by_label("Filter by words")
        expect(row(page, "/api/v1/meal-logs/natural")).not_to_have_count(0)

        def shows(words, *texts, without=()):
            field.fill(words)
            for text in texts:
                expect(row(page, text)).not_to_have_count(0)
            for text in without:
                expect(row(page, text)).to_have_count(0)

        goals, chat, lost = "/api/v1/goals", "stream_complete", "/api/v1/goalz"
        shows("status=5xx", goals, without=[chat, lost])
        shows("status=404", lost, without=["503", chat])
        shows("path=/goals method=post", "201", without=["503", lost])
        shows("path=/api/v1/consultations/{id}/ws", chat, without=[goals])
        shows("kind=frame direction=client_to_server", "message", without=[chat, goals])
        shows("type=stream_complete", chat, without=["message_received"])
        shows("unmatched=true", lost, without=["503"])
        shows("endpoint=listGoals", "503", without=["201", chat])
        shows("fault=goals-down", "503", without=[lost])
        shows("verdict=broken", "message", without=["503"])
        shows("user=nobody", without=[goals, chat])
        shows("BREAKFAST kind=frame", "message", without=[goals])
        shows("sed=4xx", without=[goals])
        expect(page.locator("#empty")).to_contain_text("There is no condition sed. The conditions are method, ")
        shows("statsu=4xx", without=[goals])
        expect(page.locator("#empty")).to_contain_text("There is no condition statsu. Did you mean status? The conditions are ")
        # A bad value for a key is reported with the allowed values.
        kinds = "one of exchange, opened, frame, closed, fault, clock, note, held, released"
        for word, taken in (("status=zzz", "a status, such as 404, or a status class, such as 4xx"), ("status=999", "a status"),
                            ("kind=zzz", kinds), ("unmatched=maybe", "one of true, false"), ("pings=no", "show"), ("chunks=bogus", "one of show, hide"),
                            ("direction=up", "one of client_to_server, server_to_client"), ("connection=a", "a whole number")):
            shows(word, without=[goals])
            expect(page.locator("#empty")).to_contain_text(f"{word} is not valid: {word.split('=')[0]} must be {taken}")
        # A condition in another form is not taken for words.
        for word, form in (("status:404", "status=404, or text=status:404 to find"), ("path:/goals", "path=/goals,"),
                           ("status>=400", "status= and a status, such as 404, or a status class, such as 4xx, or")):
            shows(word, without=[goals])
            expect(page.locator("#empty")).to_contain_text(f"{word} is not a condition. Write {form}")
        shows("text=status:404", without=[goals])
        expect(page.locator("#empty")).to_have_text("No entry matches the filter.")
        shows("kind=frame")
        # A new condition replaces the one with its key, and the address keeps it.
        page.get_by_label("Add a condition").select_option("kind=exchange")
        expect(field).to_have_value("kind=exchange")
        page.get_by_label("Add a condition").select_option("status=5xx")
        expect(field).to_have_value("kind=exchange status=5xx")
        page.reload()
        expect(field).to_have_value("kind=exchange status=5xx")
        expect(row(page, "503")).not_to_have_count(0)
        expect(row(page, lost)).to_have_count(0)
        close_quietly(page)
        server.stop()

    def checks_scenario(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "scenario.yaml"
            file.write_text(text, encoding="utf-8")
            done = subprocess.run([self.program, "check", str(file)], capture_output=True, text=True)
            assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"

    def verdicts(self):
        server = self.serve()
        page = self.open(server, "#verdicts")
        expect(page.locator(".verdicts details").first).to_be_visible()
        expect(page.locator("#nav .count.bad")).to_have_count(0)
        # A breach appears as it happens, and links to its entry. A should is a warning.
        app = App(self.browser, server)
        app.chat(server.consultation(), message("Hello"))
        expect(page.locator(".toast:not(.bad)", has_text=f"The client broke {BROKEN} (should)")).to_be_visible()
        expect(page.locator("#nav .count")).to_contain_text("1")
        expect(page.locator("#nav .count.bad")).to_have_count(0)
        expect(page.locator(".verdicts .flash")).to_have_count(1)
        self.flashes(page.locator(".verdicts .flash"), "warn")
        expect(page.locator(".verdicts details", has_text="Broken (should)").locator(".mark.warn")).to_have_count(1)
        broken = page.locator(f".verdicts details[data-id='{BROKEN}']")
        broken.locator("summary").click()
        is_accessible(page, "verdicts")
        broken.locator(".evidence a").first.click()
        expect(page.locator("#detail")).to_contain_text(BROKEN)
        page.locator("#detail").get_by_role("link", name=BROKEN).click()
        expect(broken).to_have_attribute("open", "")
        page.get_by_role("button", name="Kept").click()
        expect(broken).to_be_hidden()
        # The client's situations as a table, and scenarios that make it face more.
        coverage = page.locator("details.coverage")
        expect(coverage.locator("summary")).to_have_text(re.compile(r"Faced [1-9]\d* of \d{3} reachable situations"))
        coverage.locator("summary").click()
        expect(coverage.get_by_role("row", name="idle, good")).to_contain_text(re.compile(r"[1-9]\d*/\d+"))
        expect(coverage.locator("li")).to_have_count(10)
        is_accessible(page, "coverage")
        way = coverage.locator("li button").first
        expect(way).to_be_visible()
        close_quietly(page)
        # Rows with a new breach flash, unless the reader prefers no motion.
        for motion, name in (("no-preference", "flash"), ("reduce", "none")):
            page = self.open(server)
            page.emulate_media(reduced_motion=motion)
            expect(page.locator("#link")).to_have_text("Live")
            expect(page.locator("#nav .count")).not_to_have_count(0)
            expect(page.locator(".r.flash")).to_have_count(0)
            server.send("GET", f"/api/v1/goals/ABCDEFAB-0000-4000-8000-00000000000{len(name)}")
            expect(page.locator(".r.broken.flash")).to_have_count(1)
            self.flashes(page.locator(".r.flash"), "bad")
            expect(page.locator("#nav .count.bad")).not_to_have_count(0)
            assert page.locator(".r.flash").evaluate("each => getComputedStyle(each).animationName") == name
            expect(page.locator(".r.flash")).to_have_count(0)
            close_quietly(page)
        # Every entry with a breach is marked and linked, even beyond the five findings in words.
        page = self.open(server)
        for number in range(8):
            server.send("GET", f"/api/v1/goals/ABCDEFAB-0000-4000-8000-0000000000A{number}")
        expect(page.locator(".r.broken")).to_have_count(10)
        expect(page.locator(".r.warned .tag.should")).not_to_have_count(0)
        panel(page, "verdicts")
        lower = page.locator(".verdicts details[data-id='ids/lowercase']")
        lower.locator("summary").click()
        expect(lower.locator(".evidence a")).to_have_count(10)
        lower.locator(".finding.evidence a").last.click()
        expect(page.locator("#detail .problem:not(.should)")).to_contain_text("Breaks ids/lowercase. ")
        close_quietly(page)
        server.stop()

    def flashes(self, element, colour):
        of = lambda name: element.evaluate("(each, name) => getComputedStyle(each).getPropertyValue(name)", name)
        assert (of("--mark"), of("--mark-tint")) == (of(f"--{colour}"), of(f"--{colour}-tint")), (of("--mark"), colour)

    def sentences(self):
        """Every rule is a sentence: those of the built-in scenarios and of the documentation."""
        server = self.serve()
        texts = [server.ask("GET", f"/__admin/scenarios/{each['name']}")["text"]
                 for each in server.ask("GET", "/__admin/scenarios")["scenarios"]]
        described = (ROOT / "docs/faults.md").read_text(encoding="utf-8")
        texts += re.findall(r"^```yaml\n(.*?)^```", described, re.M | re.S)
        rules = [rule for text in texts for rule in server.ask("POST", "/__admin/check", {"text": text})["scenario"].get("faults", [])]
        schema = json.loads((ROOT / "Fixtures/scenarios/scenario.schema.json").read_text(encoding="utf-8"))
        missing = set(schema["$defs"]["fault"]["properties"]) - {key for rule in rules for key in rule}
        assert not missing, missing
        for number, rule in enumerate(rules):
            server.ask("POST", "/__admin/faults", {**rule, "name": f"rule-{number}"})
        page = self.open(server, "#faults")
        listed = page.locator("#fault-list tbody tr")
        expect(listed).to_have_count(len(rules))
        said = listed.evaluate_all("rows => rows.map(row => row.cells[3].textContent)")
        for sentence in said:
            bare = re.sub("“.*?”", "", sentence)
            assert not re.search(r"\w+: |(?<!\\)\b[a-z][A-Z]|undefined|true|false|null|\[object", bare), sentence
            assert re.match("[A-Z].*[.]$", sentence, re.S), sentence
        for wanted in (
                "Only connection 1, at chunk 4 of answer 1, FIN in place of the frame, without a close frame.",
                "Answers 5 requests per 10s correctly, then answers 429, with the code RATE_LIMITED, "
                "with the message “Too many requests. Slow down.”, with Retry-After 10."):
            assert wanted in said, (wanted, said)
        close_quietly(page)
        server.stop()

    def faults(self):
        server = self.serve()
        self.traffic(server)
        page = self.open(server, "#faults")
        network = page.get_by_label("Network")
        network.select_option("captive-portal")
        until(page, "() => fetch('network').then(answer => answer.json()).then(now => now.network === 'captive-portal')")
        assert "<html" in server.send("GET", "/api/v1/consultations")[1]
        network.select_option("none")
        until(page, "() => fetch('network').then(answer => answer.json()).then(now => now.network === null)")
        form = page.locator("#faults form")
        form.locator("summary").click()
        form.get_by_placeholder("fault-1").fill("from-page")
        form.get_by_label("Where", exact=True).fill("GET /api/v1/consultations")
        form.get_by_label("Status", exact=True).fill("500")
        expect(form.locator("pre")).to_contain_text('"on": "GET /api/v1/consultations"')
        is_accessible(page, "faults")
        form.get_by_role("button", name="Add").click()
        ours = page.locator("#fault-list tr", has_text="from-page")
        expect(ours.locator(".switch")).to_be_checked()
        expect(ours).to_contain_text("Answers 500.")
        assert server.send("GET", "/api/v1/consultations")[0] == 500
        expect(ours.locator("td.num").last).to_have_text("1")
        ours.locator(".switch").click()
        expect(page.locator("#fault-list tr", has_text="from-page").locator(".switch")).not_to_be_checked()
        until(page, "() => fetch('faults/from-page').then(answer => answer.json()).then(fault => !fault.enabled)")
        assert server.send("GET", "/api/v1/consultations")[0] == 200
        ours.get_by_role("button", name="Remove").click()
        expect(ours).to_have_count(0)
        # Everything in the schema: a handshake of one path, a place on a socket, nested members.
        def added(name, on, what, *members):
            form.get_by_label("Where", exact=True).fill(on)
            form.get_by_label("What happens", exact=True).select_option(what)
            form.get_by_label("Name", exact=True).fill(name)
            for label, text in members:
                control = form.get_by_label(label, exact=True).first
                if control.evaluate("each => each.localName") == "select":
                    control.select_option(label=text)
                else:
                    control.fill(text)
            form.get_by_role("button", name="Add").click()
            expect(page.locator("#fault-list tr", has_text=name)).to_have_count(1)
            return server.ask("GET", f"/__admin/faults/{name}")

        fault = added("no-meals", "handshake /ws/meal-logs", "status", ("Status", "503"), ("Connections", "2.."), ("Retry after", "7"))
        assert (fault["on"], fault["status"], fault["retry_after"]) == ("handshake /ws/meal-logs", 503, 7), fault
        fault = added("bye", "socket /api/v1/consultations/{id}/ws", "close", ("Close", '{"code": 4000, "reason": "Bye"}'), ("Type", "stream chunk"), ("N", "3"))
        assert (fault["close"], fault["at"]) == ({"code": 4000, "reason": "Bye"}, {"type": "stream_chunk", "n": 3}), fault
        fault = added("two-an-hour", '["GET /api/v1/goals", "POST /api/v1/goals"]', "quota", ("Requests", "2"), ("Per", "1h"))
        assert (sorted(fault["on"]), fault["quota"]) == (["GET /api/v1/goals", "POST /api/v1/goals"], {"requests": 2, "per": "1h"}), fault
        assert added("rst", "any", "reset")["reset"] is True
        assert added("rst-later", "any", "reset", ("After", "5"), ("Enabled", "false"))["enabled"] is False
        # The page shows the server's refusal.
        form.get_by_label("What happens", exact=True).select_option("status")
        form.get_by_label("Status", exact=True).fill("99")
        form.get_by_role("button", name="Add").click()
        expect(page.locator(".toast.bad", has_text="status must be")).to_be_visible()
        refused = form.locator(".field", has=page.get_by_label("Status", exact=True)).locator(".refused")
        expect(refused).to_contain_text("status must be")
        is_accessible(page, "a refused fault")
        # It is seen under More, too.
        form.get_by_label("Status", exact=True).fill("500")
        form.get_by_label("Requests", exact=True).fill("0")
        form.locator("summary").click()
        expect(form.locator("details:not([open])")).to_have_count(1)
        form.get_by_role("button", name="Add").click()
        expect(form.locator("details .refused")).to_contain_text("requests must be")
        expect(form.locator("details .refused")).to_be_visible()
        close_quietly(page, "400 (Bad Request)")
        server.stop()

    def worlds(self):
        server = self.serve("--scenario", "default")
        page = self.open(server, "#worlds")
        form = page.locator("#worlds form")
        form.get_by_label("Scenario").select_option("meal-completes")
        form.get_by_role("button", name="Create it").click()
        expect(page.locator("#clock")).to_contain_text("nothing due")
        name = page.locator("#world").input_value()
        assert name != "default"
        world = server.ask("GET", f"/__admin/worlds/{name}")
        server.ask("POST", f"/w/{name}/api/v1/meal-logs/natural", {"raw_input": "eggs", "meal_type": "lunch"},
                   **{"Authorization": "Bearer " + world["token"], "X-API-Key": world["api_key"]})
        # Due events are shown ahead of now, until the clock is moved there.
        panel(page, "timeline")
        expect(page.locator(".r.ahead:not([hidden])")).to_have_count(1)
        is_accessible(page, "manual clock")
        # A mistake in the filter is told although something is due.
        page.get_by_label("Filter by words").fill("pings=no")
        expect(page.locator("#empty")).to_contain_text("pings=no is not valid")
        expect(page.locator(".r.ahead:not([hidden])")).to_have_count(0)
        page.get_by_role("button", name="Clear").click()
        now = page.locator("#clock .now")
        before = now.inner_text()
        page.get_by_role("button", name="+1 s").click()
        expect(now).not_to_have_text(before)
        # By a minute, an hour, and a typed span; the date is shown, too.
        time = lambda: server.ask("GET", f"/__admin/worlds/{name}")["now"]
        moved = time()
        for act, seconds in ((lambda: page.get_by_role("button", name="+1 min").click(), 60),
                             (lambda: page.get_by_role("button", name="+1 h").click(), 3600),
                             (lambda: (page.get_by_label("Move the clock by").fill("2d"), page.keyboard.press("Enter")), 2 * 86400)):
            with page.expect_response(lambda each: each.request.method == "POST" and each.url.endswith("/clock")):
                act()
            passed = datetime.fromisoformat(time()[:19]) - datetime.fromisoformat(moved[:19])
            assert passed == timedelta(seconds=seconds), passed
            moved = time()
        expect(page.locator("#clock .date")).to_have_text(moved[:10])
        # The field shows that the text is not a duration, also on a narrow page.
        for typed, width in (("soon", 1440), ("1h30m", 390)):
            page.set_viewport_size({"width": width, "height": 900})
            page.get_by_label("Move the clock by").fill(typed)
            page.keyboard.press("Enter")
            expect(page.locator(".toast.bad", has_text=typed)).to_be_visible()
            expect(page.locator("#clock [data-key=advance] .refused", has_text=typed)).to_be_in_viewport(ratio=1)
            is_accessible(page, f"a refused duration at {width} pixels")
        page.set_viewport_size({"width": 1440, "height": 900})
        page.get_by_label("Move the clock by").fill("2s")
        expect(page.locator("#clock .refused")).to_have_count(0)
        server.ask("POST", f"/w/{name}/api/v1/meal-logs/natural", {"raw_input": "toast", "meal_type": "lunch"},
                   **{"Authorization": "Bearer " + world["token"], "X-API-Key": world["api_key"]})
        page.get_by_role("button", name="Next event").click()
        expect(page.locator("#clock .due")).to_have_text("nothing due")
        expect(page.locator(".r.ahead:not([hidden])")).to_have_count(0)
        before = now.inner_text()
        page.get_by_role("button", name="Run").click()
        expect(now).not_to_have_text(before)
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_role("button", name="Run")).to_be_visible()
        panel(page, "timeline")
        expect(row(page, "moved by 1.00 s")).to_have_count(1)
        panel(page, "worlds")
        ours = page.locator("#world-list tr", has_text=name)
        with page.expect_download() as saved:
            ours.get_by_role("button", name="Export").click()
        assert "eggs" in Path(saved.value.path()).read_text(encoding="utf-8")
        is_accessible(page, "worlds")
        ours.get_by_role("button", name="Reset").click()
        page.locator("dialog").get_by_role("button", name="Reset").click()
        expect(page.locator(".toast", has_text="started over")).to_be_visible()
        assert server.ask("GET", f"/__admin/worlds/{name}")["meal_logs"] == 0
        ours.get_by_role("button", name="Delete").click()
        page.locator("dialog").get_by_role("button", name="Delete").click()
        expect(page.locator("#world")).to_have_value("default")
        assert server.send("GET", f"/__admin/worlds/{name}")[0] == 404
        # The page may request the world until it notices that it is gone.
        close_quietly(page, "404 (Not Found)", "400 (Bad Request)")
        server.stop()

    def data(self):
        server = self.serve()
        _, consultation = self.traffic(server)
        page = self.open(server, "#data")
        dialog = page.locator("dialog")

        def edit(kind, text, name="Edit"):
            page.locator("#data").get_by_role("button", name=re.compile(kind)).click()
            page.locator("#data tr", has_text=text).get_by_role("button", name=name).click()
            expect(dialog).to_be_visible()

        # The messages of a consultation.
        edit("Consultations", "nutritionist", "Messages")
        expect(dialog).to_contain_text("What should I eat for breakfast?")
        expect(dialog.locator("dt")).to_have_text(["user", "assistant"])
        page.keyboard.press("Escape")
        # A goal: every member that the API can change, and all states.
        edit("Goals", "Run 5 km")
        expect(dialog.get_by_label("Title", exact=True)).to_have_value("Run 5 km")
        expect(dialog.get_by_label("Status", exact=True).locator("option")).to_have_text(
            ["—", "not started", "in progress", "completed", "archived"])
        expect(dialog.get_by_label("Target date", exact=True)).to_have_value("2030-03-01T00:00:00Z")
        is_accessible(page, "a goal's form")
        dialog.get_by_label("Conversation id", exact=True).fill(consultation)
        dialog.get_by_label("Title", exact=True).fill("Run 10 km")
        # The form keeps input that the API refuses.
        dialog.get_by_label("Progress", exact=True).fill("7")
        dialog.get_by_role("button", name="Save").click()
        # Another toast may report a broken verdict.
        expect(dialog.locator(".toast.bad", has_text="The field 'progress'")).to_have_count(1)
        expect(dialog.get_by_label("Title", exact=True)).to_have_value("Run 10 km")
        dialog.get_by_label("Progress", exact=True).fill("0.5")
        dialog.get_by_label("Status", exact=True).select_option("in progress")
        with page.expect_request(lambda each: each.method == "PATCH") as sent:
            dialog.get_by_role("button", name="Save").click()
        assert sent.value.post_data_json == {
            "title": "Run 10 km", "progress": 0.5, "status": "in_progress", "conversationId": consultation}, sent.value.post_data
        expect(page.locator("#data tr", has_text="Run 10 km")).to_contain_text("50 %")
        expect(page.locator("#data tr", has_text="Run 10 km")).to_contain_text("in progress")
        path = "/api/v1/goals/" + server.ask("GET", "/__admin/state")["users"][0]["goals"][0]["id"]
        goal = server.ask("GET", path)["data"]
        assert goal["conversation_id"] == consultation and goal["description"] == GOAL["description"], goal
        edit("Goals", "Run 10 km")
        dialog.get_by_label("Conversation id", exact=True).fill("null")
        with page.expect_response(lambda each: each.request.method == "PATCH"):
            dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_be_hidden()
        goal = server.ask("GET", path)["data"]
        assert goal["conversation_id"] is None and goal["title"] == "Run 10 km", goal
        # A consultation: another title, the archive.
        panel(page, "data")
        page.locator("#data").get_by_role("button", name=re.compile("Consultations")).click()
        expect(page.locator("#data tr", has_text="nutritionist")).not_to_have_count(0)
        is_accessible(page, "data")
        self.picture(page, "data-consultations")
        edit("Consultations", "nutritionist")
        dialog.get_by_label("Title", exact=True).fill("Breakfasts")
        dialog.get_by_role("button", name="Save").click()
        ours = page.locator("#data tr", has_text="Breakfasts")
        ours.get_by_role("button", name="Archive").click()
        expect(ours.get_by_role("cell", name="archived")).to_have_count(1)
        answer = server.ask("GET", f"/api/v1/consultations/{consultation}")["data"]
        assert (answer["title"], answer["status"], answer["persona"]) == ("Breakfasts", "archived", "nutritionist"), answer
        ours.get_by_role("button", name="Delete").click()
        dialog.get_by_role("button", name="Delete").click()
        expect(ours).to_have_count(0)
        assert server.send("GET", f"/api/v1/consultations/{consultation}")[0] == 404
        # A meal, and a user's profile and preferences.
        edit("Meals", "two eggs on toast")
        dialog.get_by_label("Raw input", exact=True).fill("a banana")
        dialog.get_by_role("button", name="Save").click()
        expect(page.locator("#data tr", has_text="a banana")).to_have_count(1)
        page.locator("#data tr", has_text="a banana").get_by_role("button", name="Delete").click()
        dialog.get_by_role("button", name="Delete").click()
        expect(page.locator("#data")).to_contain_text("This world has no meals.")
        # A mood: members without a form field stay.
        server.ask("POST", "/api/v1/wellness/mood-entries",
                   {"valence": 0.5, "labels": ["calm"], "logged_at": "2025-01-28T08:00:00Z"})
        page.locator("#data").get_by_role("button", name="Refresh").click()
        edit("Moods", "0.5")
        dialog.get_by_label("Notes", exact=True).fill("After a walk")
        dialog.get_by_role("button", name="Save").click()
        expect(page.locator("#data tr", has_text="After a walk")).to_have_count(1)
        moods = server.ask("GET", "/api/v1/wellness/mood-entries?from=2025-01-01")["data"]["entries"]
        assert [(each["labels"], each["notes"]) for each in moods] == [(["calm"], "After a walk")], moods
        page.locator("#data tr", has_text="After a walk").get_by_role("button", name="Delete").click()
        dialog.get_by_role("button", name="Delete").click()
        expect(page.locator("#data")).to_contain_text("This world has no moods.")
        edit("Users", "7d3f2b60", "Profile")
        dialog.get_by_label("Name", exact=True).fill("Ada")
        dialog.get_by_label("Bio", exact=True).fill("Counts.")
        dialog.get_by_role("button", name="Save").click()
        expect(page.locator(".toast", has_text="Changed.").last).to_be_visible()
        edit("Users", "7d3f2b60", "Preferences")
        dialog.get_by_label("Allergies", exact=True).fill('["peanuts"]')
        dialog.get_by_role("button", name="Save").click()
        edit("Users", "7d3f2b60", "Preferences")
        expect(dialog.get_by_label("Allergies", exact=True)).to_have_value('["peanuts"]')
        dialog.get_by_role("button", name="Cancel").click()
        assert "Counts." in server.send("GET", "/api/v1/users/me")[1]
        close_quietly(page, "404 (Not Found)", "400 (Bad Request)")
        server.stop()
        # Why a meal failed.
        server = self.serve("--instant", "--scenario", "meal-fails")
        server.ask("POST", "/api/v1/meal-logs/natural", {"raw_input": "stones", "meal_type": "lunch"})
        page = self.open(server, "#data")
        until(page, "() => fetch('state').then(answer => answer.text()).then(text => text.includes('failed'))")
        page.get_by_role("button", name="Refresh").click()
        page.locator("#data").get_by_role("button", name=re.compile("Meals")).click()
        expect(page.locator("#data tr", has_text="stones")).to_contain_text("failed: Failed to parse meal input: Could not identify")
        close_quietly(page)
        server.stop()

    def scenario(self):
        server = self.serve()
        self.traffic(server)
        page = self.open(server, "#scenario")
        editor = page.get_by_label("Scenario", exact=True).and_(page.locator("textarea"))
        # It opens with the running scenario, which can be applied again unchanged.
        expect(editor).to_have_value(re.compile("Run 5 km"))
        running = json.loads(editor.input_value())
        assert [each["name"] for each in running["faults"]] == ["goals-down", "slow-lists"], running["faults"]
        self.checks_scenario(editor.input_value())
        # It is up to date whenever somebody comes back, unless it has an edited text.
        panel(page, "worlds")
        page.locator("#world-list").get_by_role("button", name="Reset").click()
        page.locator("dialog").get_by_label("Scenario").select_option("meal-completes")
        page.locator("dialog").get_by_role("button", name="Reset").click()
        panel(page, "scenario")
        expect(editor).to_have_value(re.compile('"name": "meal-completes"'))
        server.ask("POST", "/__admin/faults", {"name": "from-faults", "on": "any", "delay": "1ms"})
        panel(page, "faults")
        expect(page.locator("#fault-list")).to_contain_text("from-faults")
        panel(page, "scenario")
        expect(editor).to_have_value(re.compile("from-faults"))
        # What somebody types before it arrives stays, too.
        server.ask("POST", "/__admin/faults", {"name": "one-more", "on": "any", "delay": "1ms"})
        waiting = []
        page.route("**/state", lambda route: waiting.append(route))
        panel(page, "faults")
        with page.expect_request("**/state"):
            panel(page, "scenario")
        editor.fill("name: edited")
        with page.expect_response("**/state"):
            waiting.pop().continue_()
        page.unroute("**/state")
        panel(page, "faults")
        panel(page, "scenario")
        expect(page.locator("#messages li")).to_have_count(0)
        expect(editor).to_have_value("name: edited")
        # A network switched by hand counts, not the scenario's.
        for scripted, now in ({}, "lte"), ({"network": "lte"}, {"rtt": "20ms"}), ({"network": "lte"}, None):
            server.ask("POST", "/__admin/reset", {"scenario": {**running, **scripted}})
            now = server.ask("PUT", "/__admin/network", {"network": now})["network"]
            editor.fill("")
            page.get_by_role("button", name="Load this world's scenario").click()
            expect(editor).to_have_value(re.compile("Run 5 km"))
            loaded = json.loads(editor.input_value())
            assert loaded.get("network") == now, (loaded.get("network"), now)
            self.checks_scenario(editor.input_value())
        # A built-in scenario is selected from a list.
        page.get_by_label("Built-in scenario").select_option("scripted-coach")
        expect(editor).to_have_value(re.compile("^# .*name: scripted-coach", re.S))
        page.get_by_role("button", name="Apply").click()
        with page.expect_response("**/reset"):
            page.locator("dialog").get_by_role("button", name="Apply").click()
        expect(page.locator(".toast", has_text="starts over").last).to_be_visible()
        # The applied text stays until something else runs.
        applied, loads = editor.input_value(), []
        page.on("request", lambda request: loads.append(request.url) if request.url.endswith("/state") else None)
        panel(page, "faults")
        with page.expect_response("**/script"):
            panel(page, "scenario")
        expect(editor).to_have_value(applied)
        server.ask("POST", "/__admin/faults", {"name": "after-applying", "on": "any", "delay": "1ms"})
        panel(page, "faults")
        panel(page, "scenario")
        expect(editor).to_have_value(re.compile("after-applying"))
        assert len(loads) == 1, loads
        scripted = json.loads(editor.input_value())
        assert scripted["answers"] and scripted["name"] == "scripted-coach", scripted
        page.get_by_role("button", name="Apply").click()
        page.locator("dialog").get_by_role("button", name="Apply").click()
        expect(page.locator("dialog")).to_have_count(0)
        until(page, "() => fetch('script').then(answer => answer.json()).then(script => script.answers.length > 0)")
        editor.fill("name: mine\nsummary: Goals fail.\nfaults:\n  - {on: GET /api/v1/gols, status: 503}\n")
        page.locator("#messages").get_by_role("button", name="Line 4").click()
        expect(editor).to_be_focused()
        expect(page.locator(".gutter .wrong")).to_have_text("4")
        is_accessible(page, "scenario")
        editor.fill("name: mine\nsummary: Goals fail.\nclock: manual\nfaults:\n  - {on: GET /api/v1/goals, status: 503}\n")
        expect(page.locator("#messages li")).to_have_count(0)
        page.get_by_role("button", name="Apply").click()
        with page.expect_response("**/reset"):
            page.locator("dialog").get_by_role("button", name="Apply").click()
        expect(page.locator(".toast", has_text="starts over").last).to_be_visible()
        assert server.send("GET", "/api/v1/goals")[0] == 503
        # The clock of the same world is now another one.
        expect(page.locator("#clock .due")).to_have_text("nothing due")
        expect(page.locator("#clock").get_by_role("button", name="+1 s")).to_be_visible()
        page.get_by_role("button", name="Save the timeline as a scenario").click()
        expect(editor).to_have_value(re.compile("GET /api/v1/goals"))
        self.checks_scenario(editor.input_value())
        close_quietly(page)
        server.stop()

    def hostile(self):
        server = self.serve()
        app = App(self.browser, server)
        consultation = server.consultation()
        html = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script></script>"
        app.chat(consultation, message(html), stays=True)
        app.say(json.dumps({"type": "message", "content": "\u202eright to left\u0000 שלום"}))
        app.say('{"type":"message","content":"\\ud800 alone"}')
        app.say('{"type":"message","content":"separated\u2028data: {}\u2029id: 1"}')
        app.say(message("x" * 1_000_000))
        server.ask("POST", "/api/v1/goals", {**GOAL, "title": html[:90], "description": html})
        server.send("GET", "/api/v1/%3Cb%3E?" + "q" * 4000, **{"User-Agent": html})
        # Only the visible part of a long list exists, so each row is found by a filter.
        page = self.open(server, "#timeline?words=onerror")
        expect(row(page, "<img src=x onerror")).not_to_have_count(0)
        expect(row(page, "%3Cb%3E")).to_have_count(1)
        for text in ("<img", "right to left", "alone", "separated", "xxxxxxxx", "%3Cb%3E", "/api/v1/goals"):
            page.get_by_label("Filter by words").fill(text)
            row(page, text).last.click()
            expect(page.locator("#detail h2")).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), text
        panel(page, "data")
        page.get_by_role("button", name="Goals").click()
        expect(page.locator("#data tbody")).to_contain_text("<img")
        assert page.title() == "fitiq-mock"
        assert page.locator("#data :is(img, script), #timeline :is(img, script)").count() == 0
        close_quietly(page)
        # The same in a file of `judge`.
        with tempfile.TemporaryDirectory() as folder:
            journal, file = Path(folder) / "journal.ndjson", Path(folder) / "report.html"
            journal.write_text(server.send("GET", "/__admin/journal")[1], encoding="utf-8")
            subprocess.run([self.program, "judge", str(journal), "--html", str(file)], stdout=subprocess.DEVNULL, check=False)
            page = open_page(self.browser, file.as_uri() + "#timeline?words=onerror")
            expect(row(page, "<img src=x onerror")).not_to_have_count(0)
            assert "owned" not in page.title() and page.locator("main :is(img, script)").count() == 0
            close_quietly(page)
        server.stop()

    def looks(self):
        server = self.serve()
        self.traffic(server)
        for name, size, dark in (("light", (1440, 900), False), ("dark", (1440, 900), True), ("phone", (390, 844), True), ("small", (360, 640), False),
                                 ("wide", (1720, 1000), True)):
            page = self.open(server, size=size, dark=dark)
            expect(row(page, "/api/v1/meal-logs/natural").last).to_be_in_viewport()
            expect(row(page, "stream_chunk × ")).to_have_count(1)
            for each in ("timeline", "verdicts", "sockets", "breakpoints", "faults", "scenario", "data", "worlds"):
                panel(page, each)
                if each == "verdicts":
                    expect(page.locator(".verdicts details").first).to_be_visible()
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name}: {each} scrolls sideways"
                # Panels check the other rules in their own stories; a narrow page moves the list of panels.
                if name == "dark" or name == "phone" and each in ("timeline", "verdicts", "worlds"):
                    is_accessible(page, f"{each}, {name}", ["color-contrast"] if name == "dark" else None)
                self.picture(page, f"{each}-{name}")
            panel(page, "timeline")
            page.keyboard.press("b")
            expect(page.locator("#detail")).to_contain_text(BROKEN)
            self.picture(page, f"detail-{name}")
            close_quietly(page)
        # Chunks in one row show their sums where there is no room for columns; where the detail covers the list, the row only opens.
        for size, shown in (((1024, 768), r"[\d.]+ kB"), ((390, 844), r"× \d+ [\d.]+ kB [\d.]+ m?s")):
            page = self.open(server, size=size)
            fold = row(page, "stream_chunk × ")
            expect(fold.locator(".sums")).to_be_in_viewport(ratio=1)
            assert re.fullmatch(shown, fold.locator(".sums").inner_text().strip()), fold.locator(".sums").inner_text()
            fold.click()
            expect(row(page, "stream_complete")).to_be_visible()
            expect(row(page, "stream_chunk").nth(1)).to_be_visible()
            expect(page.locator("#detail")).to_be_visible(visible=size[0] == 1024)
            self.picture(page, f"chunks-{size[0]}")
            close_quietly(page)
        # A clock that is moved by hand has the most in the bar.
        world = server.ask("POST", "/__admin/worlds", {"clock": "manual"})["id"]
        for size in ((1024, 768), (390, 844)):
            page = self.open(server, size=size)
            page.locator("#world").select_option(world)
            panel(page, "scenario")
            text = page.get_by_role("textbox", name="Scenario")
            # The editor opens on what runs, once that has arrived.
            expect(text).to_have_value(re.compile('"name": '))
            text.fill("name: x\nnothing: 1")
            expect(page.locator(".messages button")).to_have_text("Line 2")
            cut = page.evaluate("""[...document.querySelectorAll("#clock > *, .messages button")]
                .filter(each => each.scrollWidth > each.clientWidth).map(each => each.textContent)""")
            assert cut == [], f"{size}: {cut}"
            self.picture(page, f"clock-{size[0]}")
            close_quietly(page)
        server.stop()

    def picture(self, page, name):
        if self.pictures:
            page.screenshot(path=self.pictures / f"{name}.png")

    def reconnection(self):
        server = self.serve()
        server.send("GET", "/api/v1/goals?offset=1")
        # Through a port forward that is cut: events in between appear once.
        forward = Forward(server)
        page = open_page(self.browser, forward.url + "/__admin/ui")
        expect(row(page, "offset=1")).to_have_count(1)
        forward.cut()
        expect(page.locator("#link")).to_have_text("Offline")
        server.send("GET", "/api/v1/goals?offset=2")
        forward.mend()
        expect(page.locator("#link")).to_have_text("Live")
        expect(row(page, "offset=2")).to_have_count(1)
        expect(row(page, "offset=1")).to_have_count(1)
        # A restarted server has a new journal.
        server.stop()
        expect(page.locator("#link")).to_have_text("Offline")
        server = self.serve(port=forward.target)
        for offset in range(3, 9):
            server.send("GET", f"/api/v1/goals?offset={offset}")
        expect(page.locator("#link")).to_have_text("Live")
        expect(page.locator(".toast", has_text="restarted")).to_be_visible()
        expect(row(page, "offset=1")).to_have_count(0)
        expect(row(page, "offset=3")).to_have_count(1)
        close_quietly(page, "net::ERR_")
        server.stop()

    def prefix(self):
        """Behind a reverse proxy that serves the server below a path."""
        server = self.serve()
        self.traffic(server)
        proxy = Prefix(server, "/tools/fitiq")
        page = open_page(self.browser, proxy.url + "/__admin/ui")
        expect(page.locator("#link")).to_have_text("Live")
        server.send("GET", "/api/v1/goals?offset=5")
        # A click counts even if an entry arrives while the row is pressed.
        row(page, "offset=5").hover()
        page.mouse.down()
        count = page.locator("#grid").get_attribute("aria-rowcount")
        server.send("GET", "/api/v1/goals?offset=6")
        expect(page.locator("#grid")).not_to_have_attribute("aria-rowcount", count)
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.mouse.up()
        page.locator("#detail").get_by_role("button", name="Copy curl").click()
        until(page, "text => navigator.clipboard.readText().then(copied => copied.includes(text))", f"'{proxy.url}/api/v1/goals?offset=5'")
        panel(page, "data")
        page.get_by_role("button", name="Goals").click()
        page.locator("#data tr", has_text="Run 5 km").get_by_role("button", name="Edit").click()
        page.get_by_label("Title", exact=True).fill("Run 10 km")
        page.get_by_role("button", name="Save").click()
        expect(page.locator("#data tr", has_text="Run 10 km")).to_have_count(1)
        panel(page, "worlds")
        page.locator("#worlds form").get_by_role("button", name="Create it").click()
        expect(page.locator("#world")).not_to_have_value("default")
        expect(page.locator("#link")).to_have_text("Live")
        assert proxy.strangers == [], proxy.strangers
        close_quietly(page)
        server.stop()

    def pages(self):
        server = self.serve()
        first, second = self.open(server), self.open(server, "#faults")
        expect(first.locator("#link")).to_have_text("Live")
        server.send("GET", "/api/v1/goals?offset=5")
        expect(row(first, "offset=5")).to_have_count(1)
        panel(second, "timeline")
        expect(row(second, "offset=5")).to_have_count(1)
        # One page sees the other's changes.
        panel(first, "worlds")
        first.locator("#worlds form").get_by_role("button", name="Create it").click()
        expect(first.locator("#world")).not_to_have_value("default")
        panel(second, "worlds")
        expect(second.locator("#world-list tr")).to_have_count(3)
        close_quietly(first)
        close_quietly(second)
        server.stop()

    def token(self):
        server = self.serve("--instant", "--admin-token", "open sesame")
        self.traffic_with_token(server)
        page = self.open(server)
        field = page.get_by_role("textbox", name="Admin token")
        is_accessible(page, "admin token")
        field.fill("wrong")
        page.get_by_role("button", name="Continue").click()
        expect(field).to_have_value("")
        field.fill("open sesame")
        page.get_by_role("button", name="Continue").click()
        expect(row(page, "/api/v1/goals")).to_have_count(1)
        expect(page.locator("#link")).to_have_text("Live")
        assert "sesame" not in page.url
        page.reload()
        expect(row(page, "/api/v1/goals")).to_have_count(1)
        expect(page.locator("dialog")).to_be_hidden()
        close_quietly(page, "401 (Unauthorized)")
        server.stop()

    def cors(self):
        """A page of another origin reads what the server allows."""
        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as site:
            threading.Thread(target=site.serve_forever, daemon=True).start()
            origin = f"http://127.0.0.1:{site.server_port}"
            server, silent = self.serve("--instant", "--cors", origin), self.serve()
            page = self.browser.new_page()
            page.goto(origin)

            def call(server, method, path, **fields):
                return page.evaluate(
                    """([url, method, headers]) => fetch(url, {method, headers, body: method === "POST" ? "{}" : undefined})
                        .then(async answer => [answer.status, await answer.text(), answer.headers.get("Retry-After")],
                              failure => failure.name)""",
                    [server.url + path, method, fields])

            good = {"Authorization": f"Bearer {server.token}", "X-API-Key": "fitiq-mock-key",
                    "Content-Type": "application/json"}
            status, text, _ = call(server, "GET", "/api/v1/goals", **good)
            assert status == 200 and "goals" in text, text
            status, text, _ = call(server, "POST", "/api/v1/goals", **good)
            assert status == 400 and "VALIDATION_FAILED" in text, text
            status, text, _ = call(server, "PATCH", "/api/v1/goalz", **good)
            assert status == 404 and "nearest endpoint" in text, text
            # The first request that a fault counts is the page's own, not its preflight.
            server.ask("POST", "/__admin/faults", {"on": "any", "requests": 1, "status": 503, "retry_after": 7})
            status, _, after = call(server, "GET", "/api/v1/goals", **good)
            assert (status, after) == (503, "7")
            assert call(server, "GET", "/__admin/health") == "TypeError"
            first_frame = """([url, token]) => new Promise(done => {
                const socket = new WebSocket(`${url.replace("http", "ws")}?token=${token}`);
                socket.onmessage = event => { done(JSON.parse(event.data).type); socket.close(); };
                socket.onerror = () => done("no socket");
            })"""
            for asked, frame in (server, "connected"), (silent, "no socket"):
                chat = f"{asked.url}/api/v1/consultations/{asked.consultation()}/ws"
                assert page.evaluate(first_frame, [chat, asked.token]) == frame
            assert call(silent, "GET", "/api/v1/goals", **good) == "TypeError"
            page.close()
            site.shutdown()

    def traffic_with_token(self, server):
        assert server.send("GET", "/api/v1/goals")[0] == 200
        assert server.send("GET", "/__admin/requests")[0] == 401

    def report(self):
        """`verify --html`: a file with two runs of a client."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "report.html"
            client = 'curl -s -o /dev/null -H "Authorization: Bearer $FITIQ_MOCK_TOKEN" -H "X-API-Key: $FITIQ_MOCK_API_KEY" ' \
                "$FITIQ_MOCK_URL/api/v1/goals?scenario=$FITIQ_MOCK_SCENARIO"
            done = subprocess.run(
                [self.program, "verify", "--scenario", "default", "--scenario", "meal-completes", "--html", str(file), "--quiet", "--",
                 "sh", "-c", client], capture_output=True, text=True)
            assert file.exists(), done.stdout + done.stderr
            page = open_page(self.browser, file.as_uri())
            expect(row(page, "scenario=default")).to_have_count(1)
            assert "curl" in page.title(), page.title()
            expect(page.locator("#nav a")).to_have_count(2)
            expect(page.locator("#world option")).to_have_text(["! default", "! meal-completes"])
            page.select_option("#world", label="! meal-completes")
            expect(row(page, "scenario=meal-completes")).to_have_count(1)
            expect(row(page, "scenario=default")).to_have_count(0)
            panel(page, "verdicts")
            kept = page.locator(".verdicts details[data-id='auth/credentials-on-every-request']")
            expect(kept).to_contain_text("Kept")
            kept.locator("summary").click()
            expect(kept).to_contain_text("Source:")
            expect(page.locator("details.coverage li code")).to_have_count(10)
            is_accessible(page, "report")
            close_quietly(page)
            # A report with a breach opens on it, and marks the run.
            client += '; [ $FITIQ_MOCK_SCENARIO = default ] || { ' + client.replace("goals?", "goals/ABCDEFAB-0000-4000-8000-000000000000?") + "; exit 3; }"
            subprocess.run(
                [self.program, "verify", "--scenario", "default", "--scenario", "conflict", "--html", str(file), "--quiet", "--",
                 "sh", "-c", client], capture_output=True, check=False)
            page = open_page(self.browser, file.as_uri())
            expect(page.locator("#world option")).to_have_text(["! default", "✗ conflict"])
            expect(page.locator("#world")).to_have_value("1")
            expect(page.locator("#verdicts .problem")).to_have_text("The command ended with exit status 3.")
            first = page.locator(".verdicts details").first
            expect(first).to_have_attribute("data-id", "ids/lowercase")
            first.locator("summary").click()
            first.locator(".evidence a").first.click()
            expect(page.locator("#detail")).to_contain_text("Breaks ids/lowercase")
            is_accessible(page, "a report of a broken run")
            close_quietly(page)

    def many(self, count=30_000):
        """30,000 entries: how many rows exist, and the cost of a frame of scrolling compared with a thousand entries."""
        server = self.serve()
        text = server.send("GET", "/__admin/ui")[1]
        server.stop()
        with tempfile.TemporaryDirectory() as folder:
            few, few_work = self.scrolled(text, 1000, folder)
            close_quietly(few)
            page, work = self.scrolled(text, count, folder)
            session = page.context.new_cdp_session(page)
            session.send("Performance.enable")
            heap = self.metrics(session, "JSHeapUsedSize") / 1_000_000
            drawn = page.locator(".grid-body .r").count()
            print(f"{work:.1f} ms of work for a frame, {few_work:.1f} with a thousand entries, {heap:.0f} MB, {drawn} rows exist")
            # A ratio, because machines differ; a page that visited all entries would take thirty times as long.
            assert work < 3 * few_work and heap < 90 and drawn < 80
            page.keyboard.press("/")
            page.keyboard.type("27777")
            expect(rows(page)).to_have_count(1, timeout=60_000)
            close_quietly(page)

    def scrolled(self, text, count, folder):
        """A page with this many entries, and the milliseconds of its work in each of 120 frames of scrolling."""
        entries = []
        for n in range(1, count + 1):
            base = {"number": n, "time": f"2026-01-29T10:{n // 60000:02}:{n // 1000 % 60:02}.{n % 1000:03}000000Z", "connection": 3}
            if n == 1:
                entries.append({**base, "kind": "opened", "requested_at": base["time"], "response": {"status": 101, "fields": []},
                                "request": {"method": "GET", "target": "/api/v1/consultations/x/ws", "version": "1.1", "fields": []}})
            else:
                entries.append({**base, "kind": "frame", "opcode": "text", "direction": "server_to_client" if n % 3 else "client_to_server",
                                "payload": json.dumps({"type": "message" if n % 3 == 0 else "stream_complete", "content": f"{n} <b>is</b> a message of some length"})})
        run = json.dumps({"title": "many", "id": "0", "name": "default", "journal": entries}).replace("<", "\\u003c")
        file = Path(folder) / f"{count}.html"
        file.write_text(text.replace("<!-- runs -->", f'<script type="application/json" class="run">{run}</script>'), encoding="utf-8")
        page = open_page(self.browser, file.as_uri())
        expect(row(page, str(count))).to_have_count(1, timeout=60_000)
        session = page.context.new_cdp_session(page)
        # The time of the page's own thread, so that other programs do not count.
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        parts = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
        before = self.metrics(session, *parts)
        page.evaluate("""() => new Promise(done => {
            const grid = document.getElementById('grid'); let n = 0;
            const step = () => { grid.scrollTop = (n * 40_000) % grid.scrollHeight; (n += 1) < 120 ? requestAnimationFrame(step) : done(); };
            requestAnimationFrame(step); })""")
        work = (self.metrics(session, *parts) - before) * 1000 / 120
        session.send("HeapProfiler.collectGarbage")
        return page, work

    def metrics(self, session, *names):
        found = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
        return sum(found[name] for name in names)


def main(chromium, program, stories, folder=None):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, chromium_sandbox=False)
        for story in stories.split(","):
            getattr(Stories(browser, program, folder and Path(folder)), story)()
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
