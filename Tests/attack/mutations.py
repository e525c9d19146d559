"""Changes to bytes that turn a good input into a hostile one."""

INTERESTING = [
    b"\r", b"\n", b"\r\n", b"\r\n\r\n", b"\0", b"\x7f", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
    b" ", b"\t", b":", b",", b";", b"=", b"%", b"%00", b"%2f", b"%zz", b"-1", b"0", b"+1", b"0x10", b"1e9", b"2147483648",
    b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"99999999999999999999999999", b"NaN",
    b"{", b"}", b"[", b"]", b'"', b"\\", b"\\u0000", b"\\ud800", b"null", b"true", b"[[[[[[[[", b'{"":', b"A" * 300,
]


def flip(data, numbers):
    place = numbers.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << numbers.randrange(8))]) + data[place + 1:]


def replace(data, numbers):
    place = numbers.randrange(len(data))
    return data[:place] + bytes([numbers.randrange(256)]) + data[place + 1:]


def cut(data, numbers):
    start, end = span(data, numbers)
    return data[:start] + data[end:]


def repeat(data, numbers):
    start, end = span(data, numbers)
    return data[:end] + data[start:end] * numbers.choice([1, 1, 2, 7, 60]) + data[end:]


def swap(data, numbers):
    first, second = sorted([numbers.randrange(len(data)), numbers.randrange(len(data))])
    start, end = span(data, numbers)
    piece = data[start:end]
    rest = data[:start] + data[end:]
    place = min(numbers.choice([first, second]), len(rest))
    return rest[:place] + piece + rest[place:]


def insert(data, numbers):
    place = numbers.randrange(len(data) + 1)
    return data[:place] + numbers.choice(INTERESTING) + data[place:]


def overwrite(data, numbers):
    place, token = numbers.randrange(len(data) + 1), numbers.choice(INTERESTING)
    return data[:place] + token + data[place + len(token):]


def truncate(data, numbers):
    return data[:numbers.randrange(len(data))]


MUTATIONS = [flip, replace, cut, repeat, swap, insert, insert, overwrite, truncate]


def span(data, numbers):
    start = numbers.randrange(len(data))
    return start, min(len(data), start + int(numbers.paretovariate(0.7)))


def mutated(data, numbers, most=4, limit=2_000_000):
    """The data after one to `most` changes."""
    for _ in range(numbers.randint(1, most)):
        if data:
            data = numbers.choice(MUTATIONS)(data, numbers)[:limit]
    return data


def pieces(data, numbers):
    """The data cut at random places, usually at few."""
    way = numbers.randrange(8)
    if way < 4 or len(data) < 2:
        return [data]
    if way == 4 and len(data) < 400:
        return [data[i:i + 1] for i in range(len(data))]
    places = sorted(numbers.randrange(1, len(data)) for _ in range(numbers.randint(1, 6)))
    return [data[start:end] for start, end in zip([0] + places, places + [len(data)]) if start < end]
