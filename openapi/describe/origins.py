"""Tags that say where an operation of union comes from. They are notes, not sections of the page."""

GUIDES, APPS = "From the guides", "From the apps"
ORIGINS = (GUIDES, APPS)
METHODS = ("get", "post", "put", "patch", "delete")


def mark(document, origin):
    """Gives a tag to each operation."""
    for item in document["paths"].values():
        for method in METHODS:
            if method in item:
                item[method]["tags"].append(origin)


def of(operation):
    """The origins of an operation; none in the description of a guide."""
    return [origin for origin in ORIGINS if origin in operation["tags"]]
