"""Makes the site of the documentation from README.md and all that it leads to: see scripts/site."""

import html
import posixpath
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt

from search import index

HERE = Path(__file__).resolve().parent
IMAGES = {".png", ".svg", ".jpg"}
# A file or a folder is read up to here: the site is documentation, and not the repository.
LARGEST_SOURCE = 512 * 1024


class Site:
    """Pages by their paths in the repository, found by following links from README.md."""

    def __init__(self, root):
        self.root = root
        self.pages = {}
        self.images = set()
        self.problems = []
        self.markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
        waiting = ["README.md"]
        while waiting:
            path = waiting.pop(0)
            if path not in self.pages:
                self.pages[path] = page = Page(self, path)
                waiting += page.links

    def file(self, path):
        """The name of a page's file: README.md of a folder is its index."""
        folder, name = posixpath.split(path)
        if name == "README.md":
            return posixpath.join(folder, "index.html")
        return path.removesuffix(".md") + ".html" if (self.root / path).is_file() else posixpath.join(path, "index.html")

    def check(self):
        contents = self.root / "llms.txt"
        for address in re.findall(r"\]\(([^)]*)\)", contents.read_text() if contents.exists() else ""):
            if address not in self.pages:
                self.problems.append(f"llms.txt: {address} leads nowhere")
        for page in self.pages.values():
            for target, anchor in page.targets:
                if anchor and anchor not in self.pages[target].anchors:
                    self.problems.append(f"{page.path}: {target} has no heading #{anchor}")
            # Whatever a page loads by itself comes from the site.
            tags = " ".join(re.findall(r"<(?:img|source|script|link|iframe)\b[^>]*>", page.body))
            for address in re.findall(r"\b(?:src|srcset|href)=\"([^\"]*)\"", tags):
                if urlsplit(address).netloc or urlsplit(address).scheme:
                    self.problems.append(f"{page.path}: {address} is fetched from elsewhere")

    def write(self, folder):
        if folder.exists():
            if any(folder.iterdir()) and not (folder / "search-index.js").exists():
                sys.exit(f"site: {folder} is not empty, and has no site: name another folder")
            shutil.rmtree(folder)
        template = (HERE / "page.html").read_text()
        navigation = self.navigation()
        for page in self.pages.values():
            file = self.file(page.path)
            top = posixpath.relpath(".", posixpath.dirname(file) or ".")
            links = "".join(self.item(path, title, page.path, file) for path, title in navigation)
            text = template
            for name, value in {"title": html.escape(page.title), "top": top, "navigation": links, "body": page.body}.items():
                text = text.replace("{{" + name + "}}", value)
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        # For agents: the pages as they are, and the table of their contents.
        texts = [path for path in self.pages if path.startswith("docs/") and path.endswith(".md")]
        for path in sorted(self.images) + texts + ["llms.txt"]:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / path, folder / path)
        for name in ("style.css", "search.js"):
            shutil.copyfile(HERE / name, folder / name)
        (folder / "search-index.js").write_text(index((self.file(page.path), page) for page in self.pages.values()))

    def item(self, path, title, current, file):
        mark = ' aria-current="page"' if path == current else ""
        address = posixpath.relpath(self.file(path), posixpath.dirname(file) or ".")
        return f'<li><a href="{address}"{mark}>{html.escape(title)}</a></li>'

    def navigation(self):
        """What docs/README.md leads to, in its order, between the beginning and the insides."""
        listed = dict.fromkeys(["README.md", *self.pages["docs/README.md"].links, "ARCHITECTURE.md", "CONTRIBUTING.md"])
        return [(path, self.pages[path].title) for path in listed if path.endswith(".md")]


class Page:
    """A page of HTML, made of a text in Markdown, of another file, or of a folder."""

    def __init__(self, site, path):
        self.site, self.path = site, path
        self.links, self.targets, self.anchors, self.sections = [], [], {}, []
        file = site.root / path
        if file.is_dir():
            self.title = path
            names = sorted(each.name for each in file.iterdir() if each.is_file() and each.stat().st_size <= LARGEST_SOURCE)
            items = "".join(f'<li><a href="{self.link(name)}">{html.escape(name)}</a></li>' for name in names)
            self.body = f"<h1>{html.escape(path)}</h1><ul>{items}</ul>"
        elif file.suffix != ".md":
            self.title = path
            self.body = f'<h1>{html.escape(path)}</h1><pre tabindex="0"><code>{html.escape(file.read_text())}</code></pre>'
        else:
            # Front matter is for programs.
            tokens = site.markdown.parse(re.sub(r"\A---\n.*?\n---\n", "", file.read_text(), flags=re.S))
            self.title = next((self.text(tokens[i + 1]) for i, token in enumerate(tokens) if token.type == "heading_open"), path)
            self.number(tokens)
            for token in tokens:
                for child in token.children or []:
                    for name in ("href", "src"):
                        if address := child.attrGet(name):
                            child.attrSet(name, self.link(address))
                    if child.type == "html_inline":
                        child.content = self.html(child.content)
                if token.type == "html_block":
                    token.content = self.html(token.content)
            self.body = site.markdown.renderer.render(tokens, site.markdown.options, {})
            # Wide tables and code scroll by themselves, also by the keyboard.
            self.body = self.body.replace("<table>", '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>')
            # Nothing is no heading of a column.
            self.body = re.sub(r"<th[^>]*></th>", "<td></td>", self.body)
            self.body = self.body.replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')

    @staticmethod
    def text(token):
        breaks = ("softbreak", "hardbreak")
        return "".join(
            " " if child.type in breaks else child.content if child.type in ("text", "code_inline") else ""
            for child in token.children or [])

    def number(self, tokens):
        """Gives each heading the anchor that GitHub gives it, and each section its text.

        A table row is a section, too, so that the search finds each row of a long table. Its heading is the name in code
        that begins its first cell, such as an option, or else the cell's text.
        """
        section = row = None
        for place, token in enumerate(tokens):
            if token.type == "heading_open":
                title = self.text(tokens[place + 1])
                slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
                count = self.anchors.get(slug, 0)
                self.anchors[slug] = count + 1
                slug = f"{slug}-{count}" if count else slug
                self.anchors.setdefault(slug, 1)
                token.attrSet("id", slug)
                section = (slug, title, [])
                self.sections.append(section)
            elif token.type == "tr_open":
                row = token
            elif section and token.type == "inline" and tokens[place - 1].type != "heading_open":
                section[2].append(self.text(token))
                first = token.children[0] if token.children else token
                name = first.content if first.type == "code_inline" else self.text(token)
                if tokens[place - 1].type == "td_open" and tokens[place - 2] is row and name:
                    row.attrSet("id", f"{section[0]}.{len(self.sections)}")
                    self.sections.append((row.attrGet("id"), name, []))
                elif tokens[place - 1].type == "td_open" and row and row.attrGet("id"):
                    self.sections[-1][2].append(self.text(token))
            elif section and token.type == "fence":
                section[2].append(token.content)

    def html(self, text):
        text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
        return re.sub(r'\b(src|srcset|href)="([^"]*)"', lambda found: f'{found[1]}="{self.link(found[2])}"', text)

    def link(self, address):
        """The address on the site of what a link in the repository leads to."""
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            return address
        folder = self.path if (self.site.root / self.path).is_dir() else posixpath.dirname(self.path)
        path = posixpath.normpath(posixpath.join(folder, unquote(parts.path))) if parts.path else self.path
        file = self.site.root / path
        here = posixpath.dirname(self.site.file(self.path)) or "."
        if path.startswith("..") or not file.exists():
            self.site.problems.append(f"{self.path}: {address} leads nowhere")
            return address
        if file.suffix in IMAGES:
            self.site.images.add(path)
            return posixpath.relpath(path, here)
        if (file / "README.md").is_file():
            path = posixpath.join(path, "README.md")
        self.links.append(path)
        self.targets.append((path, parts.fragment))
        return posixpath.relpath(self.site.file(path), here) + (f"#{parts.fragment}" if parts.fragment else "")


def main(root, folder):
    site = Site(root)
    site.check()
    if site.problems:
        sys.exit("\n".join(f"site: {problem}" for problem in site.problems))
    site.write(folder)
    print(f"{folder}: {len(site.pages)} pages")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
