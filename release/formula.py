"""The formula of Homebrew for a release: `formula.py VERSION OWNER/REPOSITORY SHA256SUMS`."""

import sys

# What Homebrew calls a system and its machine.
PLATFORMS = [("macos", "arm", "darwin-arm64"), ("linux", "arm", "linux-aarch64"), ("linux", "intel", "linux-x86_64")]


PROCESSORS = {"arm": ":arm64", "intel": ":x86_64"}


def formula(version, repository, sums):
    lines = [
        "class FitiqMock < Formula",
        '  desc "Fake FitIQ backend for the people who build its clients"',
        f'  homepage "https://github.com/{repository}"',
        f'  version "{version}"',
        '  license "MIT"',
        "",
    ]
    for system in ("macos", "linux"):
        files = [(processor, f"fitiq-mock-{version}-{name}.tar.xz") for each, processor, name in PLATFORMS if each == system]
        files = [(processor, file) for processor, file in files if file in sums]
        if not files:
            continue
        lines.append(f"  on_{system} do")
        # Otherwise other processors get a formula without an address.
        if len(files) == 1:
            lines.append(f"    depends_on arch: {PROCESSORS[files[0][0]]}")
        for processor, file in files:
            lines += [
                f"    on_{processor} do",
                f'      url "https://github.com/{repository}/releases/download/v{version}/{file}"',
                f'      sha256 "{sums[file]}"',
                "    end",
            ]
        lines.append("  end")
    lines += [
        "",
        "  def install",
        '    bin.install "bin/fitiq-mock"',
        '    man1.install Dir["share/man/man1/*.1"]',
        '    bash_completion.install "share/bash-completion/completions/fitiq-mock"',
        '    zsh_completion.install "share/zsh/site-functions/_fitiq-mock"',
        '    fish_completion.install "share/fish/vendor_completions.d/fitiq-mock.fish"',
        '    pkgshare.install "share/fitiq-mock/scenario.schema.json"',
        "  end",
        "",
        "  test do",
        '    assert_match version.to_s, shell_output("#{bin}/fitiq-mock --version")',
        "  end",
        "end",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    with open(sys.argv[3]) as file:
        rows = (line.split() for line in file)
        print(formula(sys.argv[1], sys.argv[2], {name: digest for digest, name in rows}), end="")
