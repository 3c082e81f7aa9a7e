# SPDX-License-Identifier: Apache-2.0
"""Packs the wheel from a release build: one for every CPython from 3.11 on (docs/adr/0034-wheel.md).

    python3 packaging/tilelab_wheel.py BUILD OUT            the wheel for this machine's libraries
    python3 packaging/tilelab_wheel.py BUILD OUT --repair   with these libraries inside: manylinux. Needs auditwheel and patchelf

The build has the targets tilelab_python and tilelab_frontend. pip calls build_wheel().
"""

import argparse
import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TAG = "cp311-abi3"
LOGOS = ("logo-svg.svg", "logo-32x32.png", "logo-64x64.png")
# Not `-m tilelab`: runpy and what it imports are a tenth of a kernel's start.
KERNELSPEC = {"argv": ["python", "-c", "import sys; from tilelab.__main__ import main; sys.exit(main())", "kernel", "-f", "{connection_file}"],
              "display_name": "tilelab",
              "language": "python", "interrupt_mode": "message",
              "metadata": {"debugger": True, "supported_encryption": ["curve"]}}


def project():
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        return tomllib.load(file)["project"]


def metadata(about):
    """The text of METADATA (Core Metadata 2.1)."""
    rows = [("Metadata-Version", "2.1"), ("Name", about["name"]), ("Version", about["version"]), ("Summary", about["description"]),
            ("Keywords", ",".join(about["keywords"])), ("License", about["license"]["text"]),
            *(("Classifier", one) for one in about["classifiers"]), ("Requires-Python", about["requires-python"]),
            *(("Requires-Dist", one) for one in about["dependencies"])]
    for extra, needed in about["optional-dependencies"].items():
        rows += [("Provides-Extra", extra), *(("Requires-Dist", f'{one}; extra == "{extra}"') for one in needed)]
    rows += [("License-File", "LICENSE"), ("License-File", "NOTICE"), ("Description-Content-Type", "text/markdown")]
    with open(os.path.join(ROOT, about["readme"]), encoding="utf-8") as file:
        return "".join(f"{name}: {value}\n" for name, value in rows) + "\n" + file.read()


def copy(source, *to):
    target = os.path.join(*to)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copy(source, target)
    return target


def copy_tree(source, target, pattern):
    """The files of a folder whose paths in it match."""
    for folder, _, names in os.walk(source):
        for name in names:
            path = os.path.join(folder, name)
            inside = os.path.relpath(path, source)
            if re.fullmatch(pattern, inside) and "__pycache__" not in inside:
                copy(path, target, inside)


def write(text, *to):
    path = os.path.join(*to)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def fill(stage, build, about):
    """Puts the files of the wheel into the folder `stage`."""
    package = os.path.join(stage, "tilelab")
    copy_tree(os.path.join(ROOT, "python", "tilelab"), package, r".*\.pyi?|py\.typed")
    built = [os.path.join(build, *place.split()) for place in
             ("lib tilelab python tilelab _core.abi3.so", "wheel tilelab _frontend.abi3.so", "lib tilelab gpu-worker")]
    for file in built:
        subprocess.run(["strip", "--strip-unneeded", copy(file, package, os.path.basename(file))], check=True)
    copy_tree(os.path.join(ROOT, "codegen", "musa", "device"), os.path.join(package, "device"), r".*\.(h|def|sh)")
    copy_tree(os.path.join(ROOT, "tutorials"), os.path.join(package, "tutorials"), r".*\.(ipynb|py)")
    copy_tree(os.path.join(ROOT, "docs"), os.path.join(package, "docs"), r"([^/]*|(language|commands|guide|howto)/.*)\.md")
    kernelspec = os.path.join(stage, f"tilelab-{about['version']}.data", "data", "share", "jupyter", "kernels", "tilelab")
    write(json.dumps(KERNELSPEC, indent=1) + "\n", kernelspec, "kernel.json")
    for logo in LOGOS:
        for folder in (kernelspec, os.path.join(package, "_data", "logos")):
            copy(os.path.join(ROOT, "jupyter", "logos", logo), folder, logo)
    info = os.path.join(stage, f"tilelab-{about['version']}.dist-info")
    write(metadata(about), info, "METADATA")
    write("[console_scripts]\n" + "".join(f"{name} = {target}\n" for name, target in about["scripts"].items()), info, "entry_points.txt")
    for name in ("LICENSE", "NOTICE"):
        copy(os.path.join(ROOT, name), info, "licenses", name)
    return info


def bundled(frontend):
    """The shared libraries of other projects that the front ends load, as auditwheel bundles them."""
    listed = subprocess.run(["ldd", frontend], stdout=subprocess.PIPE, text=True, check=True).stdout
    system = r"/(lib(c|m|dl|rt|pthread|resolv|gcc_s|stdc\+\+)\.so|ld-linux)"
    return [path for path in re.findall(r"=> (/\S+)", listed) if not re.search(system, path)]


def add_licenses(info, frontend):
    """The distribution's copyright file of each bundled library, and the licenses that these name."""
    named = set()
    for library in bundled(frontend):
        names = (os.path.realpath(library), library, library.removeprefix("/usr"))
        for name in names:
            found = subprocess.run(["dpkg-query", "-S", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
            if found.returncode == 0:
                package = found.stdout.split(":")[0]
                with open(copy(f"/usr/share/doc/{package}/copyright", info, "licenses", package, "copyright"), encoding="utf-8") as file:
                    named.update(re.findall(r"/usr/share/common-licenses/(L?GPL-[\d.]*\d)", file.read()))
                break
        else:
            raise SystemExit(f"wheel: the license of {library} is unknown: no package of the distribution has this file")
    for name in named:
        copy(f"/usr/share/common-licenses/{name}", info, "licenses", "common", name)


def pack(stage, out, info, platform, about):
    """Writes WHEEL, RECORD and the archive; returns its path."""
    tag = f"{TAG}-{platform}"
    write(f"Wheel-Version: 1.0\nGenerator: tilelab\nRoot-Is-Purelib: false\nTag: {tag}\n", info, "WHEEL")
    record = os.path.join(os.path.relpath(info, stage), "RECORD")
    rows = []
    path = os.path.join(out, f"tilelab-{about['version']}-{tag}.whl")
    os.makedirs(out, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        files = sorted(os.path.relpath(os.path.join(folder, name), stage) for folder, _, names in os.walk(stage) for name in names)
        for file in files:
            full = os.path.join(stage, file)
            with open(full, "rb") as opened:
                content = opened.read()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append(f"{file},sha256={digest},{len(content)}\n")
            entry = zipfile.ZipInfo(file, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = (0o100000 | os.stat(full).st_mode & 0o777) << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
        archive.writestr(zipfile.ZipInfo(record, (1980, 1, 1, 0, 0, 0)), "".join(rows) + f"{record},,\n")
    return path


def make(build, out, repair=False):
    about = project()
    with tempfile.TemporaryDirectory() as stage:
        info = fill(stage, build, about)
        if repair:
            add_licenses(info, os.path.join(stage, "tilelab", "_frontend.abi3.so"))
        made = pack(stage, out, info, f"linux_{os.uname().machine}", about)
    if not repair:
        return made
    before = set(os.listdir(out))
    subprocess.run([sys.executable, "-m", "auditwheel", "repair", "--only-plat", "-w", out, made], check=True)
    os.remove(made)
    return os.path.join(out, *(set(os.listdir(out)) - before))


def build_wheel(directory, config_settings=None, metadata_directory=None):
    """The hook of pip (PEP 517): builds the release first."""
    subprocess.run([os.path.join(ROOT, "bootstrap"), "wheel-parts"], check=True, stdout=sys.stderr)
    return os.path.basename(make(os.path.join(ROOT, "build"), directory))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("out")
    parser.add_argument("--repair", action="store_true")
    options = parser.parse_args()
    print(make(options.build, options.out, options.repair))


if __name__ == "__main__":
    main()
