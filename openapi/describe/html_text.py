"""Pieces of HTML. Every text of a description passes `escape` or, in the value of an attribute, `attribute`."""

import html
import json
import re


def escape(text):
    """Escapes text between tags; for the value of an attribute, use `attribute`."""
    return html.escape(str(text), quote=False)


def attribute(text):
    """Escapes the value of an attribute, quotation marks included."""
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
    """A table that scrolls by itself where it is wider than the page.

    Cells and rows end where the next one begins: HTML does not need their end tags, which would be a tenth of a page.
    """
    cells = "".join(f'<th scope="col">{escape(cell)}' for cell in head)
    label = attribute(", ".join(head))
    return f'<div class="wide" tabindex="0" role="region" aria-label="{label}"><table><thead><tr>{cells}</thead><tbody>\n{body}\n</tbody></table></div>'


def member_table(rows):
    """The members of an object; empty where it has none."""
    lines = []
    for row in rows:
        indent = f' style="--d:{row.depth}"' if row.depth else ""
        if row.name is None:
            text = f"<b>{inline(row.type)}</b> {inline(row.description)}".strip()
            lines.append(f'<tr class="choice"><td colspan="3"{indent}>{text}')
            continue
        optional = "" if row.required else " <small>optional</small>"
        lines.append(
            f'<tr><th scope="row"{indent}><code>{escape(row.name)}</code>{optional}'
            f"<td>{escape(row.type)}<td>{inline(row.description)}")
    return table(["Member", "Values", "Meaning"], "\n".join(lines)) if lines else ""
