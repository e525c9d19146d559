"""Tests the models of the apps: what they read, and what makes them throw."""

import re

from app_models import INSIGHT, MODELS, MOOD, PROGRESS, decoded
from facts import UNKNOWN_ID, expect, step

TEXTS = ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678Z", "2026-01-02", "a.b.c", UNKNOWN_ID)
VALUES = {str: "text", int: 3, float: 0.5, bool: True}


def sample(shape):
    """An answer that a model reads, with every member."""
    if isinstance(shape, dict):
        return {name.rstrip("?"): sample(kind) for name, kind in shape.items()}
    if isinstance(shape, list):
        return [sample(each) for each in shape]
    if isinstance(shape, re.Pattern):
        return next(text for text in TEXTS if shape.fullmatch(text))
    return min(shape) if isinstance(shape, (set, frozenset)) else VALUES[shape]


def changed(value, shape):
    """A value with one changed member; also whether the model throws, and the member's name."""
    if isinstance(shape, list):
        for each, throws, name in changed(value[0], shape[0]) if shape else ():
            yield [each], throws, f"[].{name}"
    if not isinstance(shape, dict):
        return
    for name, kind in shape.items():
        key, optional = name.rstrip("?"), name.endswith("?")
        yield {each: value[each] for each in value if each != key}, not optional, f"{key} absent"
        yield {**value, key: None}, not optional, f"{key} null"
        yield {**value, key: "{}" if isinstance(kind, dict) else {}}, True, f"{key} of another type"
        for inner, throws, path in changed(value[key], kind):
            yield {**value, key: inner}, throws, f"{key}.{path}"


def throws(content, shape):
    try:
        decoded({"success": True, "data": content}, shape, "an answer")
    except AssertionError:
        return True
    return False


async def app_decoding(_):
    for name, shape in MODELS.items():
        step(f"{name}: reads an answer with and without its optional members, and throws for each other change")
        whole = sample(shape)
        expect(not throws(whole, shape), f"{name} to read", whole)
        for content, wanted, what in changed(whole, shape):
            expect(throws(content, shape) == wanted, f"{name} to {'throw' if wanted else 'read'}: {what}", content)
    step("times and numbers are read strictly")
    for shape, member, value in (
            (MOOD, "logged_at", "2026-01-02T03:04:05.678Z"), (MOOD, "logged_at", "2026-01-02T03:04:05+00:00"),
            (INSIGHT, "created_at", "2026-01-02T03:04:05Z"), (INSIGHT, "insight_type", "wellness"),
            (PROGRESS, "type", "weight_kg"), (PROGRESS, "quantity", "64.5"), (MOOD, "is_healthkit", 0)):
        expect(throws({**sample(shape), member: value}, shape), f"{member} {value!r} to throw", shape)
