"""What is shipped: the lock file fits pyproject.toml, and the built package is whole and runs where it is installed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from importlib.metadata import distribution
from itertools import pairwise
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import lexicloud

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
DATA = [
    "text/languages/english.toml",
    "text/languages/russian.toml",
    "vectors/glove_6b_words.npz",
    "vectors/wordllama/table.npy",
    "vectors/wordllama/scales.npy",
    "vectors/wordllama/tokens.npz",
    "vectors/wordllama/LICENSE",
    "say/map.js",
    "report/style.css",
    "paper/published.json",
    "paper/books.csv",
    "py.typed",
]


def declared(extra: str | None = None) -> list[Requirement]:
    """What pyproject.toml asks for, the extras that an extra names included."""
    lines = PROJECT["dependencies"] if extra is None else PROJECT["optional-dependencies"][extra]
    found = []
    for wanted in map(Requirement, lines):
        if wanted.name == "lexicloud":
            found += [each for inner in wanted.extras for each in declared(inner)]
        else:
            found.append(wanted)
    return found


def locked(python: str) -> dict[str, Version]:
    """Name → version of what the lock file installs on a Python."""
    environment = default_environment() | {"python_version": python, "python_full_version": f"{python}.0"}
    wanted = [Requirement(line.removesuffix("\\")) for line in LOCK if not line.startswith(" ")]
    chosen = [w for w in wanted if w.marker is None or w.marker.evaluate(dict(environment))]
    assert len({canonicalize_name(w.name) for w in chosen}) == len(chosen), "a package is locked twice"
    return {canonicalize_name(w.name): Version(str(w.specifier).removeprefix("==")) for w in chosen}


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
def test_the_lock_file_fits_what_pyproject_asks_for(python):
    versions, here = locked(python), {"python_version": python, "python_full_version": f"{python}.0"}
    for wanted in declared() + declared("dev"):
        if wanted.marker is not None and not wanted.marker.evaluate(here):
            continue
        found = versions.get(canonicalize_name(wanted.name))
        assert found is not None, f"{wanted.name} is not in requirements-dev.txt: run `make lock`"
        assert wanted.specifier.contains(found, prereleases=True), f"{wanted} but {found}: run `make lock`"


@pytest.mark.slow
@pytest.mark.parametrize("python", ["3.11", "3.14"])
@pytest.mark.parametrize(
    "machine", ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "aarch64-apple-darwin"]
)
def test_nothing_that_is_locked_needs_a_compiler(python, machine, tmp_path):
    """apricot-select is plain Python without a wheel; faiss-cpu has wheels for macOS from 14 on, and uv asks for 13."""
    wanted = [line.removesuffix("\\") for line in LOCK if not line.startswith((" ", "faiss-cpu"))]
    (tmp_path / "locked.txt").write_text("\n".join(wanted), encoding="utf-8")
    uv = Path(sys.executable).with_name("uv")
    asked = [uv, "pip", "install", "--dry-run", "--quiet", "--target", tmp_path / "none"]
    asked += ["--only-binary", ":all:", "--no-binary", "apricot-select"]
    where = [
        "--python-version",
        python,
        "--python-platform",
        machine,
        "--requirement",
        tmp_path / "locked.txt",
    ]
    done = subprocess.run([*asked, *where], capture_output=True, text=True, check=False, timeout=300)
    if done.returncode and "wheels" not in done.stderr:
        pytest.skip(f"the package index did not answer: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr


def test_the_lock_file_holds_names_versions_and_hashes_alone():
    """An index address in it would send every reader to one host."""
    name = re.compile(r"[a-z0-9-]+==[a-z0-9.+!]+( ; [\w .'<>=!()]+)? \\")
    sha = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")
    assert [line for line in LOCK if not (name.fullmatch(line) or sha.fullmatch(line))] == []
    for above, line in pairwise(LOCK):
        assert above.endswith("\\") == line.startswith(" "), f"no hash between {above!r} and {line!r}"
    assert sha.fullmatch(LOCK[-1])


def test_every_requirement_has_a_lower_bound():
    """`make lowest` tests the lowest versions; without a bound that would be the first one ever published."""
    for wanted in declared() + declared("dev"):
        assert any(s.operator == ">=" for s in wanted.specifier), f"{wanted} names no lowest version"


def run(*command: str | Path, **options) -> str:
    """Run without PYTHONPATH, which would hide the installed package behind the source."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A folder with the sdist, and the wheel made from it."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT)
    return out


@pytest.mark.slow
def test_wheel_and_sdist_hold_the_data_and_no_tests(built):
    [wheel], [sdist] = built.glob("*.whl"), built.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        files = set(archive.namelist())
    with tarfile.open(sdist) as archive:
        sources = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    for name in DATA:
        assert f"lexicloud/{name}" in files
        assert f"src/lexicloud/{name}" in sources
    tops = {name.split("/")[0] for name in files}
    assert tops == {"lexicloud", "lexicloud_start.py", f"lexicloud-{lexicloud.__version__}.dist-info"}
    assert {name.split("/")[0] for name in sources} == {
        *("src", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "PKG-INFO", ".gitignore")
    }
    modules = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.py")}
    assert modules <= files


@pytest.mark.slow
def test_the_installed_wheel_runs(built, tmp_path):
    """Into a new environment; the dependencies are seen there through a path file, lexicloud itself is not."""
    environment = tmp_path / "env"
    run(sys.executable, "-m", "venv", "--without-pip", environment)
    folder = "Scripts" if os.name == "nt" else "bin"
    python, command = environment / folder / "python", environment / folder / "lexicloud"
    [wheel] = built.glob("*.whl")
    run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        wheel,
    )
    home = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (home / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    text = tmp_path / "whale.txt"
    text.write_text("The whale swam under the ship. The ship sailed on.", encoding="utf-8")
    where = run(python, "-c", "import lexicloud; print(lexicloud.__file__)", cwd=tmp_path).strip()
    assert Path(where).is_relative_to(environment)
    assert lexicloud.__version__ in run(command, "--version", cwd=tmp_path)
    assert json.loads(run(command, "corpus", "info", text, "--json", cwd=tmp_path))["tokens"] == 12


def test_the_base_installation_stays_light():
    """At most 48 packages and 800 MB, as they are installed here, the built-in vectors and embeddings included."""
    sizes: dict[str, int] = {"lexicloud": _size((ROOT / "src" / "lexicloud").rglob("*.*"))}
    todo = [Requirement(line) for line in PROJECT["dependencies"]]
    while todo:
        wanted = todo.pop()
        name = canonicalize_name(wanted.name)
        if name in sizes:
            continue
        found = distribution(name)
        sizes[name] = _size(Path(file.locate()) for file in found.files or ())
        for line in map(Requirement, found.requires or ()):
            extras = ("", *wanted.extras)
            if line.marker is None or any(line.marker.evaluate({"extra": extra}) for extra in extras):
                todo.append(line)
    assert len(sizes) <= 48, sorted(sizes)
    assert sum(sizes.values()) <= 800e6, sorted(sizes.items(), key=lambda item: -item[1])[:10]


def _size(files):
    return sum(
        file.stat().st_size
        for file in files
        if file.is_file() and file.suffix not in {".pyc", ".nbc", ".nbi"}
    )
