"""An image for containers (OCI image layout 1.0) from the archive of a release: `image.py ARCHIVE FOLDER`.

It holds the program, the libraries of this system that it is linked to, CAs for `record`, and a user; no shell.
"""

import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

EPOCH = 315532800
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
PROGRAM = "usr/local/bin/fitiq-mock"
USER = 65532


def libraries(program):
    """The shared libraries of a program, and what loads them: the bytes of each path."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(program)
        file.flush()
        lines = subprocess.run(["ldd", file.name], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {path.lstrip("/"): pathlib.Path(path).read_bytes() for path in re.findall(r"(/\S+) \(0x", lines)}


def tarred(files, folders=()):
    """A tar of files, whose bytes, mode and owner are given by path."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, mode, owner in folders:
            member = tarfile.TarInfo(path)
            member.type, member.mode, member.uid, member.gid, member.mtime = tarfile.DIRTYPE, mode, owner, owner, EPOCH
            tar.addfile(member)
        for path, (content, mode) in sorted(files.items()):
            member = tarfile.TarInfo(path)
            member.size, member.mode, member.mtime = len(content), mode, EPOCH
            tar.addfile(member, io.BytesIO(content))
    return data.getvalue()


class Layout:
    """The blobs of an image, each under its digest."""

    def __init__(self):
        self.files = {"oci-layout": (b'{"imageLayoutVersion":"1.0.0"}', 0o644)}

    def add(self, content, media_type):
        digest = hashlib.sha256(content).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = (content, 0o644)
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}

    def add_json(self, value, media_type):
        return self.add(json.dumps(value, sort_keys=True).encode(), media_type)


def image(archive, folder):
    stem = archive.name.removesuffix(".tar.xz")
    _, version, system, machine = stem.rsplit("-", 3)
    with tarfile.open(archive) as tar:
        program = tar.extractfile(f"{stem}/bin/fitiq-mock").read()
        texts = {f"usr/share/doc/fitiq-mock/{name}": (tar.extractfile(f"{stem}/{name}").read(), 0o644)
                 for name in ("LICENSE", "THIRD-PARTY-NOTICES", "sbom.spdx.json")}
    files = {path: (content, 0o755) for path, content in libraries(program).items()}
    files |= texts
    files[PROGRAM] = (program, 0o755)
    files["etc/passwd"] = (f"fitiq:x:{USER}:{USER}::/home/fitiq:/sbin/nologin\n".encode(), 0o644)
    files["etc/ssl/certs/ca-certificates.crt"] = (
        pathlib.Path("/etc/ssl/certs/ca-certificates.crt").read_bytes(), 0o644)
    layer = tarred(files, [("tmp", 0o1777, 0), ("home", 0o755, 0), ("home/fitiq", 0o755, USER)])
    packed = subprocess.run(["libdeflate-gzip", "-12", "-c"], check=True, input=layer, stdout=subprocess.PIPE).stdout
    layout = Layout()
    layers = [layout.add(packed, "application/vnd.oci.image.layer.v1.tar+gzip")]
    config = {
        "architecture": ARCHITECTURES[machine], "os": system, "created": "1980-01-01T00:00:00Z",
        "config": {
            "User": str(USER), "Env": ["HOME=/home/fitiq"], "WorkingDir": "/home/fitiq",
            "Entrypoint": ["/" + PROGRAM], "Cmd": ["serve", "--host", "0.0.0.0"],
            "ExposedPorts": {"8080/tcp": {}, "8443/tcp": {}},
            # Docker's own; other engines leave it out.
            "Healthcheck": {"Test": ["CMD", "/" + PROGRAM, "health"], "Interval": 10_000_000_000,
                            "Timeout": 6_000_000_000},
            "Labels": {"org.opencontainers.image.title": "fitiq-mock", "org.opencontainers.image.version": version,
                       "org.opencontainers.image.licenses": "MIT"},
        },
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
    }
    manifest = {
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": layout.add_json(config, "application/vnd.oci.image.config.v1+json"), "layers": layers,
    }
    entry = layout.add_json(manifest, manifest["mediaType"])
    entry["annotations"] = {"org.opencontainers.image.ref.name": version}
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [entry]}
    layout.files["index.json"] = (json.dumps(index, sort_keys=True).encode(), 0o644)
    target = folder / f"fitiq-mock-{version}-{system}-{ARCHITECTURES[machine]}.oci.tar"
    target.write_bytes(tarred(layout.files))
    print(f"{target}: {len(packed)} bytes compressed")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    image(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
