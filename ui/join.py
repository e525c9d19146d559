"""Joins the sources of the page of the admin API into one HTML document, ui/ui.html. scripts/describe calls it.

Each ES module becomes a function that is called once and returns what the module exports; an import takes it from there.
So there are no cycles, and nothing that is exported changes. Forms come from the schemas of scenarios and of the APIs.
"""

import base64
import hashlib
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
SCHEMA = HERE.parent / "Fixtures" / "scenarios" / "scenario.schema.json"
TABLE = HERE.parent / "Fixtures" / "data" / "collections.json"
STYLES = ["base", "layout", "timeline"]
LIMIT = 155_000

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


# Where a fault may act stands at the beginning of its description, and so does what it goes with.
PLACES = re.compile(r"(?:^|(?<=\. ))((?:REST|[Hh]andshake|[Ss]ocket)(?:, (?:REST|handshake|socket))*): ")
EXTRA = re.compile(r"^With '(\w+)'(?: or '(\w+)')?: (?:the )?")


class Forms:
    """What a form asks of the members of objects: their descriptions, and what kind of value each has."""

    def __init__(self, document, long=None):
        """`long` is the `maxLength` from which on a text may have several lines."""
        self.document, self.long = document, long

    def resolved(self, schema):
        while "$ref" in schema:
            found = self.document
            for part in schema["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            schema = {**found, **{key: value for key, value in schema.items() if key != "$ref"}}
        return schema

    def options(self, schema):
        """The schemas of which a value fits one, without those of old words."""
        schema = self.resolved(schema)
        either = None if "properties" in schema else schema.get("anyOf", schema.get("oneOf"))
        return [option for each in either if not each.get("deprecated") for option in self.options(each)] if either else [schema]

    def brief(self, schema):
        """A schema as the page reads it.

        `enum` has the values, which are only suggestions where `open` is set; `text` says that any text is one, and
        otherwise a text is read as JSON where it is; `nullable` that null is one; `whole` that `true` stands for the object without members.
        """
        every = self.options(schema)
        types = {kind for each in every for kind in ([each["type"]] if isinstance(each.get("type"), str) else each.get("type", []))}
        options = [each for each in every if each.get("type") != "null"]
        kept = {"description": self.resolved(schema).get("description", "")}
        values = [value for each in options for value in each.get("enum", [each["const"]] if "const" in each else (
            [True, False] if each.get("type") == "boolean" else [])) if value is not None]
        is_open = any("enum" not in each and "const" not in each and "properties" not in each and each.get("type") != "boolean"
                      for each in options)
        objects = [each for each in options if "properties" in each]
        # `true` and a word stand for an object that has no more.
        what = self.brief(objects[0]["properties"].get("what", {})) if objects else {}
        if objects and not is_open and set(values) <= {True, *what.get("enum", [])}:
            kept |= {"properties": self.members(objects[0]), "required": objects[0].get("required", [])}
            return kept | ({"whole": True} if True in values else {})
        if objects:
            kept["description"] += f" Also JSON with {', '.join(objects[0]['properties'])}."
        if values and values != [0]:
            kept |= {"enum": values} | ({"open": True} if is_open or objects else {})
        if "null" in types:
            kept["nullable"] = True
        if self.long and any(each.get("maxLength", 0) >= self.long for each in options):
            kept["long"] = True
        if is_open:
            kept |= {"text": True} if "string" in types and not types & {"integer", "array"} and not objects else {}
        return kept

    def members(self, schema):
        return {key: self.brief(value) for key, value in self.resolved(schema)["properties"].items()}


def forms(api, admin):
    """The forms of faults, worlds and what the API changes; conditions; REST endpoints by their operations."""
    scenario = json.loads(SCHEMA.read_text(encoding="utf-8"))
    fault = Forms(scenario).members({"$ref": "#/$defs/fault"})
    for member in fault.values():
        said = member["description"]
        member["places"] = [place for each in PLACES.findall(said) for place in each.lower().split(", ")]
        extra = EXTRA.match(said)
        member["extra"] = [each for each in extra.groups() if each] if extra else []
        said = re.sub(r"'([\w-]+)'", r"\1", PLACES.sub("", EXTRA.sub("", said), count=1))
        member["description"] = said[:1].upper() + said[1:]
    fault["content_type"]["extra"] = ["status", "quota"]
    requests = Forms(admin)

    def shape(endpoint):
        return re.sub(r"\{\w+\}", "{}", endpoint)

    operations = {shape(f"{method.upper()} {path}"): operation["operationId"] for path, item in api["paths"].items()
                  for method, operation in item.items() if "operationId" in operation}
    changes = {"goal": "ChangeGoalRequest", "consultation": "UpdateConsultationRequest", "meal": "UpdateMealLogRequest",
               "profile": "FullProfileRequest", "measures": "PhysicalProfileRequest", "preferences": "PreferencesRequest"}
    return {
        "collections": dict(collections(api)),
        "fault": fault, "world": requests.members({"$ref": "#/components/schemas/WorldRequest"}),
        "endpoints": {operations[shape(each)]: each for each in scenario["$defs"]["endpoint"]["enum"]},
        "networks": next(each["enum"] for each in scenario["properties"]["network"]["oneOf"] if "enum" in each),
        "conditions": requests.members({"$ref": "#/components/schemas/Conditions"}),
        **{key: Forms(api, long=1000).brief({"$ref": f"#/components/schemas/{name}"}) for key, name in changes.items()},
    }


def collections(api):
    """What the apps sync: where it is, its first members, and the form of those that the API replaces."""
    for name, row in json.loads(TABLE.read_text(encoding="utf-8")).items():
        if "operations" not in row:
            continue
        plain = [key for key, rule in row["members"].items() if rule.get("type") not in ("array", "object")]
        sent = {"$ref": f"#/components/schemas/{row['schema']}Sent"}
        form = Forms(api, long=1000).brief(sent) if "replace" in row["operations"] else None
        yield name, {"title": row["title"], "path": row["path"].strip("/"), "item": row["item"],
                     "columns": plain[:3], "goes": "delete" in row["operations"], **({"schema": form} if form else {})}


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def document(api, admin):
    """The text of ui/ui.html; its forms are made from the descriptions of the API and of the admin API."""
    seen = {}
    modules("app", seen)
    asked = json.dumps(forms(api, admin), separators=(",", ":"), ensure_ascii=False)
    script = "\n".join(['(() => {"use strict";', f"const FORMS = {asked};", *map(smaller, seen.values()), "})();"])
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
