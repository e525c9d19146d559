"""Hostile JSON: trees with changed, doubled, swapped and nested members, written as bytes that need not be JSON."""

import copy
import json

from mutations import mutated

SCALARS = [
    None, True, False, 0, -1, 1, 0.5, 1e308, -1e308, 2**31, 2**53, 2**63 - 1, 2**63, -2**63, 2**64, 10**30, "", "x", "\0",
    "\ud800", "é", "e\u0301", "\u212a", "1", "-1", "NaN", "2025-01-29T10:30:00Z", "9999-99-99T99:99:99Z", "../../etc/passwd",
    "http://[::1", "x" * 5_000, "\u202e", "%00", [], {}, [[]], [None] * 40, {"": {"": ""}}, {"id": "x"},
]
# Written literally, because no JSON library writes them.
RAW = [
    "NaN", "-", "1e999", "-1e999", "00", "1" * 400, "1." + "0" * 400, "0x10", "'x'", "undefined", '"\\q"', '"\x01"', "[" * 3_000,
    "[" * 127 + "]" * 127, '{"a":' * 200 + "1" + "}" * 200, "1e-400", "-0", '{"a":1,"a":2}',
]
MARK = "raw-value-"


def places(tree):
    """Every container of a tree with each of its keys."""
    found, waiting = [], [tree]
    while waiting:
        one = waiting.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else []
        for key in keys:
            found.append((one, key))
            if isinstance(one[key], (dict, list)):
                waiting.append(one[key])
    return found


def changed(tree, numbers, most=4, is_json=False):
    """The tree after some changes, as text; `is_json` keeps it valid JSON."""
    tree, raw = copy.deepcopy(tree), []
    for _ in range(numbers.randint(1, most)):
        found = places(tree)
        if not found:
            break
        container, key = numbers.choice(found)
        way = numbers.choice([0, 1, 2, 4, 5, 6, 7]) if is_json else numbers.randrange(8)
        if way < 3:
            container[key] = copy.deepcopy(numbers.choice(SCALARS))
        elif way == 3:
            raw.append(numbers.choice(RAW))
            container[key] = f"{MARK}{len(raw) - 1}"
        elif way == 4:
            del container[key]
        elif way == 5:
            other, place = numbers.choice(found)
            with_both = key in container if isinstance(container, dict) else key < len(container)
            if with_both and (place in other if isinstance(other, dict) else place < len(other)):
                container[key], other[place] = copy.deepcopy(other[place]), copy.deepcopy(container[key])
        elif way == 6 and isinstance(container, list):
            container.extend(copy.deepcopy([container[key]] * numbers.choice([1, 2, 20])))
        elif isinstance(container, dict):
            container[numbers.choice(["", "id", "log", "entries", "_fitiq", "time", "\0", "x" * 300])] = container[key]
    text = json.dumps(tree, ensure_ascii=is_json or numbers.random() < 0.5)
    for index, value in enumerate(raw):
        text = text.replace(f'"{MARK}{index}"', value)
    data = text.encode("utf-8", "surrogatepass")
    return doubled_key(data, numbers) if not is_json and numbers.random() < 0.1 else data


def doubled_key(data, numbers):
    """Doubles a member of one object."""
    starts = [place for place in range(len(data)) if data[place:place + 2] == b'{"']
    if not starts:
        return data
    place = numbers.choice(starts) + 1
    end = data.index(b'"', place + 1) + 1
    return data[:place] + data[place:end] + b":" + numbers.choice([b"1", b"null", b"{}", b'"x"']) + b"," + data[place:]


def hostile_file(original, tree, numbers):
    """A file: the original with mutated bytes, or its tree with changed values, or both."""
    way = numbers.randrange(4)
    if way == 0:
        return mutated(original, numbers, most=8)
    data = changed(tree, numbers, most=numbers.choice([1, 1, 2, 6]))
    return mutated(data, numbers, most=2) if way == 1 else data


def hostile_lines(original, numbers):
    """Lines of JSON, some changed, swapped, doubled or cut."""
    lines = original.splitlines()
    for _ in range(numbers.choice([1, 1, 1, 2, 4])):
        place = numbers.randrange(len(lines))
        way = numbers.randrange(6)
        if way < 2:
            try:
                lines[place] = changed(json.loads(lines[place]), numbers, most=2).replace(b"\n", b" ")
            except ValueError:
                lines[place] = mutated(lines[place], numbers)
        elif way == 2:
            lines[place] = mutated(lines[place], numbers)
        elif way == 3:
            lines.insert(numbers.randrange(len(lines)), lines[place])
        elif way == 4 and len(lines) > 1:
            del lines[place]
        else:
            other = numbers.randrange(len(lines))
            lines[place], lines[other] = lines[other], lines[place]
    end = numbers.choice([b"\n"] * 6 + [b"", b"\r\n", b"\n\n"])
    data = b"\n".join(lines) + end
    return data[:numbers.randrange(1, len(data))] if numbers.random() < 0.1 else data
