"""Joins the sources of the page of the admin API into one HTML document, ui/ui.html. scripts/describe calls it.

Each ES module becomes a function that is called once and returns what the module exports; an import takes it from there.
So there are no cycles, and nothing that is exported changes. The form of faults comes from the schema of scenarios.
"""

import base64
import hashlib
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
SCHEMA = HERE.parent / "Fixtures" / "scenarios" / "scenario.schema.json"
STYLES = ["base", "layout", "timeline", "panels"]
LIMIT = 150_000

IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";$', re.M)
EXPORT = re.compile(r"^export ((?:async )?(?:function\*?|const|class) ([\w$]+))", re.M)


def modules(name, seen):
    """Adds the module's text and those that it needs, each once, needed ones first."""
    if name in seen:
        return
    text = (HERE / "js" / f"{name}.js").read_text(encoding="utf-8")
    for _, needed in IMPORT.findall(text):
        modules(needed, seen)
    names = [name for _, name in EXPORT.findall(text)]
    text = IMPORT.sub(r"const {\1} = $\2;", text)
    text = EXPORT.sub(r"\1", text)
    if re.search(r"^(import|export)\b", text, re.M):
        sys.exit(f"describe: ui/js/{name}.js has an import or export of another form than the other modules")
    seen[name] = f"const ${name} = (() => {{\n{text}\nreturn {{{', '.join(names)}}};\n}})();"


def smaller(text):
    """Without whole-line comments and indentation: what a browser reads, not a person."""
    text = re.sub(r"^\s*/\*\*?(?:(?!\*/).)*\*/\n", "", text, flags=re.M | re.S)
    lines = (line.strip() for line in text.split("\n") if not line.strip().startswith("// "))
    return "\n".join(line for line in lines if line)


def fault_schema():
    """What the form asks of each member of a fault: its description, and what kind of value it has."""
    definitions = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]

    def resolved(each):
        return definitions.get(each.get("$ref", "").split("/")[-1], each)

    def brief(each, depth=0):
        target = resolved(each)
        kept = {key: each[key] for key in ("const", "enum", "type") if key in each}
        kept["description"] = each.get("description", target.get("description", ""))
        if "enum" in target:
            kept.setdefault("enum", target["enum"])
        if target.get("type") == "boolean":
            kept["type"] = "boolean"
        if "properties" in target and depth == 0:
            kept["properties"] = {key: brief(value, 1) for key, value in target["properties"].items()}
        if any(resolved(option).get("const") is True for option in target.get("anyOf", [])):
            kept.setdefault("const", True)
        if isinstance(kept.get("type"), list):
            del kept["type"]
        return kept

    members = {key: brief(value) for key, value in definitions["fault"]["properties"].items()}
    return {"members": members, "endpoints": definitions["endpoint"]["enum"]}


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def document():
    """The text of ui/ui.html."""
    seen = {}
    modules("app", seen)
    schema = json.dumps(fault_schema(), separators=(",", ":"), ensure_ascii=False)
    script = "\n".join(['(() => {"use strict";', f"const FAULT_SCHEMA = {schema};", *map(smaller, seen.values()), "})();"])
    style = smaller("\n".join((HERE / "css" / f"{name}.css").read_text(encoding="utf-8") for name in STYLES))
    if "</script" in script or "</style" in style:
        sys.exit("describe: a source of ui/ui.html ends the element that it would be in")
    policy = (f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; connect-src 'self'; img-src data:; "
              "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
    page = (HERE / "index.html").read_text(encoding="utf-8")
    for name, text in (("POLICY", policy), ("STYLE", style), ("SCRIPT", script)):
        page = page.replace("{{" + name + "}}", text)
    if len(page.encode()) > LIMIT:
        sys.exit(f"describe: ui/ui.html has {len(page.encode())} bytes, and may have {LIMIT}")
    return page
