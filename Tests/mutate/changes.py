"""Finds tokens that can be changed, and writes them so that one build has all changes and the environment activates
one."""

import dataclasses
import re

GENERATED = "Mutations.swift"

OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&", "true": "false", "false": "true"}
TOKENS = re.compile(
    r"(?<=\s)(?:<=?|>=?|&&|\|\|)(?=\s)|(?<![\w.`])(?:true|false)(?![\w`:])|(?:(?<=\s[+-] )|(?<=[+-]= ))\d+(?![\w.])")
# Operators in declarations of operators and in compiler conditions are not expressions. The pattern of a case may be
# one, but with another value the cases are no longer exhaustive, and the compiler reports it elsewhere.
OTHERWISE = re.compile(
    r"\b(?:func|operator) *\S+|^ *#\w.*|^ *case .*:$|^ *case (?:[^:()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*?(?=:| where )",
    re.MULTILINE)


@dataclasses.dataclass
class Change:
    file: str
    start: int
    line: int
    before: str
    after: str
    text: str
    place: int
    number: int = 0

    @property
    def module(self):
        return self.file.split("/")[2]

    def __str__(self):
        return f"{self.file}:{self.line}: {self.before} to {self.after}"

    @property
    def equivalence(self):
        """Its name in the list of equivalent changes: line numbers would not survive edits elsewhere."""
        return (self.file, f"{self.before} to {self.after}" + (f" ({self.place})" if self.place else ""), self.text)

    @property
    def key(self):
        return "\t".join(self.equivalence)


def of(name, text):
    code = OTHERWISE.sub(lambda match: " " * len(match[0]), without_words(text))
    lines = text.split("\n")
    seen = {}
    for match in TOKENS.finditer(code):
        before = match[0]
        after = OTHER.get(before) or str(int(before) + 1)
        line = text.count("\n", 0, match.start())
        words = " ".join(lines[line].split())
        place = seen[before, words] = seen.get((before, words), -1) + 1
        yield Change(name, match.start(), line + 1, before, after, words, place)


def without_words(text):
    """Replaces comments and strings by spaces, so that positions stay the same."""
    out, place = list(text), 0
    while place < len(text):
        end = skipped(text, place)
        for at in range(place, end):
            if out[at] != "\n":
                out[at] = " "
        place = max(end, place + 1)
    return "".join(out)


def skipped(text, place):
    """The end of the comment or string that begins here, if any."""
    if text.startswith("//", place):
        return (text.find("\n", place) + 1 or len(text) + 1) - 1
    if text.startswith("/*", place):
        return text.find("*/", place) + 2
    opening = re.compile(r'(#*)("""|")').match(text, place)
    if not opening:
        return place
    hashes, quotes = opening.groups()
    at = opening.end()
    while not text.startswith(quotes + hashes, at):
        if text.startswith("\\" + hashes + "(", at):
            depth, at = 1, at + len(hashes) + 2
            while depth:
                inner = skipped(text, at)
                if inner == at:
                    depth += {"(": 1, ")": -1}.get(text[at], 0)
                    inner += 1
                at = inner
        else:
            at += 1 + (text.startswith("\\" + hashes, at) and len(hashes) + 1)
    return at + len(quotes + hashes)


def applied(text, changes):
    for change in sorted(changes, key=lambda change: -change.start):
        if change.before in OTHER and not change.before.isalpha():
            changed = operator(change)
        else:
            changed = f"(mutated_{change.module.replace('-', '_')}({change.number}) ? {change.after} : {change.before})"
        text = text[: change.start] + changed + text[change.start + len(change.before):]
    return text


def operator(change):
    """The operator with its number as two variation selectors: parts of an operator's name that readers do not see."""
    return change.before + chr(0xE0100 + change.number // 200) + chr(0xE0100 + change.number % 200)


def generated(module, changes):
    name = "mutated_" + module.replace("-", "_")
    parts = [f"""\
#if canImport(Glibc)
    import func Glibc.getenv
#else
    import func Darwin.getenv
#endif

private let awake = getenv("MUTATION").flatMap {{ Int(String(cString: $0)) }} ?? 0
public func {name}(_ number: Int) -> Bool {{ number == awake }}
"""]
    for change in changes:
        if change.before in ["&&", "||"]:
            group = "LogicalConjunctionPrecedence" if change.before == "&&" else "LogicalDisjunctionPrecedence"
            parts.append(f"""\
infix operator {operator(change)}: {group}
func {operator(change)} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool {{
    try {name}({change.number}) ? (a {change.after} b()) : (a {change.before} b())
}}
""")
        elif change.before in OTHER and not change.before.isalpha():
            parts.append(f"""\
infix operator {operator(change)}: ComparisonPrecedence
func {operator(change)} <T: Comparable>(a: T, b: T) -> Bool {{
    {name}({change.number}) ? a {change.after} b : a {change.before} b
}}
""")
    return "".join(parts)
