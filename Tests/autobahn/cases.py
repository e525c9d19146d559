"""The cases of Autobahn's test suite from PyPI, which is Python 2: translated while they are loaded."""

import binascii
import importlib.util
import pathlib
import sys
import types

# Do not import the suite itself, because that would load Python 2.
FOLDER = pathlib.Path(importlib.util.find_spec("autobahntestsuite").origin).parent

# Everything with another meaning in Python 3. The files are read as Latin-1, so that texts are bytes as in Python 2.
TRANSLATIONS = [
    # Twisted's file, which is not a case.
    ("from case9_9_1 import *", ""),
    ("xrange(", "range("),
    ("unichr(", "chr("),
    ("(object, Case, )", "(Case,)"),
    ("len(self.payload) / self.p.autoFragmentSize", "len(self.payload) // self.p.autoFragmentSize"),
    ("pickle.dumps(obj1) == pickle.dumps(obj2)", "obj1 == obj2"),
    ("binascii.b2a_hex(", "hex_of("),
    ("v.validate(vss[:i])", "v.validate(vss[:i].encode('latin-1'))"),
    # Renamed members of the library.
    ("requestNoContextTakeover", "request_no_context_takeover"),
    ("requestMaxWindowBits", "request_max_window_bits"),
    ("acceptNoContextTakeover", "accept_no_context_takeover"),
    ("acceptMaxWindowBits", "accept_max_window_bits"),
    # A part of setuptools, which newer Pythons lack.
    ("pkg_resources, ", ""),
    ('pkg_resources.resource_filename("autobahntestsuite", ', "path_of("),
]


def load():
    """All cases in order, with the names of their groups and of the groups' chapters."""
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        package = types.ModuleType("autobahn_cases")
        _run(package, FOLDER / "case/__init__.py")
    finally:
        sys.meta_path.remove(finder)
    return package.Cases, package.CaseSubCategories, package.CaseCategories


def number(case):
    """`Case6_5_1` is 6.5.1."""
    return case.__name__.removeprefix("Case").replace("_", ".")


def group(number):
    """1.1.1 is in 1.1, and 2.1 in 2."""
    return number.rpartition(".")[0]


class _Finder:
    """Finds the modules of the cases by the names in their imports."""

    def find_spec(self, name, path=None, target=None):
        file = FOLDER / "case" / f"{name}.py"
        return importlib.util.spec_from_loader(name, self, origin=str(file)) if file.is_file() else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        _run(module, pathlib.Path(module.__spec__.origin))


def _run(module, file):
    source = file.read_text("latin-1")
    for old, new in TRANSLATIONS:
        source = source.replace(old, new)
    lines = [_translated_print(line) for line in source.split("\n")]
    module.__dict__.update(hex_of=_hex, path_of=lambda name: str(FOLDER / name))
    exec(compile("\n".join(lines), str(file), "exec"), module.__dict__)


def _translated_print(line):
    indentation, is_print, rest = line.partition("print ")
    return f"{indentation}print({rest})" if is_print and not indentation.strip() else line


def _hex(data):
    return binascii.b2a_hex(data.encode("latin-1") if isinstance(data, str) else data).decode()
