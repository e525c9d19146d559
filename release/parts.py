"""What a binary is made of: packages of Swift, and libraries of the system that are linked into it."""

import gzip
import json
import pathlib
import platform
import subprocess

# What pkg-config and Debian call a library that is linked into the binary, and its licence (SPDX).
LIBRARIES = [
    ("openssl", "libssl-dev", "Apache-2.0"), ("sqlite3", "libsqlite3-dev", "blessing"),
    ("yaml-0.1", "libyaml-dev", "MIT"), ("zlib", "zlib1g-dev", "Zlib"),
]
GCC_LICENCE = "GPL-3.0-or-later WITH GCC-exception-3.1"
# What a binary finds in the system that it runs on, by the beginning of a name.
SYSTEM_LICENCES = {
    "libc.": "LGPL-2.1-or-later", "libm.": "LGPL-2.1-or-later", "ld-linux": "LGPL-2.1-or-later",
    "libstdc++": GCC_LICENCE, "libgcc_s": GCC_LICENCE,
}
SWIFT_LICENCE = "Apache-2.0 WITH Swift-exception"


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout.strip()


def packages(root):
    """The packages of Swift that the package resolves to, each once."""
    # Without the lock of the folder: a build or a test that has it may be what asks, and nothing is written.
    command = ["swift", "package", "--ignore-lock", "--package-path", str(root), "show-dependencies"]
    tree = json.loads(output(*command, "--format", "json"))
    found = {}
    def visit(node):
        for dependency in node["dependencies"]:
            found[dependency["identity"]] = dependency
            visit(dependency)
    visit(tree)
    return [found[name] for name in sorted(found)]


def swift_version():
    return output("swift", "--version").split("Swift version ")[1].split(" ")[0]


def cxx_archive(root):
    """The version of the C++ library whose archive is linked into the binary, and its package; None if none is."""
    archive = root / ".build/static/stdc++/libstdc++.a"
    if not archive.exists():
        return None
    package = f"libstdc++-{archive.resolve().parent.name}-dev"
    return output("dpkg-query", "-W", "-f=${Version}", package), package


def notices(root):
    """The licences of everything in the binary that was not written here."""
    texts = []
    for package in packages(root):
        folder = pathlib.Path(package["path"])
        for name in ("LICENSE.txt", "LICENSE", "NOTICE.txt"):
            if (folder / name).exists():
                texts.append((f"{package['identity']} {package['version']}", (folder / name).read_text()))
    for name, package, licence in LIBRARIES:
        texts.append((f"{name} {output('pkg-config', '--modversion', name)}, {licence}", library_notice(package)))
    if cxx := cxx_archive(root):
        texts.append((f"libstdc++ {cxx[0]}, {GCC_LICENCE}", library_notice(cxx[1])))
    # The same licence as that of Apple's packages above, with an exception for what is compiled.
    texts.append((f"Swift {swift_version()}, {SWIFT_LICENCE}", "https://www.swift.org/LICENSE.txt"))
    rule = "=" * 80
    return "".join(f"{rule}\n{title}\n{rule}\n\n{text.strip()}\n\n" for title, text in texts)


def library_notice(package):
    path = pathlib.Path("/usr/share/doc") / package / "copyright"
    if path.exists():
        return path.read_text()
    if path.with_suffix(".gz").exists():
        return gzip.decompress(path.with_suffix(".gz").read_bytes()).decode()
    # Homebrew keeps licences beside its libraries.
    formula = {
        "libssl-dev": "openssl@3", "libsqlite3-dev": "sqlite", "libyaml-dev": "libyaml", "zlib1g-dev": "zlib",
    }[package]
    folder = pathlib.Path(output("brew", "--prefix", formula))
    # SQLite is in the public domain, and has no licence to keep.
    return next((path.read_text() for path in folder.glob("LICENSE*")), "https://www.sqlite.org/copyright.html")


def found_in_system(program):
    """The names of the libraries that a binary is linked with when it starts."""
    if platform.system() == "Darwin":
        lines = output("otool", "-L", str(program)).splitlines()[1:]
        return sorted(line.split(" (")[0].strip().rsplit("/", 1)[1] for line in lines)
    lines = output("objdump", "-p", str(program)).splitlines()
    return sorted(line.split()[1] for line in lines if line.split()[:1] == ["NEEDED"])


def sbom(root, version, program):
    """The parts as SPDX 2.3; it says nothing about when and where it was made, so that it stays the same."""
    system = found_in_system(program)
    parts = [(package["identity"], package["version"], "Apache-2.0", package["url"]) for package in packages(root)]
    parts += [(name, output("pkg-config", "--modversion", name), licence, "NOASSERTION")
              for name, _, licence in LIBRARIES]
    if cxx := cxx_archive(root):
        parts.append(("libstdc++", cxx[0], GCC_LICENCE, "NOASSERTION"))
    parts.append(("swift", swift_version(), SWIFT_LICENCE, "https://github.com/swiftlang/swift"))
    name = f"fitiq-mock-{version}-{platform.system().lower()}-{platform.machine()}"
    def package(name, version, licence, location):
        return {
            "SPDXID": f"SPDXRef-{identifier(name)}", "name": name, "downloadLocation": location,
            **({"versionInfo": version} if version else {}), "licenseConcluded": licence, "licenseDeclared": licence,
            "copyrightText": "NOASSERTION",
            "filesAnalyzed": False,
        }
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}",
        "creationInfo": {"created": "1980-01-01T00:00:00Z", "creators": ["Tool: fitiq-mock-release"]},
        "packages": [package("fitiq-mock", version, "MIT", "NOASSERTION")] + [package(*part) for part in parts] + [
            package(name, None, system_licence(name), "NOASSERTION") for name in system
        ],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
             "relatedSpdxElement": "SPDXRef-fitiq-mock"},
        ] + [
            {"spdxElementId": "SPDXRef-fitiq-mock", "relationshipType": "STATIC_LINK",
             "relatedSpdxElement": f"SPDXRef-{identifier(part[0])}"} for part in parts
        ] + [
            {"spdxElementId": "SPDXRef-fitiq-mock", "relationshipType": "DYNAMIC_LINK",
             "relatedSpdxElement": f"SPDXRef-{identifier(name)}"} for name in system
        ],
    }


def identifier(name):
    """A name as SPDX takes it in ids: letters, digits, dots and hyphens."""
    return "".join(character if character.isalnum() or character in ".-" else "-" for character in name)


def system_licence(name):
    return next((licence for start, licence in SYSTEM_LICENCES.items() if name.startswith(start)), "NOASSERTION")
