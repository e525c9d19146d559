"""OpenAPI Overlay 1.1 (https://spec.openapis.org/overlay/v1.1.0): actions that change parts of a document, copy to them,
or remove them.

Of JSONPath (RFC 9535) only what names one place: `$`, `.name`, `['name']` and `[0]`.
"""

import re

SEGMENT = re.compile(r"\.(?P<name>[A-Za-z_][A-Za-z0-9_-]*)|\['(?P<quoted>[^']+)'\]|\[(?P<index>\d+)\]")


class OverlayError(Exception):
    """An overlay that cannot be applied; the message says where and why."""


def parse_path(path):
    """The keys and indexes that a path names, from the root."""
    if not path.startswith("$"):
        raise OverlayError(f"{path}: a path begins with '$'")
    keys, position = [], 1
    while position < len(path):
        match = SEGMENT.match(path, position)
        if not match:
            raise OverlayError(f"{path}: only .name, ['name'] and [0] are known, not {path[position:]}")
        index = match["index"]
        keys.append(int(index) if index is not None else match["name"] or match["quoted"])
        position = match.end()
    return keys


def unshared(value):
    """A copy in which nothing stands at two places, as it does behind a YAML alias."""
    if isinstance(value, dict):
        return {key: unshared(member) for key, member in value.items()}
    return [unshared(item) for item in value] if isinstance(value, list) else value


def look_up(document, keys, path):
    """The node that the keys lead to."""
    node = document
    for key in keys:
        exists = key < len(node) if isinstance(node, list) and isinstance(key, int) else (
            isinstance(node, dict) and key in node)
        if not exists:
            raise OverlayError(f"{path}: matches nothing, for there is no {key!r}")
        node = node[key]
    return node


def remove(document, keys, path):
    if not keys:
        raise OverlayError(f"{path}: the whole document cannot be removed")
    look_up(document, keys, path)
    del look_up(document, keys[:-1], path)[keys[-1]]


def merge(target, update):
    """Updates an object in place: objects are merged, arrays joined, anything else replaced."""
    for key, value in update.items():
        if isinstance(value, dict) and isinstance(target.get(key), dict):
            merge(target[key], value)
        elif isinstance(value, list) and isinstance(target.get(key), list):
            target[key] += unshared(value)
        else:
            target[key] = unshared(value)


def update(document, keys, path, value):
    node = look_up(document, keys, path)
    if isinstance(node, list):
        node.append(unshared(value))
    elif isinstance(node, dict) and isinstance(value, dict):
        merge(node, value)
    else:
        raise OverlayError(f"{path}: only objects and arrays can be updated")


def apply(document, overlay):
    """A copy of the document with the overlay's actions applied, in their order."""
    if overlay.get("overlay") not in ("1.0.0", "1.1.0"):
        raise OverlayError("this is no Overlay 1.0.0 or 1.1.0")
    result = unshared(document)
    for action in overlay["actions"]:
        unknown = set(action) - {"target", "description", "update", "copy", "remove"}
        if unknown or sum(word in action for word in ("update", "copy", "remove")) != 1:
            raise OverlayError(f"{action.get('target')}: an action has a target and an update, a copy or 'remove: true'")
        path = action["target"]
        keys = parse_path(path)
        if action.get("remove"):
            remove(result, keys, path)
        elif "copy" in action:
            update(result, keys, path, unshared(look_up(result, parse_path(action["copy"]), action["copy"])))
        else:
            update(result, keys, path, action["update"])
    return result
