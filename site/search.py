"""The index of the search: a script, because a page in a folder may load scripts, and nothing else."""

import json
import re

# Code and tables are long, and their beginning tells what they are.
LONGEST_TEXT = 4000


def index(pages):
    """Of each section of each page: the address, the page, the heading and the text."""
    entries = []
    for file, page in pages:
        for anchor, heading, texts in page.sections:
            text = re.sub(r"\s+", " ", " ".join(texts))[:LONGEST_TEXT]
            entries.append([f"{file}#{anchor}", page.title, heading, text])
    return "const SEARCH_INDEX = " + json.dumps(entries, ensure_ascii=False, separators=(",", ":")) + ";\n"
