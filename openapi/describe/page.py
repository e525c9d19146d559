"""The page at /docs: both descriptions of a mode as one self-contained HTML file."""

from collections import Counter
from pathlib import Path

import origins
import pruning
from html_text import attribute, escape, example, inline, member_table, prose, table
from schemas import follow, resolve, rows, type_text

STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
SHARED = "Answers that several endpoints share"


def page(openapi, asyncapi):
    info, shared = openapi["info"], shared_answers(openapi)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(info["title"])}</title>
<style>
{STYLE}</style>
</head>
<body>
<header>
<h1>{escape(info["title"])}</h1>
<p class="summary">{inline(info["summary"])}</p>
<p>For programs: <a href="/openapi.yaml">/openapi.yaml</a> (OpenAPI 3.1), <a href="/asyncapi.yaml">/asyncapi.yaml</a>
(AsyncAPI 3.0), <a href="/__admin/openapi.yaml">/__admin/openapi.yaml</a> (the admin API).</p>
<p>Where the guides contradict each other: <a href="/docs/deviations">/docs/deviations</a>.</p>
</header>
<main>
{contents(openapi, asyncapi)}
<h2 id="rules">Rules of the whole API</h2>
{prose(info["description"])}
{credentials(openapi)}
{"".join(tag_section(tag, shared, openapi) for tag in sections(openapi))}
{shared_section(shared, openapi)}
{chr(10).join(socket_section(*each, asyncapi) for each in channels(asyncapi))}
</main>
<footer>Made from <a href="/openapi.yaml">/openapi.yaml</a> and <a href="/asyncapi.yaml">/asyncapi.yaml</a>.</footer>
</body>
</html>
"""


def sections(openapi):
    """The tags that are sections of the page."""
    return [tag for tag in openapi["tags"] if tag["name"] not in origins.ORIGINS]


def operations(openapi, tag):
    """(method, path, operation, the parameters of its path) of each operation with the tag."""
    for path, item in openapi["paths"].items():
        for method in origins.METHODS:
            if tag in item.get(method, {}).get("tags", []):
                yield method, path, item[method], item.get("parameters", [])


def contents(openapi, asyncapi):
    parts = ['<nav aria-label="Contents"><h2 id="contents">Contents</h2>',
             '<p><a href="#rules">Rules</a> · <a href="#credentials">Credentials</a> · '
             f'<a href="#answers">{SHARED}</a></p>']
    for tag in sections(openapi):
        links = "".join(
            f'<li><a href="#{attribute(operation["operationId"])}"><span class="method {method.upper()}">'
            f"{method.upper()}</span> {escape(path)}</a></li>"
            for method, path, operation, _ in operations(openapi, tag["name"]))
        parts.append(f"<h4>{escape(tag['name'])}</h4><ul>{links}</ul>")
    for key, anchor, title in channels(asyncapi):
        parts.append(f'<h4><a href="#{anchor}">{title}</a></h4>')
        for operation in channel_operations(key, asyncapi):
            links = "".join(f'<li><a href="#{frame}">{escape(message["name"])}</a></li>'
                            for frame, message in frames(operation, anchor, asyncapi))
            parts.append(f"<p>{inline(operation['title'])}</p><ul>{links}</ul>")
    parts.append("</nav>")
    return "\n".join(parts)


def credentials(openapi):
    items = "".join(
        f"<li><b>{escape(scheme_name(scheme))}</b>: {inline(scheme['description'])}</li>"
        for scheme in openapi["components"]["securitySchemes"].values())
    return (f'<h2 id="credentials">Credentials</h2><p>Unless an operation says otherwise: '
            f"{escape(security_text(openapi['security'], openapi))}.</p><ul>{items}</ul>")


def scheme_name(scheme):
    if scheme["type"] == "http":
        return "bearer token"
    return f"{scheme['name']} in the {scheme['in']}"


def security_text(requirements, openapi):
    """Which credentials do: the alternatives, and what each takes."""
    if not requirements:
        return "none"
    schemes = openapi["components"]["securitySchemes"]
    return ", or ".join(" and ".join(scheme_name(schemes[name]) for name in requirement) for requirement in requirements)


def tag_section(tag, shared, openapi):
    parts = [f'<h2>{escape(tag["name"])}</h2>', prose(tag["description"])]
    parts += [operation_section(*each, shared, openapi) for each in operations(openapi, tag["name"])]
    return "\n".join(parts)


def operation_section(method, path, operation, shared_parameters, shared, openapi):
    identifier = attribute(operation["operationId"])
    parts = [
        f'<section aria-labelledby="{identifier}">',
        f'<h3 id="{identifier}"><span class="method {method.upper()}">{method.upper()}</span> '
        f"<code>{escape(path)}</code></h3>",
        f"<p><b>{inline(operation['summary'])}</b></p>", prose(operation.get("description", ""))]
    if origins.of(operation):
        parts.append(f'<p class="note">{" · ".join(map(escape, origins.of(operation)))}</p>')
    if "security" in operation:
        parts.append(f"<p>Credentials: {escape(security_text(operation['security'], openapi))}.</p>")
    parts.append(parameter_table(shared_parameters + operation.get("parameters", []), openapi))
    if "requestBody" in operation:
        parts += ["<h4>Body</h4>", content(operation["requestBody"]["content"], openapi)]
    parts.append("<h4>Answers</h4>")
    parts += [answer(status, response, shared, openapi) for status, response in operation["responses"].items()]
    parts.append("</section>\n")
    return "\n".join(part for part in parts if part)


def parameter_table(parameters, openapi):
    lines = []
    for parameter in (follow(parameter, openapi) for parameter in parameters):
        schema = resolve(parameter["schema"], openapi)
        optional = "" if parameter.get("required") else " <small>optional</small>"
        default = f" Where absent: {schema['default']}." if "default" in schema else ""
        lines.append(
            f'<tr><th scope="row"><code>{escape(parameter["name"])}</code>{optional}<td>{escape(parameter["in"])}'
            f"<td>{escape(type_text(schema, openapi))}<td>{inline(parameter['description'] + default)}")
    return "<h4>Parameters</h4>" + table(["Name", "In", "Values", "Meaning"], "\n".join(lines)) if lines else ""


def shared_answers(openapi):
    """The answers that several operations refer to, by anchor and in the order of their statuses."""
    answers = [(answer_anchor(status, response), response) for operation in pruning.operations(openapi)
               for status, response in operation["responses"].items() if "$ref" in response]
    uses = Counter(anchor for anchor, _ in answers)
    return {anchor: response for anchor, response in sorted(answers, key=lambda each: each[0]) if uses[anchor] > 1}


def answer_anchor(status, response):
    return f"{status}-{response.get('$ref', '').split('/')[-1]}"


def shared_section(shared, openapi):
    parts = [f'<h2 id="answers">{SHARED}</h2>',
             "<p>Where an endpoint lists one of these, its status links to the details here.</p>"]
    for anchor, response in shared.items():
        response, identifier, title = follow(response, openapi), attribute(anchor), escape(anchor.replace("-", " ", 1))
        parts += [f'<section aria-labelledby="{identifier}">', f'<h3 id="{identifier}">{title}</h3>',
                  prose(response["description"]), f"{answer_details(response, openapi)}</section>\n"]
    return "\n".join(parts)


def answer(status, response, shared, openapi):
    anchor, response = answer_anchor(status, response), follow(response, openapi)
    head, text = f"<b>{escape(status)}</b>", inline(response["description"])
    if anchor in shared:
        return f'<p class="answer"><a href="#{attribute(anchor)}">{head}</a> {text}</p>'
    details = answer_details(response, openapi)
    if not details:
        return f'<p class="answer">{head} {text}</p>'
    # What went well is open, refusals open on demand.
    state = " open" if status.startswith("2") else ""
    return f"<details{state}><summary>{head} {text}</summary>\n{details}</details>"


def answer_details(response, openapi):
    """What an answer consists of: its header fields, the operations that its id leads to, and its body."""
    fields = ", ".join(f"<code>{escape(name)}</code>" for name in response.get("headers", {}))
    note = f'<p class="note">Header fields: {fields}</p>' if fields else ""
    body = content(response["content"], openapi) if "content" in response else ""
    following = ", ".join(f'<a href="#{attribute(link["operationId"])}">{escape(name)}</a>'
                          for name, link in response.get("links", {}).items())
    note += f'<p class="note">What its id leads to: {following}.</p>' if following else ""
    return note + body


def content(media_types, openapi):
    parts = []
    for media_type, media in media_types.items():
        if media_type != "application/json":
            parts.append(f'<p class="note"><code>{escape(media_type)}</code></p>')
        codes = error_codes(media.get("schema", {}), openapi)
        if codes:
            parts.append(f'<p class="note">Code: {" or ".join(f"<code>{escape(code)}</code>" for code in codes)}</p>')
        elif "schema" in media:
            schema = resolve(media["schema"], openapi)
            if "description" in schema:
                parts.append(prose(schema["description"]))
            parts.append(member_table(rows(schema, openapi)))
        parts += examples(media, openapi)
    return "\n".join(part for part in parts if part)


def examples(media, openapi):
    if "example" in media:
        yield example(media["example"])
    for each in (follow(each, openapi) for each in media.get("examples", {}).values()):
        yield example(each["value"], each.get("summary"))


def error_codes(schema, openapi):
    """The codes of a refusal; none where the schema is no refusal's."""
    error = resolve(schema, openapi).get("properties", {}).get("error", {})
    code = error.get("properties", {}).get("code", {})
    return [code["const"]] if "const" in code else code.get("enum", [])


def channels(asyncapi):
    """(key, anchor, title) of each socket; the first anchor is the short one."""
    for index, (key, channel) in enumerate(asyncapi["channels"].items()):
        title = f": {channel['title']}" if len(asyncapi["channels"]) > 1 else ""
        yield key, f"socket-{attribute(key)}" if index else "socket", escape(f"WebSocket{title}")


def channel_operations(key, asyncapi):
    return [operation for operation in asyncapi["operations"].values()
            if operation["channel"]["$ref"] == f"#/channels/{key}"]


def frames(operation, anchor, asyncapi):
    """(anchor, message) of each frame of an operation. Sockets may share a message, but not an anchor."""
    prefix = anchor.replace("socket", "frame", 1)
    for reference in operation["messages"]:
        key = reference["$ref"].split("/")[-1]
        yield f"{prefix}-{attribute(key.replace('.', '-'))}", follow(reference, asyncapi)


def socket_section(key, anchor, title, asyncapi):
    channel = asyncapi["channels"][key]
    parts = [f'<h2 id="{anchor}">{title}</h2>', f"<p><code>{escape(channel['address'])}</code></p>",
             prose(channel["description"])]
    if anchor == "socket":
        parts.append(prose(asyncapi["info"]["description"]))
    for operation in channel_operations(key, asyncapi):
        parts += [f"<h3>{inline(operation['title'])}</h3>", prose(operation["description"])]
        parts += [frame_section(frame, message, asyncapi) for frame, message in frames(operation, anchor, asyncapi)]
    return "\n".join(parts)


def frame_section(anchor, message, asyncapi):
    parts = [f'<section aria-labelledby="{anchor}"><h4 id="{anchor}"><code>{escape(message["name"])}</code></h4>',
             prose(message["summary"]), member_table(rows(message["payload"], asyncapi))]
    parts += [example(each["payload"]) for each in message["examples"]]
    return "\n".join(parts) + "</section>\n"
