"""Reads the site of the documentation as a person does, from its folder: with_site.py CHROMIUM FOLDER [PICTURES]."""

import functools
import http.server
import re
import sys
import threading
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

SMALL_PAGES = ["index.html", "docs/index.html"]
PAGES = [*SMALL_PAGES, "docs/options.html", "docs/faults.html", "openapi/DEVIATIONS.html", "ARCHITECTURE.html"]
COLOURS = ["color-contrast", "link-in-text-block"]


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def rules(name, scheme, width):
    """What axe checks on a page; None for nothing.

    On small pages all rules in each scheme and width. On the others, where the colours alone take seconds, each rule
    once for what it depends on: colours on the scheme, all others on the width.
    """
    found = {"resultTypes": ["violations"]}
    if name in SMALL_PAGES or (scheme, width) == ("light", 1280):
        return found
    if scheme == "light":
        return {**found, "rules": {rule: {"enabled": False} for rule in COLOURS}}
    return {**found, "runOnly": COLOURS} if width == 390 else None


def main(chromium, folder, pictures=None):
    folder = Path(folder).resolve()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = f"http://127.0.0.1:{server.server_port}/"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        troubles = []
        for scheme in ("light", "dark"):
            for width in (1280, 390):
                page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
                page.on("console", lambda message: troubles.append(message.text))
                page.on("pageerror", lambda error: troubles.append(str(error)))
                page.on("request", lambda request: request.url.startswith((site, "data:")) or troubles.append(f"fetched: {request.url}"))
                for name in PAGES:
                    page.goto(site + name)
                    checked = rules(name, scheme, width)
                    for violation in Axe().run(page, options=checked).response["violations"] if checked else []:
                        troubles.append(f"{name}, {scheme}, {width}: {violation['id']}: {violation['nodes'][0]['html'][:200]}")
                    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                        troubles.append(f"{name}, {width}: wider than the window")
                    if pictures:
                        page.screenshot(path=f"{pictures}/{Path(name).stem}-{scheme}-{width}.png")
                page.close()
        page = browser.new_page()
        page.goto((folder / "index.html").as_uri())
        # The same without a server. A person searches, and follows a result.
        page.keyboard.press("/")
        page.keyboard.type("wrong owner 421")
        hit = page.locator("#hits a").first
        expect(hit).to_be_visible()
        if pictures:
            page.screenshot(path=f"{pictures}/search.png")
        hit.click()
        expect(page).to_have_url((folder / "docs/fleet.html").as_uri() + "#the-proxy")
        expect(page.locator("#hits")).to_be_hidden()
        page.keyboard.press("/")
        page.keyboard.type("<b>nowhere-at-all")
        expect(page.locator("#hits")).to_have_text("Nothing has all of these words.")
        page.keyboard.press("Escape")
        expect(page.locator("#hits")).to_be_hidden()
        # Each option of a long table is found by its name, in its row.
        options = re.findall(r"^\| `(--[a-z-]+)` \| `FITIQ", (Path(__file__).parents[3] / "docs/options.md").read_text(encoding="utf-8"), re.M)
        assert len(options) > 25, options
        for option in options:
            page.locator("#search").fill(option)
            expect(page.locator("#hits a").first).to_have_text(f"Options, exit codes and files: {option}")
        page.locator("#hits a").first.click()
        expect(page.locator("tr:target")).to_contain_text(options[-1])
        # Each limit is found by its name, too.
        limits = re.findall(r"^\| ([^|`]+?) \| .* \|$", (Path(__file__).parents[3] / "docs/limits.md").read_text(encoding="utf-8"), re.M)
        limits = [limit for limit in limits if limit not in ("what", "---")]
        assert "WebSocket message" in limits and len(limits) > 100, limits
        for limit in limits:
            page.locator("#search").fill(limit)
            first = page.locator("#hits a").evaluate_all("links => links.slice(0, 3).map(link => link.textContent)")
            assert f"Limits: {limit}" in first, (limit, first)
        # The source that a page shows is also a page.
        page.goto((folder / "docs/frameworks.html").as_uri())
        page.get_by_role("link", name="conftest.py").first.click()
        expect(page.locator("main pre")).to_contain_text("def world(")
        browser.close()
    assert not troubles, "\n".join(troubles)
    print("the site is as it should be")


if __name__ == "__main__":
    main(*sys.argv[1:])
