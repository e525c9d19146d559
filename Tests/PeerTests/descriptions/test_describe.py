"""Tests openapi/describe and check.py itself: they find planted mistakes."""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "openapi" / "describe"))

import check  # noqa: E402
import html_text  # noqa: E402
import origins  # noqa: E402
import overlay  # noqa: E402
import page  # noqa: E402
import pruning  # noqa: E402
import schemas  # noqa: E402
import yaml  # noqa: E402


def overlaid(document, *actions):
    return overlay.apply(document, {"overlay": "1.0.0", "actions": list(actions)})


class Overlays(unittest.TestCase):
    def test_actions(self):
        document = {"a": {"b": 1, "c": [1]}, "/x": {"d-e": [{"f": 1}, {"g": 2}]}}
        for action, expected in [
            ({"target": "$.a", "update": {"b": 2, "h": {"i": 3}}}, {"a": {"b": 2, "c": [1], "h": {"i": 3}}}),
            ({"target": "$.a", "update": {"c": [2]}}, {"a": {"b": 1, "c": [1, 2]}}),
            ({"target": "$.a.c", "update": {"b": 2}}, {"a": {"b": 1, "c": [1, {"b": 2}]}}),
            ({"target": "$.a", "copy": "$['/x'].d-e[0]"}, {"a": {"b": 1, "c": [1], "f": 1}}),
            ({"target": "$.a.b", "remove": True}, {"a": {"c": [1]}}),
            ({"target": "$['/x']['d-e'][0]", "remove": True}, {"/x": {"d-e": [{"g": 2}]}}),
            ({"target": "$['/x'].d-e[1].g", "remove": True}, {"/x": {"d-e": [{"f": 1}, {}]}}),
        ]:
            with self.subTest(action=action):
                self.assertEqual(overlaid(document, action), {**document, **expected})

    def test_refusals(self):
        document = {"a": {"b": [1]}}
        for target, message in [
            ("a", "begins with"), ("$.x", "matches nothing"), ("$.a.b[1]", "matches nothing"),
            ("$.a.*", "only .name"), ("$..b", "only .name"), ("$.a[?@.b]", "only .name"), ("$", "whole document"),
        ]:
            with self.subTest(target=target), self.assertRaisesRegex(overlay.OverlayError, message):
                overlaid(document, {"target": target, "remove": True})
        with self.assertRaisesRegex(overlay.OverlayError, "matches nothing"):
            overlaid(document, {"target": "$.a", "copy": "$.x"})
        for action in [{"target": "$.a"}, {"target": "$.a", "copy": "$", "update": {}}, {"target": "$.a", "update": {}, "remove": True}, {"target": "$.a", "updat": 1}]:
            with self.subTest(action=action), self.assertRaisesRegex(overlay.OverlayError, "an action has"):
                overlaid(document, action)
        with self.assertRaisesRegex(overlay.OverlayError, "only objects"):
            overlaid(document, {"target": "$.a", "update": 1})
        with self.assertRaisesRegex(overlay.OverlayError, "no Overlay"):
            overlay.apply(document, {"overlay": "2.0.0", "actions": []})

    def test_aliases_stand_for_copies(self):
        changes = yaml.safe_load("""
            overlay: 1.0.0
            x-refusals: &refusals {'401': {a: 1}, '507': {b: 1}}
            actions:
              - target: $
                update: {x: {'200': {}, <<: *refusals}, y: *refusals, z: [*refusals]}
              - {target: "$.x['401']", update: {a: 2}}
              - {target: "$.z[0]['507']", update: {b: 2}}
            """)
        self.assertEqual(overlay.apply({}, changes), {
            "x": {"200": {}, "401": {"a": 2}, "507": {"b": 1}}, "y": {"401": {"a": 1}, "507": {"b": 1}},
            "z": [{"401": {"a": 1}, "507": {"b": 2}}]})

    def test_the_document_stays(self):
        document = {"a": {"b": [1]}}
        overlaid(document, {"target": "$.a.b", "update": 2}, {"target": "$.a", "remove": True})
        self.assertEqual(document, {"a": {"b": [1]}})


class Pruning(unittest.TestCase):
    def test_openapi(self):
        document = {
            "openapi": "3.1.0", "security": [{"key": []}], "tags": [{"name": "A"}, {"name": "B"}],
            "paths": {"/": {"parameters": [], "get": {"operationId": "a", "tags": ["A"], "responses": {
                "200": {"$ref": "#/components/responses/R"},
                "201": {"links": {"b": {"operationId": "b"}}},
                "202": {"links": {"a": {"operationId": "a"}, "b": {"operationId": "b"}}}}}}},
            "components": {
                "responses": {"R": {"schema": {"$ref": "#/components/schemas/S"}}, "Q": {}},
                "schemas": {"S": {"mapping": {"t": "#/components/schemas/T"}}, "T": {}, "U": {}},
                "securitySchemes": {"key": {}, "token": {}}, "examples": {"E": {}}}}
        pruning.prune(document)
        self.assertEqual(document["tags"], [{"name": "A"}])
        responses = document["paths"]["/"]["get"]["responses"]
        self.assertEqual((responses["201"], responses["202"]), ({}, {"links": {"a": {"operationId": "a"}}}))
        names = {section: sorted(members) for section, members in document["components"].items()}
        self.assertEqual(names, {"responses": ["R"], "schemas": ["S", "T"], "securitySchemes": ["key"]})

    def test_asyncapi(self):
        document = {
            "asyncapi": "3.0.0",
            "channels": {"c": {"messages": {name: {"$ref": f"#/components/messages/{name}"} for name in "ab"}}},
            "operations": {"o": {"messages": [{"$ref": "#/channels/c/messages/a"}]}},
            "components": {"messages": {"a": {}, "b": {}}}}
        pruning.prune(document)
        self.assertEqual(list(document["channels"]["c"]["messages"]), ["a"])
        self.assertEqual(list(document["components"]["messages"]), ["a"])


class Pages(unittest.TestCase):
    def test_everything_is_escaped(self):
        evil = "<script>\"'&`<b>`"
        for text in [html_text.inline(evil), html_text.prose(evil), html_text.prose(f"- {evil}"),
                     html_text.example({"a": evil}, evil), html_text.table([evil], ""),
                     html_text.member_table([schemas.Row(0, evil, True, evil, evil), schemas.Row(0, None, True, evil, evil)])]:
            with self.subTest(text=text):
                self.assertNotIn("<script", text)
                self.assertNotIn("<b><", text.replace("<b>&", ""))
        operation = {"operationId": evil, "tags": [], "summary": "", "responses": {}}
        for text in [html_text.table([evil], ""), page.operation_section("get", "/", operation, [], {}, {})]:
            self.assertIn('="&lt;script&gt;&quot;&#x27;&amp;`&lt;b&gt;`"', text)

    def test_origins_are_notes(self):
        document = {"tags": [{"name": name, "description": ""} for name in ("A", *origins.ORIGINS)], "paths": {
            "/a": {"parameters": [], "get": {"operationId": "a", "tags": ["A"], "summary": "", "responses": {}}}}}
        section = page.tag_section(page.sections(document)[0], {}, document)
        self.assertNotIn("From", section)
        for origin in origins.ORIGINS:
            origins.mark(document, origin)
        self.assertEqual([tag["name"] for tag in page.sections(document)], ["A"])
        self.assertEqual(
            page.tag_section(page.sections(document)[0], {}, document).replace(
                '<p class="note">From the guides · From the apps</p>\n', ""), section)

    def test_answers_that_several_operations_share_are_described_once(self):
        def operation(name, **responses):
            return {"get": {"operationId": name, "tags": ["A"], "summary": "", "responses": responses}}

        def reference(name):
            return {"$ref": f"#/components/responses/{name}"}

        def response(name):
            return {"description": f"The {name}.", "headers": {name: {}}}

        def document(other):
            return {"tags": [{"name": "A", "description": ""}], "components": {"responses": {
                name: response(name) for name in ("Often", "Once")}}, "paths": {
                    "/a": operation("a", **{"204": {"description": "Empty."}, "401": reference("Often")}),
                    "/b": operation("b", **{other: reference("Often"), "400": reference("Once")})}}

        def sections(document):
            shared = page.shared_answers(document)
            return (page.tag_section(document["tags"][0], shared, document).split("<section")[1:],
                    page.shared_section(shared, document))

        often, once = ("<details><summary><b>{}</b> The {}.</summary>\n"
                       '<p class="note">Header fields: <code>{}</code></p></details>'.format(status, name, name)
                       for status, name in [("401", "Often"), ("400", "Once")])
        (first, second), shared = sections(document("401"))
        link = '<p class="answer"><a href="#401-Often"><b>401</b></a> The Often.</p>'
        for section in (first, second):
            self.assertIn(link, section)
            self.assertNotIn("<code>Often", section)
        self.assertIn('<p class="answer"><b>204</b> Empty.</p>', first)
        self.assertIn(once, second)
        self.assertEqual(re.findall(r'id="(.*?)"', shared), ["answers", "401-Often"])
        self.assertIn("<p>The Often.</p>\n<p class=\"note\">Header fields: <code>Often</code></p></section>", shared)
        # With another status it is another answer.
        (first, _), shared = sections(document("403"))
        self.assertIn(often, first)
        self.assertEqual(re.findall(r'id="(.*?)"', shared), ["answers"])

    def test_anchors_are_unique_and_links_lead_to_them(self):
        pages = sorted((Path(page.__file__).parents[1] / "guides").glob("*/docs.html"))
        self.assertEqual(len(pages), 6)
        for path in pages:
            with self.subTest(path=path.parent.name):
                text = path.read_text(encoding="utf-8")
                anchors = re.findall(r' id="(.*?)"', text)
                self.assertEqual(len(anchors), len(set(anchors)))
                self.assertEqual(set(re.findall(r' href="#(.*?)"', text)) - set(anchors), set())

    def test_what_adds_to_a_guides_operation_is_from_the_apps(self):
        def document(schema, refusal="", parameters=()):
            return {"paths": {"/a": {"get": {"tags": [origins.GUIDES], "parameters": list(parameters), "responses": {
                "200": {"content": {"$ref": "#/components/schemas/A"}}, "400": {"description": refusal}}}}},
                "components": {"schemas": {"A": {"properties": {"child": {"$ref": "#/components/schemas/A"}, **schema}}}}}

        base = {"title": {"type": "string", "description": "Old."}}
        for changed, expected in [
            (document(base, "Worse."), False), (document({"title": {"type": "string", "description": "New."}}), False),
            (document({**base, "description": {"type": "string"}}), True), (document({"title": {"type": "integer"}}), True),
            (document(base, parameters=[{"name": "offset"}]), True),
        ]:
            with self.subTest(changed=changed):
                origins.mark_changed(changed, document(base))
                self.assertEqual(origins.APPS in changed["paths"]["/a"]["get"]["tags"], expected)

    def test_sockets_share_messages_but_no_anchors(self):
        def operation(action, key, *names):
            return {"action": action, "channel": {"$ref": f"#/channels/{key}"}, "title": f"{action} {key}",
                    "description": "", "messages": [{"$ref": f"#/channels/{key}/messages/{name}"} for name in names]}

        def channel(*names):
            return {"address": "/", "title": f"All <{names[0]}>", "description": "",
                    "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names}}

        document = {
            "info": {"description": "Both."}, "channels": {"c": channel("ask", "hear"), "m": channel("hear")},
            "operations": {"1": operation("receive", "c", "ask"), "2": operation("send", "c", "hear"),
                           "3": operation("send", "m", "hear")},
            "components": {"messages": {name: {"name": name, "summary": "", "payload": {}, "examples": []}
                                        for name in ("ask", "hear")}}}
        text = "\n".join(page.socket_section(*each, document) for each in page.channels(document))
        self.assertEqual(re.findall(r'id="(.*?)"', text), [
            "socket", "frame-ask", "frame-hear", "socket-m", "frame-m-hear"])
        self.assertEqual(re.findall(r"<h3>(.*?)</h3>", text), ["receive c", "send c", "send m"])
        self.assertEqual(re.findall(r"<h2.*?>(.*?)</h2>", text), [
            "WebSocket: All &lt;ask&gt;", "WebSocket: All &lt;hear&gt;"])
        self.assertEqual(text.count("Both."), 1)

    def test_type_texts(self):
        root = {"S": {"type": "string", "enum": ["a", "b"]}}
        for schema, expected in [
            ({"$ref": "#/S"}, '"a" or "b"'), ({"const": True}, "true"), ({"const": "x"}, '"x"'),
            ({"type": ["string", "null"], "maxLength": 3}, "string, at most 3 characters or null"),
            ({"type": "string", "minLength": 1}, "string"), ({"type": "string", "format": "date"}, "string (date)"),
            ({"type": "integer", "minimum": 1, "maximum": 2**63 - 1}, "integer, at least 1"),
            ({"type": "number", "minimum": 0, "maximum": 1}, "number, 0 to 1"), ({"type": "integer", "minimum": 0}, "integer"),
            ({"type": "number", "exclusiveMinimum": 0, "maximum": 9}, "number, above 0, at most 9"),
            ({"type": "number", "exclusiveMinimum": 0}, "number, above 0"),
            ({"oneOf": [{"$ref": "#/S"}, {"type": "null"}]}, '"a" or "b" or null'),
            ({"enum": ["general", None]}, '"general" or null'), ({"type": "array", "items": {"type": "object"}}, "array of objects"),
        ]:
            with self.subTest(schema=schema):
                self.assertEqual(schemas.type_text(schema, root), expected)


class Checks(unittest.TestCase):
    """Breaks the descriptions in memory. `DescriptionTests` checks that the unbroken ones have no problems."""

    # A guide suffices for most, because one check of union takes seconds.
    def problems(self, kind, *changes, mode="goal-linking"):
        description = kind(mode)
        for change in changes:
            change(description.document)
        description.check()
        return description.problems

    def test_openapi(self):
        # After each of these, the rest is not checked.
        for change, expected in [
            (lambda d: d["components"]["schemas"].pop("Time"), "nothing is at"),
            (lambda d: d["components"]["schemas"]["Time"].update(type="time"), "is not valid under any"),
            (lambda d: d["paths"]["/health"]["get"].update(operationId="getReadiness"), "is not unique"),
            (lambda d: d.pop("info"), '"info" is a required property'),
        ]:
            with self.subTest(expected=expected):
                self.assertIn(expected, "\n".join(self.problems(check.OpenAPI_, change)))

    def test_operations(self):
        def operation(document, label):
            method, path = label.split()
            return document["paths"][path][method.lower()]

        # Each in another operation, so that one check finds them all.
        changes = [
            ("GET /api/v1/goals", lambda o: o["responses"].update({"418": {"description": "Tea"}}), "418"),
            ("GET /health", lambda o: o.pop("security"), "go together"),
            ("GET /ready", lambda o: o["responses"].update({"401": {"description": ""}}), "go together"),
            ("GET /openapi.yaml", lambda o: o.update(tags=["Server"]), "union alone says"),
            ("GET /asyncapi.yaml", lambda o: o["tags"].append("Goals"), "one tag that is a section"),
            ("GET /docs", lambda o: o["tags"].append(o["tags"][-1]), "none twice"),
            ("GET /api/v1/consultations", lambda o: o.update(tags=["New", "From the apps"]), None),
            ("POST /api/v1/goals", lambda o: o["responses"]["201"]["links"]["goal"].update(operationId="get"),
             "links to get"),
        ]
        def examples(document):
            values = {name: example.get("value") for name, example in document["components"]["examples"].items()}
            values["GoalAnswer"].update(more=1, createdAt="2025-01-30")
            values["ConsultationAnswer"]["data"].pop("status")

        problems = self.problems(check.OpenAPI_, examples, *(
            lambda document, label=label, change=change: change(operation(document, label))
            for label, change, _ in changes), mode="union")
        for label, _, expected in changes:
            with self.subTest(label=label):
                found = [problem for problem in problems if f": {label}: " in problem]
                self.assertEqual(len(found), 1 if expected else 0, found)
                self.assertIn(expected or "", "".join(found))
        for expected in ["Unevaluated properties", "does not match", "'status' is a required", "the operations have"]:
            self.assertIn(expected, "\n".join(problems))

    def test_what_may_be(self):
        def change(document):
            responses = document["paths"]["/health"]["get"]["responses"]
            responses["204"] = responses["413"] = {"description": "Nothing."}
            archive = document["paths"]["/api/v1/consultations/{id}/archive"]["post"]
            # Credentials in the body.
            archive["security"] = []
            del archive["responses"]["401"]
            document["paths"]["/health"]["get"]["tags"].append("From the apps")

        self.assertEqual(self.problems(check.OpenAPI_, change, mode="union"), [])
        guide = check.OpenAPI_("goal-linking")
        guide.document["tags"].append({"name": "From the guides"})
        guide.document["paths"]["/health"]["get"]["tags"].append("From the guides")
        guide.check()
        self.assertIn("union alone says", "\n".join(guide.problems))

    def test_asyncapi(self):
        for change, expected in [
            (lambda d: d["components"]["messages"]["pong"]["examples"][0]["payload"].update(x=1), "Additional properties"),
            (lambda d: d["components"]["messages"]["pong"].update(name="ping"), "not its frame's type"),
            (lambda d: d["components"]["messages"]["pong"].update(examples=[]), "has no example"),
            (lambda d: d["operations"]["sendFrames"]["messages"].pop(), "are not those of the operations"),
            (lambda d: d["channels"].update(other={**d["channels"]["consultation"], "address": "/other"}), "channels/other"),
            (lambda d: d["components"]["messages"].update(more=d["components"]["messages"]["pong"]), "components/messages"),
            (lambda d: d["operations"]["sendFrames"].update(action="emit"), "'emit' is not one of"),
            (lambda d: d["components"]["messages"]["stream_chunk"].update(name="pong"), "have the same type"),
            (lambda d: d.update(asyncapi="2.6.0"), "'3.0.0' was expected"),
            (lambda d: d["components"]["schemas"].pop("Question"), "nothing is at"),
            (lambda d: d["components"]["schemas"]["Time"].update(type="time"), "is not valid under any"),
            (lambda d: d["channels"]["consultation"].update(subscribe={}), "'subscribe' was unexpected"),
            (lambda d: d["servers"]["local"].pop("host"), "'host' is a required property"),
            (lambda d: d["components"]["messages"]["pong"].update(schema={}), "'schema' was unexpected"),
        ]:
            with self.subTest(expected=expected):
                self.assertIn(expected, "\n".join(self.problems(check.AsyncAPI_, change)))

    def test_admin(self):
        description = check.AdminAPI()
        document, paths = description.document, description.document["paths"]
        document["components"]["examples"]["World"]["value"].pop("token")
        body = paths["/worlds"]["post"]["requestBody"]["content"]["application/json"]
        body["examples"]["nothing"].update(value={"sed": 1})
        paths["/state"]["put"]["responses"].pop("401")
        paths["/reset"]["post"].pop("summary")
        description.check()
        for expected in ["'token' is a required", "'sed' was unexpected", "go together", "has no summary"]:
            with self.subTest(expected=expected):
                self.assertIn(expected, "\n".join(description.problems))

    def test_common_schemas(self):
        openapi, asyncapi = check.OpenAPI_("union"), check.AsyncAPI_("union")
        asyncapi.document["components"]["schemas"]["Time"]["pattern"] = "."
        check.check_common_schemas(openapi, asyncapi)
        self.assertEqual(len(asyncapi.problems), 1)


if __name__ == "__main__":
    unittest.main()
