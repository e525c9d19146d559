"""The page at /docs/deviations: DEVIATIONS.md as one self-contained HTML file."""

import re

from html_text import escape, table
from page import STYLE


def page(markdown):
    title, body = re.match(r"# (.*)\n((?:.|\n)*)", markdown).groups()
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{STYLE}</style>
</head>
<body>
<header>
<h1>{escape(title)}</h1>
<p>The API itself: <a href="/docs">/docs</a>.</p>
</header>
<main>
{blocks(body)}
</main>
</body>
</html>
"""


def blocks(markdown):
    """Headings, fenced code, tables, lists and paragraphs: what the page is written with."""
    parts = []
    lines = markdown.split("\n")
    while lines:
        line = lines.pop(0)
        if line.startswith("```"):
            end = lines.index("```")
            parts.append("<pre>" + escape("\n".join(lines[:end])) + "</pre>")
            del lines[:end + 1]
        elif line.startswith("#"):
            rank = len(line) - len(line.lstrip("#"))
            parts.append(f"<h{rank}>{inline(line[rank + 1:])}</h{rank}>")
        elif line.startswith("|"):
            rows = [line] + take(lines, lambda each: each.startswith("|"))
            head, _, *body = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
            cells = ("".join(f"<td>{inline(cell)}" for cell in row) for row in body)
            parts.append(table([re.sub("`", "", cell) for cell in head], "\n".join(f"<tr>{row}" for row in cells)))
        elif line.startswith("- "):
            item = [line[2:]] + take(lines, lambda each: each.startswith("  "))
            parts.append(f"<ul><li>{inline(' '.join(each.strip() for each in item))}</li></ul>")
        elif line:
            text = [line] + take(lines, lambda each: each and not re.match(r"[#|`]{3}|\||#|- ", each))
            parts.append(f"<p>{inline(' '.join(text))}</p>")
    return "\n".join(parts)


def take(lines, belongs):
    """The first lines that belong to a block, taken away."""
    taken = []
    while lines and belongs(lines[0]):
        taken.append(lines.pop(0))
    return taken


def inline(text):
    """Code, emphasis, and the texts of links, whose files the server does not have."""
    text = re.sub(r"\[(`?[^\]]*`?)\]\([^)]*\)", r"\1", text)
    pieces = re.split(r"(`[^`]+`)", text)
    return "".join(
        f"<code>{escape(piece[1:-1])}</code>" if piece.startswith("`") else
        re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escape(piece)) for piece in pieces)
