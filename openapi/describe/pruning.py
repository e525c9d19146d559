"""Takes out of a description what nothing in it names any more."""

COMPONENTS = "#/components/"


def references(node):
    """All texts below a node that name a component, `$ref` or not: a discriminator's mapping does too."""
    if isinstance(node, dict):
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)
    elif isinstance(node, str) and node.startswith(COMPONENTS):
        yield tuple(node[len(COMPONENTS):].split("/")[:2])


def used_components(document):
    """The (section, name) of each component that the document needs, directly or through others."""
    components = document["components"]
    rest = {key: value for key, value in document.items() if key != "components"}
    waiting, used = list(references(rest)), set()
    for requirement in security_requirements(document):
        waiting += [("securitySchemes", name) for name in requirement]
    while waiting:
        section, name = waiting.pop()
        if (section, name) in used:
            continue
        used.add((section, name))
        waiting += references(components.get(section, {}).get(name))
    return used


def security_requirements(document):
    """OpenAPI names security schemes without a reference."""
    if "openapi" in document:
        yield from document.get("security", [])
        for operation in operations(document):
            yield from operation.get("security", [])


def prune_components(document):
    used = used_components(document)
    for section, members in document["components"].items():
        for name in [name for name in members if (section, name) not in used]:
            del members[name]
    document["components"] = {section: members for section, members in document["components"].items() if members}


def prune_tags(document):
    """OpenAPI's list of tags keeps those that an operation has."""
    used = {tag for operation in operations(document) for tag in operation["tags"]}
    document["tags"] = [tag for tag in document["tags"] if tag["name"] in used]


def operations(document):
    """OpenAPI's operations."""
    for path in document["paths"].values():
        for member in path.values():
            if isinstance(member, dict):
                yield member


def prune_links(document):
    """OpenAPI's links lead to operations that there are."""
    known = {operation["operationId"] for operation in operations(document)}
    for operation in operations(document):
        for response in operation["responses"].values():
            links = response.pop("links", {})
            links = {name: link for name, link in links.items() if link["operationId"] in known}
            if links:
                response["links"] = links


def prune_messages(document):
    """AsyncAPI's channels keep the messages that an operation sends or receives."""
    used = {message["$ref"] for operation in document["operations"].values() for message in operation["messages"]}
    for channel, members in document["channels"].items():
        prefix = f"#/channels/{channel}/messages/"
        members["messages"] = {name: message for name, message in members["messages"].items() if prefix + name in used}


def prune(document):
    """Removes in place what is unused."""
    if "openapi" in document:
        prune_tags(document)
        prune_links(document)
    else:
        prune_messages(document)
    prune_components(document)
