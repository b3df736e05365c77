#!/usr/bin/env python3
"""Runs a command with PoCL of Debian 13 as the only OpenCL implementation, a second witness.

The packages are fetched once, by apt-get with a configuration and a state of its own, and unpacked
into a folder. The command runs in that folder as root directory, in a user namespace, with all
folders of the machine except /usr, /etc and /var in it: nothing is installed, and no privilege is
needed. It needs a machine with apt-get, dpkg and Debian's keys, and a Python outside of /usr.

    python test/pocl.py python test/device_check.py --only device --count 10000
    python test/pocl.py python test/device_check.py --count 1000
"""

import argparse
import importlib.metadata
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]
MIRROR = "http://deb.debian.org/debian"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
PACKAGES = ("pocl-opencl-icd", "ocl-icd-libopencl1", "libstdc++6", "zlib1g")
# Folders that the unpacked packages have themselves.
OWN = ("bin", "boot", "etc", "lib", "lib32", "lib64", "libx32", "sbin", "usr", "var")


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "pocl")
    parser.add_argument("--mirror", default=MIRROR, help="of Debian's packages")
    parser.add_argument("--enter", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


def fetch(folder, mirror):
    """Fetch the packages and what they depend on, and unpack them."""
    for name in ("state/lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    sources = folder / "sources.list"
    sources.write_text(f"deb [signed-by={KEYS}] {mirror} trixie main\n", encoding="utf-8")
    options = {
        "Dir::Etc::SourceList": sources,
        "Dir::Etc::SourceParts": "-",
        "Dir::State": folder / "state",
        "Dir::State::Status": folder / "status",
        "Dir::Cache": folder / "cache",
        "APT::Install-Recommends": "false",
        "Debug::NoLocking": "true",
    }
    apt = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in options.items())]
    subprocess.run([*apt, "update"], check=True)
    subprocess.run([*apt, "install", "-y", "--download-only", *PACKAGES], check=True)
    unpacked = folder / "unpacked"
    for archive in sorted((folder / "cache" / "archives").glob("*.deb")):
        subprocess.run(["dpkg", "--extract", archive, unpacked], check=True)
    for name in OWN:
        if (unpacked / "usr" / name).is_dir() and not (unpacked / name).exists():
            (unpacked / name).symlink_to(f"usr/{name}")
    unpacked.rename(folder / "root")


def shared_folders():
    """Return the folders of the machine that the command sees."""
    folders = [
        str(path)
        for path in sorted(pathlib.Path("/").iterdir())
        if path.name not in OWN and path.is_dir() and not path.is_symlink()
    ]
    prefix = pathlib.Path(sys.base_prefix)
    if prefix in (pathlib.Path("/usr"), pathlib.Path("/")):
        sys.exit(f"expected a Python outside of /usr, which is PoCL's there, got {prefix}")
    if prefix.is_relative_to("/usr/local"):
        folders.append("/usr/local")
    return folders


def other_drivers():
    """Return the paths of OpenCL's CPU driver that pip may have installed."""
    try:
        files = importlib.metadata.files("intel-opencl-rt") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    paths = {file.locate().resolve() for file in files if file.name == "libintelocl.so"}
    return [path for path in paths if path.exists()]


def enter(root, command):
    """Become a command in another root directory, in a namespace of its own."""
    for driver in other_drivers():
        subprocess.run(["mount", "--bind", os.devnull, driver], check=True)
    for shared in shared_folders():
        place = root / shared[1:]
        place.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "--rbind", shared, place], check=True)
    here = pathlib.Path.cwd()
    os.chroot(root)
    os.chdir(here)
    os.execv(command[0], command)


def main():
    """Fetch PoCL if it is not there yet, and run the command; return its status."""
    options = arguments()
    folder = options.folder.absolute()
    if options.enter:
        enter(folder / "root", options.command)
    if not (folder / "root").exists():
        fetch(folder, options.mirror)
    if not options.command:
        return 0
    program = shutil.which(options.command[0])
    if program is None:
        sys.exit(f"expected a command, got '{options.command[0]}', which is not found")
    cache = folder / "kernels"
    cache.mkdir(exist_ok=True)
    selection = ("OCL_ICD_FILENAMES", "ONEAPI_DEVICE_SELECTOR")
    environment = {name: value for name, value in os.environ.items() if name not in selection}
    environment |= {"OCL_ICD_VENDORS": "/etc/OpenCL/vendors", "POCL_CACHE_DIR": str(cache)}
    inside = ["unshare", "--map-root-user", "--mount", sys.executable, __file__, "--enter"]
    command = [*inside, "--folder", str(folder), program, *options.command[1:]]
    return subprocess.run(command, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
