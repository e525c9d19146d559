"""Tags that say where an operation of union comes from. They are notes, not sections of the page."""

GUIDES, APPS = "From the guides", "From the apps"
ORIGINS = (GUIDES, APPS)
# Texts about a part, if a property does not have this name; and what is no part of what is sent.
TEXTS = ("description", "summary", "title")
ASIDES = ("example", "examples", "links")
METHODS = ("get", "post", "put", "patch", "delete")


def mark(document, origin):
    """Gives a tag to each operation."""
    for item in document["paths"].values():
        for method in METHODS:
            if method in item:
                item[method]["tags"].append(origin)


def mark_changed(document, base):
    """Gives the apps' tag to the operations of the guides that take or answer more than in the base document."""
    for path, item in base["paths"].items():
        for method in METHODS:
            if method in item and APPS not in document["paths"][path][method]["tags"]:
                if _substance(base, path, method) != _substance(document, path, method):
                    document["paths"][path][method]["tags"].append(APPS)


def _substance(document, path, method):
    """What a successful call of an operation sends and gets; refusals are alike in all operations."""
    operation = document["paths"][path][method]
    succeeding = {status: answer for status, answer in operation["responses"].items() if status < "400"}
    said = [document["paths"][path].get("parameters"), operation.get("parameters"), operation.get("requestBody")]
    return _resolved([*said, succeeding], document, ())


def _resolved(node, document, above):
    """A part of a document with what it refers to in its place, without words about it."""
    if isinstance(node, list):
        return [_resolved(item, document, above) for item in node]
    if not isinstance(node, dict):
        return node
    parts = {key: _resolved(value, document, above) for key, value in node.items()
             if key not in ASIDES and not (key in TEXTS and isinstance(value, str))}
    name = node.get("$ref")
    if name is None or name in above:
        return parts
    target = document
    for key in name.removeprefix("#/").split("/"):
        target = target[key]
    return [parts, _resolved(target, document, (*above, name))]


def of(operation):
    """The origins of an operation; none in the description of a guide."""
    return [origin for origin in ORIGINS if origin in operation["tags"]]
