"""Creates the files of a release twice, with a stand-in for the program, and checks their contents.

    with_release.py PROGRAM

The stand-in is a small binary that starts PROGRAM, because compressing a debug build takes minutes. scripts/try-release
tests a real release on a bare system.
"""

import gzip
import hashlib
import io
import json
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "release"))
# Tools refuse a list with an invalid or duplicate SPDX id.
LETTERS = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")


def run(*command, **options):
    return subprocess.run([str(each) for each in command], check=True, stdout=subprocess.PIPE, **options).stdout


def release(folder, program, version):
    """All files of a release, in their own folder."""
    output, manual = folder / "dist", folder / "manual"
    output.mkdir(parents=True)
    manual.mkdir()
    (manual / "fitiq-mock.1").write_text(".Dd January 1, 1980\n")
    package = [sys.executable, ROOT / "release/package.py"]
    archive = run(*package, "archive", version, program, manual, output).decode().strip()
    run(*package, "bundle", version, archive, output)
    if platform.system() == "Linux":
        run(ROOT / "scripts/image", archive, output)
    run(*package, "sums", output)
    return output


def look_at_archive(path, version):
    folder = path.name.removesuffix(".tar.xz")
    with tarfile.open(path) as tar:
        files = {member.name.removeprefix(folder + "/"): member for member in tar.getmembers()}
        assert all(member.name.startswith(folder + "/") and member.uid == 0 for member in files.values())
        assert [name for name, member in files.items() if member.mode != 0o644] == ["bin/fitiq-mock"], files
        texts = {name: tar.extractfile(member).read() for name, member in files.items()}
    shells = ["share/bash-completion/completions/fitiq-mock", "share/zsh/site-functions/_fitiq-mock",
              "share/fish/vendor_completions.d/fitiq-mock.fish"]
    for name in ["LICENSE", "share/man/man1/fitiq-mock.1", *shells]:
        assert texts[name], name
    assert b"OpenSSL" in texts["THIRD-PARTY-NOTICES"] and b"Apache License" in texts["THIRD-PARTY-NOTICES"]
    assert json.loads(texts["share/fitiq-mock/scenario.schema.json"])["title"]
    look_at_parts(json.loads(texts["sbom.spdx.json"]), version)


def look_at_parts(parts, version):
    packages = {each["SPDXID"]: each for each in parts["packages"]}
    assert len(packages) == len(parts["packages"]), "an id is there twice"
    assert all(set(each.removeprefix("SPDXRef-")) <= LETTERS for each in packages), list(packages)
    assert packages["SPDXRef-fitiq-mock"]["versionInfo"] == version
    ids = {"SPDXRef-DOCUMENT", *packages}
    related = {each["relatedSpdxElement"] for each in parts["relationships"]}
    assert related == set(packages) and all(each["spdxElementId"] in ids for each in parts["relationships"])
    names = {each["name"] for each in packages.values()}
    assert {"swift-argument-parser", "openssl", "sqlite3", "yaml-0.1", "zlib", "swift"} <= names, names


def look_at_bundle(path, program, version):
    with zipfile.ZipFile(path) as zipped:
        artifact = json.loads(zipped.read("fitiq-mock.artifactbundle/info.json"))["artifacts"]["fitiq-mock"]
        assert (artifact["type"], artifact["version"]) == ("executable", version), artifact
        (variant,) = artifact["variants"]
        member = zipped.getinfo("fitiq-mock.artifactbundle/" + variant["path"])
        assert zipped.read(member) == program.read_bytes() and member.external_attr >> 16 == 0o755
    target = json.loads(run("swift", "-print-target-info"))["target"]["unversionedTriple"]
    assert variant["supportedTriples"] == [target], (variant, target)


def look_at_image(path, program):
    with tarfile.open(path) as tar:
        files = {member.name: tar.extractfile(member).read() for member in tar.getmembers()}

    def blob(entry):
        data = files["blobs/sha256/" + entry["digest"].removeprefix("sha256:")]
        assert len(data) == entry["size"] and hashlib.sha256(data).hexdigest() in entry["digest"], entry
        return data

    (entry,) = json.loads(files["index.json"])["manifests"]
    manifest = json.loads(blob(entry))
    config = json.loads(blob(manifest["config"]))
    (layer,) = (gzip.decompress(blob(each)) for each in manifest["layers"])
    assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()]
    assert config["config"]["User"] == "65532" and config["config"]["Healthcheck"]["Test"][-1] == "health"
    with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
        names = tar.getnames()
        start = config["config"]["Entrypoint"][0].lstrip("/")
        assert tar.extractfile(start).read() == program.read_bytes() and tar.getmember(start).mode == 0o755
        assert any(name.rpartition("/")[2].startswith("ld-linux") for name in names), names
        assert tar.getmember("home/fitiq").uid == 65532 and tar.getmember("tmp").mode == 0o1777


def look_at_formula(folder, version):
    """The formula for this release, and for one with a single system."""
    sums = (folder / "SHA256SUMS").read_text()
    macos = f"{'0' * 64}  fitiq-mock-{version}-darwin-arm64.tar.xz\n"
    for text, systems in ((sums, ["linux"]), (sums + macos, ["macos", "linux"]), (macos, ["macos"])):
        (folder / "sums").write_text(text)
        formula = run(sys.executable, ROOT / "release/formula.py", version, "someone/fitiq-mock", folder / "sums")
        lines = formula.decode().splitlines()
        assert [line.split()[0] for line in lines if line.startswith("  on_")] == ["on_" + each for each in systems]
        for digest, name in (line.split() for line in text.splitlines() if ".tar.xz" in line):
            address = f"https://github.com/someone/fitiq-mock/releases/download/v{version}/{name}"
            assert f'      url "{address}"' in lines and f'      sha256 "{digest}"' in lines, formula.decode()
        if shutil.which("ruby"):
            run("ruby", "-c", input=formula)


def main():
    program = sys.argv[1]
    version = json.loads(run(program, "--version", "--json"))["version"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, stand_in = folder / "stand-in.c", folder / "stand-in"
        source.write_text(
            "#include <unistd.h>\nint main(int count, char **words) { return execv(%s, words); }\n" % json.dumps(program))
        run("clang", "-o", stand_in, source)
        first, second = (release(folder / each, stand_in, version) for each in ("first", "second"))
        files = sorted(path.name for path in first.iterdir())
        assert files == sorted(path.name for path in second.iterdir())
        for file in files:
            assert (first / file).read_bytes() == (second / file).read_bytes(), f"{file} differs"
        for line in (first / "SHA256SUMS").read_text().splitlines():
            digest, file = line.split("  ")
            assert hashlib.sha256((first / file).read_bytes()).hexdigest() == digest, file
        look_at_archive(next(first.glob("*.tar.xz")), version)
        look_at_bundle(first / "fitiq-mock.artifactbundle.zip", stand_in, version)
        if platform.system() == "Linux":
            look_at_image(next(first.glob("*.oci.tar")), stand_in)
        look_at_formula(first, version)
        print(f"{len(files)} files, twice the same")


if __name__ == "__main__":
    main()
