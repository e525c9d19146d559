"""Pieces of HTML. Every text of a description passes `escape`."""

import html
import json
import re


def escape(text):
    return html.escape(str(text), quote=True)


def inline(text):
    """A line of a description: `code` in back-quotes, everything else as it stands."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def prose(text):
    """A description: paragraphs, and lists of lines that begin with a hyphen."""
    parts = []
    for paragraph in re.split(r"\n{2,}", text.strip()):
        if paragraph.startswith("- "):
            items = re.split(r"(?:^|\n)- ", paragraph)[1:]
            parts.append("<ul>" + "".join(f"<li>{inline(' '.join(item.split()))}</li>" for item in items) + "</ul>")
        else:
            parts.append(f"<p>{inline(' '.join(paragraph.split()))}</p>")
    return "\n".join(parts)


def example(value, summary=None):
    """A value as JSON, under its summary."""
    caption = f"<figcaption>{inline(summary)}</figcaption>" if summary else ""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return f'<figure>{caption}<pre>{escape(text)}</pre></figure>'


def table(head, body):
    """A table that scrolls by itself where it is wider than the page."""
    cells = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    label = escape(", ".join(head))
    return f'<div class="wide" tabindex="0" role="region" aria-label="{label}"><table><thead><tr>{cells}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def member_table(rows):
    """The members of an object; empty where it has none."""
    lines = []
    for row in rows:
        indent = f' style="padding-left:{0.6 + row.depth * 1.1:.1f}rem"' if row.depth else ""
        if row.name is None:
            text = f"<b>{inline(row.type)}</b> {inline(row.description)}".strip()
            lines.append(f'<tr class="choice"><td colspan="3"{indent}>{text}</td></tr>')
            continue
        optional = "" if row.required else ' <span class="optional">optional</span>'
        lines.append(
            f'<tr><th scope="row"{indent}><code>{escape(row.name)}</code>{optional}</th>'
            f"<td>{escape(row.type)}</td><td>{inline(row.description)}</td></tr>")
    return table(["Member", "Values", "Meaning"], "\n".join(lines)) if lines else ""
