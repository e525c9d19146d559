"""What follows from the table of collections (Fixtures/data/collections.json): schemas, parameters, and the operations
that all collections have, in the description of union; and the documents of scenario files."""

import json
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "Fixtures" / "data" / "collections.json"
TAGS = ["Background sync", "From the apps"]
WORLDS = ("id", "user_id", "created_at", "updated_at")
LARGEST = 2**63 - 1


def table():
    return json.loads(TABLE.read_text(encoding="utf-8"))


def reference(kind, name):
    return {"$ref": f"#/components/{kind}/{name}"}


def nullable(schema):
    """The schema that allows null too."""
    if "$ref" in schema:
        return {"anyOf": [dict(schema), {"type": "null"}]}
    result = {**schema, "type": [schema["type"], "null"]} if "type" in schema else dict(schema)
    return {**result, "enum": [*schema["enum"], None]} if "enum" in schema else result


def value_schema(rule, time, isAnswer=False):
    """The schema of a member's values; `time` is that of times."""
    kind = rule.get("type")
    if kind == "date-time":
        return dict(time)
    schema = {"type": kind} if kind else {}
    for keyword in ("enum", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"):
        if keyword in rule:
            schema[keyword] = rule[keyword]
    if kind == "integer":
        schema.setdefault("minimum", -LARGEST - 1)
        schema.setdefault("maximum", LARGEST)
    if "items" in rule:
        schema["items"] = value_schema(rule["items"], time, isAnswer)
    if "members" in rule:
        schema.update(object_schema(rule["members"], time, isAnswer))
    return schema


def object_schema(members, time, isAnswer, isScenario=False):
    """The schema of an object: as it is sent, or as it is answered, with what is computed and without gaps."""
    properties, required = {}, []
    for name, rule in members.items():
        if rule.get("computed") and not isAnswer or rule.get("readOnly") and not isAnswer and not isScenario:
            continue
        schema = value_schema(rule, time, isAnswer)
        if not isAnswer and not rule.get("required") or isAnswer and rule.get("default", 0) is None:
            schema = nullable(schema)
        if rule.get("description"):
            schema = {"description": rule["description"], **schema}
        if not isAnswer and rule.get("default", "now") not in (None, "now"):
            schema["default"] = rule["default"]
        properties[name] = schema
        if rule.get("required") or isAnswer and ("default" in rule or rule.get("computed") or rule.get("answered")):
            required.append(name)
    return {"type": "object", **({"required": required} if required else {}), "properties": properties}


def success(data, **more):
    return {"type": "object", "required": ["success", "data"],
            "properties": {"success": {"const": True}, "data": data}, "additionalProperties": False, **more}


def answer_schema(row):
    time = reference("schemas", "PreciseTime" if row.get("fractions") else "Time")
    schema = object_schema(row["members"], time, isAnswer=True)
    world = {"id": reference("schemas", "ID"), "user_id": reference("schemas", "UserID"), "created_at": time,
             "updated_at": time}
    if row["schema"] == "WorkoutTemplate":
        world["user_id"] = {"description": "Null for one of the system.", **nullable(world["user_id"])}
    return {"description": "Members that are not described are kept as they were sent.",
            **schema, "required": [*WORLDS, *schema["required"]], "properties": {**world, **schema["properties"]}}


def page_schema(row):
    name, items = row["list"], {"type": "array", "maxItems": 100, "items": reference("schemas", row["schema"])}
    if name is None:
        return success(items)
    properties = {name: items, "total": {"type": "integer", "minimum": 0, "description": "Items of the whole list."},
                  "total_count": {"type": "integer", "minimum": 0, "description": "The same."},
                  "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                  "offset": {"type": "integer", "minimum": 0},
                  "has_more": {"type": "boolean", "description": "Whether a later page has items."}}
    if row["schema"] == "Insight":
        properties["total_pages"] = {"type": "integer", "minimum": 0}
    if row["schema"] == "SleepSession":
        minutes = {"type": "integer"}
        properties["averages"] = {
            "description": "Of all sessions that match; null if there are none.", "type": ["object", "null"],
            "required": ["avg_time_in_bed_minutes", "avg_total_sleep_minutes", "avg_sleep_efficiency_percentage"],
            "properties": {"avg_time_in_bed_minutes": minutes, "avg_total_sleep_minutes": dict(minutes),
                           "avg_sleep_efficiency_percentage": {"type": "number"}}}
    return success({"type": "object", "required": list(properties), "properties": properties,
                    "additionalProperties": False})


def filter_parameters(row):
    """The parameters that select documents."""
    for name, rule in row["filters"].items():
        member = row["members"].get(rule["member"], {})
        description, schema = {
            "equals": (f"Only those with this `{rule['member']}`.",
                       value_schema(member, {}) if "enum" in member else {"type": "string"}),
            "any": (f"Only those that have one of these `{rule['member']}`, which commas separate.",
                    {"type": "string"}),
            "flag": (f"Only those whose `{rule['member']}` is this.", {"type": "boolean"}),
            "only": (f"Only those whose `{rule['member']}` is true.", {"type": "boolean", "default": False}),
            "from": (f"The earliest `{rule['member']}`, inclusive. A bare date begins at midnight UTC.",
                     reference("schemas", "DateOrTime")),
            "to": (f"The latest `{rule['member']}`, inclusive. A bare date reaches to the end of that day.",
                   reference("schemas", "DateOrTime")),
        }[rule["test"]]
        if rule["test"] == "from" and "default" in rule:
            description += " Without it the list begins 30 days before its end, or before today."
        elif "default" in rule:
            schema = {**schema, "default": rule["default"] == "true"}
        yield {"name": name, "in": "query", "description": description, "schema": schema}


def order_parameters(row):
    """The parameters that only one list has."""
    def parameter(name, description, **schema):
        return {"name": name, "in": "query", "description": description, "schema": schema}
    if row["schema"] == "Insight":
        times = ["created_at", "updated_at", "period_start"]
        return [parameter("sort_by", "The time by which the list is sorted.", type="string", enum=times),
                parameter("sort_order", "The newest first, or the oldest.", type="string", enum=["asc", "desc"],
                          default="desc")]
    if row["schema"] == "WorkoutTemplate":
        return [parameter("source", "Whose templates are listed; without it the user's own.", type="string",
                          enum=["owned", "system", "shared"]),
                parameter("include_public", "Whether public templates join the user's own.", type="boolean",
                          default=False)]
    return []


def page_parameters(row):
    limit = {"type": "integer", "minimum": 1, "maximum": 100, "default": row["limit"]}
    return [{"name": "limit", "in": "query", "description": "Items on a page.", "schema": limit},
            reference("parameters", "Page"), reference("parameters", "DocumentOffset")]


def examples(row):
    """The members of an example as they are sent, and as they are answered."""
    time = "2025-01-29T10:30:00.000Z" if row.get("fractions") else "2025-01-29T10:30:00Z"
    world = {"id": "5e2f9a10-3b7c-4d84-9a6e-1c0d2b3f4a59", "user_id": "7d3f2b60-5a52-4c1e-9a54-0f6f1c1d2e3a",
             "created_at": time, "updated_at": time}
    sent = {name: sent_value(value, row["members"][name]) for name, value in row["example"].items()
            if not row["members"][name].get("computed") and not row["members"][name].get("readOnly")}
    return sent, {**world, **row["example"]}


def sent_value(value, rule):
    if isinstance(value, list) and "items" in rule:
        return [sent_value(item, rule["items"]) for item in value]
    if isinstance(value, dict) and "members" in rule:
        return {name: member for name, member in value.items()
                if name in rule["members"] and not rule["members"][name].get("computed")}
    return value


def refusals(*names):
    statuses = {"BadDocument": "400", "BadQuery": "400", "Unauthorized": "401", "NotYours": "403",
                "UnknownDocument": "404", "UnsupportedMediaType": "415", "StoreFull": "507"}
    return {statuses[name]: reference("responses", name) for name in names}


def answered(description, schema, example):
    return {"description": description, "content": {"application/json": {
        "schema": schema, "examples": {"answer": {"value": example}}}}}


def operations(row):
    """Path, method and operation of what all collections do alike."""
    ids, schema, item = row["operations"], row["schema"], row["item"]
    article = "an" if item[0] in "aeiou" else "a"
    plural = item.replace("set of", "sets of") if item.startswith("set") else (
        item[:-1] + "ies" if item.endswith("y") else item + "s")
    sent, document = examples(row)
    path = "/api/v1" + row["path"]
    one = answered(f"The {item}.", success(reference("schemas", schema)), {"success": True, "data": document})
    body = {"required": True, "content": {"application/json": {
        "schema": reference("schemas", schema + "Sent"), "examples": {"usual": {"value": sent}}}}}
    id_parameter = [reference("parameters", "DocumentID")]
    isShared = ["NotYours"] if schema == "WorkoutTemplate" else []
    security = {"security": [{"bearerAuth": [], "apiKey": []}, {"bearerAuth": []}]} if schema == "ProfileMetrics" else {}
    if "list" in ids:
        totals = {"total": 1, "total_count": 1, "limit": row["limit"], "offset": 0, "has_more": False}
        more = {"total_pages": 1} if schema == "Insight" else {}
        if schema == "SleepSession":
            more = {"averages": {"avg_time_in_bed_minutes": 480, "avg_total_sleep_minutes": 420,
                                 "avg_sleep_efficiency_percentage": 87.5}}
        data = [document] if row["list"] is None else {row["list"]: [document], **totals, **more}
        yield path, "get", {
            "operationId": ids["list"], "tags": list(TAGS), "summary": f"List {plural}", **security,
            "description": f"The newest first, by `{row.get('time', 'created_at')}`.",
            "parameters": [*filter_parameters(row), *order_parameters(row), *page_parameters(row)],
            "responses": {"200": answered(f"A page of {plural}.", reference("schemas", schema + "Page"),
                                          {"success": True, "data": data}),
                          **refusals("BadQuery", "Unauthorized", "StoreFull")}}
    if "create" in ids:
        known = {} if schema != "SleepSession" else {"200": answered(
            "The session that the user has already with this `source_id`, unchanged.",
            success(reference("schemas", schema)), {"success": True, "data": document})}
        yield path, "post", {
            "operationId": ids["create"], "tags": list(TAGS), "summary": f"Store {article} {item}", **security,
            "description": "Members that are not described are kept as they are sent.", "requestBody": body,
            "responses": {**known, "201": one,
                          **refusals("BadDocument", "Unauthorized", "UnsupportedMediaType", "StoreFull")}}
    if "show" in ids:
        yield path + "/{id}", "get", {
            "operationId": ids["show"], "tags": list(TAGS), "summary": f"Show {article} {item}",
            "description": "One of the user's, or another's that is public, the system's, or shared with the user.",
            "parameters": id_parameter,
            "responses": {"200": one, **refusals("Unauthorized", "UnknownDocument", "StoreFull")}}
    if "replace" in ids:
        changes = "Changes the members that are sent; the others stay." if isShared else (
            "Replaces all members: one that is not sent has its default.")
        yield path + "/{id}", "put", {
            "operationId": ids["replace"], "tags": list(TAGS), "summary": f"Replace {article} {item}",
            "description": changes, "parameters": id_parameter,
            "requestBody": {"required": True, "content": {"application/json": {
                "schema": reference("schemas", "WorkoutTemplateChange"),
                "examples": {"usual": {"value": {"description": "Twice a week."}}}}}} if isShared else body,
            "responses": {"200": one, **refusals("BadDocument", "Unauthorized", *isShared, "UnknownDocument",
                                                 "UnsupportedMediaType", "StoreFull")}}
    if "delete" in ids:
        yield path + "/{id}", "delete", {
            "operationId": ids["delete"], "tags": list(TAGS), "summary": f"Delete {article} {item}",
            "description": "It is deleted, and answers 404 from now on.", "parameters": id_parameter,
            "responses": {"204": {"description": "Deleted."},
                          **refusals("Unauthorized", *isShared, "UnknownDocument", "StoreFull")}}


def described(document):
    """The document with the collections; what is special about them stands in an overlay."""
    schemas = document["components"]["schemas"]
    schemas["PreciseTime"] = {
        "description": "ISO 8601 in UTC with milliseconds, as one of the apps reads times of insights.",
        "type": "string", "format": "date-time", "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$"}
    given = reference("schemas", "TimeGiven")
    for row in table().values():
        name = row["schema"]
        schemas[name + "Sent"] = object_schema(row["members"], given, isAnswer=False)
        if "operations" not in row:
            continue
        schemas[name] = answer_schema(row)
        schemas[name + "Page"] = page_schema(row)
        for path, method, operation in operations(row):
            document["paths"].setdefault(path, {})[method] = operation
    change = json.loads(json.dumps(schemas["WorkoutTemplateSent"]))
    change.pop("required")
    schemas["WorkoutTemplateChange"] = change
    return document


def scenario_lists():
    """The lists of documents in the schema of scenario files."""
    time = {"$ref": "#/$defs/data_time"}
    lists = {}
    for name, row in table().items():
        if "operations" not in row:
            continue
        schema = object_schema(row["members"], time, isAnswer=False, isScenario=True)
        world = {"id": {"description": "Its id; the backend issues one if absent.", "$ref": "#/$defs/uuid"},
                 "created_at": {"description": "When it was created.", **time},
                 "updated_at": {"description": "When it last changed.", **time}}
        if row["schema"] == "WorkoutTemplate":
            world["shared_with"] = {
                "description": "The other users who may read and copy it: their ids, or the shares in full.",
                "type": "array", "maxItems": 100,
                "items": {"anyOf": [{"type": "string", "minLength": 1, "maxLength": 200},
                                    {"type": ["number", "boolean"]}, {"$ref": "#/$defs/share"}]}}
        one = f"{'an' if row['item'][0] in 'aeiou' else 'a'} {row['item']}"
        item = {"type": "object",
                "description": f"{one.capitalize()}; the server also keeps members that are not described here.",
                **schema, "properties": {**world, **schema["properties"]}}
        lists[name] = {"type": "array", "items": item, "maxItems": 10000, "description": f"Each is {one}."}
    return lists
