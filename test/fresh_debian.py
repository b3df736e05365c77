#!/usr/bin/env python3
"""Follows docs/embedding.md on a fresh Debian, in a folder that debootstrap fills.

    sudo python test/fresh_debian.py dist/tinytc_mlir-*-cp311-*.whl

needs root, debootstrap, a network, and a wheel for the Python of that Debian. The commands are
those of the page, in its order; nothing else is installed. It ends with status 0 if both hosts
print the right results.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "embedding.md"
EXAMPLES = ROOT / "examples" / "embedding"
RESULTS = ("x86-64-v", "1000 groups, largest error 0")
_COMMANDS = re.compile(r"^```(?:sh|text)\n((?:apt |tinytc |c\+\+ |gcc ).*?)^```", re.M | re.S)


def commands(page: str) -> list[str]:
    r"""Return the commands of a page in their order.

    >>> commands("```sh\ngcc a.c\n./a.out\n```\n```text\nno command\n```\n")
    ['gcc a.c', './a.out']
    """
    return [line for block in _COMMANDS.findall(page) for line in block.splitlines()]


def script(page: str) -> str:
    """Return a script that installs without questions and stops at the first error."""
    lines = [
        line.replace("apt install", "apt-get install -qq --no-install-recommends")
        for line in commands(page)
    ]
    return "\n".join(["set -e", "cd /root", "apt-get update -qq", *lines, ""])


def follow(folder: pathlib.Path, wheel: pathlib.Path, suite: str) -> str:
    """Return what the commands print on a fresh Debian in a folder."""
    subprocess.run(["debootstrap", "--variant=minbase", suite, folder], check=True)
    home = folder / "root"
    for path in (wheel, *EXAMPLES.iterdir()):
        shutil.copy(path, home)
    shutil.copy("/etc/resolv.conf", folder / "etc")
    certificates = os.environ.get("PIP_CERT")  # of networks with authorities of their own
    if certificates:
        shutil.copy(certificates, home / "certificates.pem")
    (home / "follow.sh").write_text(script(PAGE.read_text(encoding="utf-8")))
    mounts = "for each in dev proc sys; do mount --rbind /$each $0/$each; done; "
    command = mounts + 'exec chroot "$0" bash -x /root/follow.sh'
    words = ["unshare", "--mount", "bash", "-ec", command, folder]
    variables = {"DEBIAN_FRONTEND": "noninteractive", "HOME": "/root", "PATH": os.defpath}
    variables["PATH"] += ":/usr/sbin:/sbin"
    if certificates:
        variables["PIP_CERT"] = "/root/certificates.pem"
    result = subprocess.run(words, stdout=subprocess.PIPE, text=True, env=variables, check=False)
    if result.returncode:
        print(result.stdout)
        sys.exit(f"expected the commands of {PAGE.name} to succeed, got {result.returncode}")
    return result.stdout


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--suite", default="bookworm", help="version of Debian")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        printed = follow(pathlib.Path(folder), arguments.wheel, arguments.suite)
    missing = [text for text in RESULTS if text not in printed]
    print(printed)
    sys.exit(f"expected {missing} in what the hosts print" if missing else 0)


if __name__ == "__main__":
    main()
