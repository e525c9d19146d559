"""Puts a built fitiq-mock into the files of a release; the same inputs give the same bytes.

    package.py archive VERSION PROGRAM MANUAL OUTPUT    fitiq-mock-VERSION-SYSTEM-MACHINE.tar.xz
    package.py bundle VERSION ARCHIVE… OUTPUT           fitiq-mock.artifactbundle.zip, for SwiftPM (SE-0305)
    package.py sums FOLDER                              SHA256SUMS of the files in a folder
"""

import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import zipfile

import parts

ROOT = pathlib.Path(__file__).parent.parent
# Archives say nothing about when they were made.
EPOCH = 315532800

COMPLETIONS = {
    "bash": "share/bash-completion/completions/fitiq-mock",
    "zsh": "share/zsh/site-functions/_fitiq-mock",
    "fish": "share/fish/vendor_completions.d/fitiq-mock.fish",
}

# The triples of Swift that a binary of a system and a machine runs on.
TRIPLES = {
    ("Linux", "x86_64"): ["x86_64-unknown-linux-gnu"],
    ("Linux", "aarch64"): ["aarch64-unknown-linux-gnu"],
    ("Darwin", "arm64"): ["arm64-apple-macosx"],
    ("Darwin", "x86_64"): ["x86_64-apple-macosx"],
}


def said(program, *arguments):
    return subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE).stdout


def contents(version, program, manual):
    """What an archive holds: the bytes of each path."""
    files = {
        "bin/fitiq-mock": pathlib.Path(program).read_bytes(),
        "share/fitiq-mock/scenario.schema.json": said(program, "schema"),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
        "THIRD-PARTY-NOTICES": parts.notices(ROOT).encode(),
        "sbom.spdx.json": json.dumps(parts.sbom(ROOT, version, program), indent=2).encode() + b"\n",
    }
    for shell, path in COMPLETIONS.items():
        files[path] = said(program, "completions", shell)
    for page in sorted(pathlib.Path(manual).glob("*.1")):
        files[f"share/man/man1/{page.name}"] = page.read_bytes()
    return files


def archive(version, program, manual, output):
    facts = json.loads(said(program, "--version", "--json"))
    if facts["version"] != version:
        sys.exit(f"release: this source is version {facts['version']}, not {version}: set Version.current")
    name = f"fitiq-mock-{version}-{facts['system'].lower()}-{facts['machine']}"
    target = pathlib.Path(output) / f"{name}.tar.xz"
    with tarfile.open(target, "w:xz", format=tarfile.USTAR_FORMAT) as tar:
        for path, data in sorted(contents(version, program, manual).items()):
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size, member.mtime = len(data), EPOCH
            member.mode = 0o755 if path.startswith("bin/") else 0o644
            tar.addfile(member, io.BytesIO(data))
    print(target)


def variant(path):
    """The program in an archive, its name there, and the triples that it runs on."""
    stem = path.name.removesuffix(".tar.xz")
    system, machine = stem.split("-")[-2:]
    with tarfile.open(path) as tar:
        program = tar.extractfile(f"{stem}/bin/fitiq-mock").read()
    return program, f"{stem}/bin/fitiq-mock", TRIPLES[system.capitalize(), machine]


def bundle(version, *paths):
    *archives, output = map(pathlib.Path, paths)
    variants = [variant(path) for path in sorted(archives)]
    info = {
        "schemaVersion": "1.0",
        "artifacts": {
            "fitiq-mock": {
                "type": "executable", "version": version,
                "variants": [{"path": path, "supportedTriples": triples} for _, path, triples in variants],
            },
        },
    }
    target = output / "fitiq-mock.artifactbundle.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as zipped:
        def add(path, data, mode):
            member = zipfile.ZipInfo(f"fitiq-mock.artifactbundle/{path}")
            member.external_attr, member.compress_type = mode << 16, zipfile.ZIP_DEFLATED
            zipped.writestr(member, data)
        add("info.json", json.dumps(info, indent=2) + "\n", 0o644)
        add("LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644)
        for program, path, _ in variants:
            add(path, program, 0o755)
    print(target)


def sums(folder):
    files = sorted(path for path in pathlib.Path(folder).iterdir() if path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (pathlib.Path(folder) / "SHA256SUMS").write_text("".join(lines))


if __name__ == "__main__":
    commands = {"archive": archive, "bundle": bundle, "sums": sums}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__.strip())
    commands[sys.argv[1]](*sys.argv[2:])
