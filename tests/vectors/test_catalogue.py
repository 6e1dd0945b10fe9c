"""Fetching through pip and npm: stand-ins on the path deliver tiny archives; nothing touches a network."""

from __future__ import annotations

import hashlib
import io
import os
import sys
import tarfile
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from lexicloud.errors import OptionError, VectorsError
from lexicloud.vectors import catalogue, load_vectors
from lexicloud.vectors import catalogue as fetch

TEXT = "2 3\nwhale 1 2 3\nship 4 5 6\n"
WINK = '{"dimensions":3,"words":["sea"],"vectors":{"sea":[1,2,3,3.7,0]},"unkVector":[0,0,0,0,-1]}'


def wheel(path):
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("pkg/vectors.txt", TEXT)
    return path


def tarball(path):
    with tarfile.open(path, "w:gz") as out:
        entry = tarfile.TarInfo("package/vectors.json")
        entry.size = len(WINK)
        out.addfile(entry, io.BytesIO(WINK.encode()))
    return path


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A cache, a catalogue of two tiny sources, and package managers that copy from a folder and log their calls."""
    goods = tmp_path / "goods"
    goods.mkdir()
    files = {"pip": wheel(goods / "tiny-1.0-py3-none-any.whl"), "npm": tarball(goods / "tiny-1.0.tgz")}
    members = {"pip": "pkg/vectors.txt", "npm": "package/vectors.json"}
    for manager, file in files.items():
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        source = catalogue.CatalogueSource(
            f"tiny-{manager}",
            "x",
            2,
            3,
            "MIT",
            manager,
            "tiny",
            "1.0",
            file.name,
            members[manager],
            99,
            digest,
        )
        monkeypatch.setitem(catalogue.CATALOGUE, source.name, source)
    monkeypatch.setenv("LEXICLOUD_CACHE", str(tmp_path / "cache"))
    script = (
        "import pathlib, shutil, sys\n"
        f"goods, log = pathlib.Path({str(goods)!r}), pathlib.Path({str(tmp_path / 'calls')!r})\n"
        "log.open('a').write(' '.join(sys.argv[1:]) + '\\n')\n"
        "flag = '--dest' if '--dest' in sys.argv else '--pack-destination'\n"
        "target = sys.argv[sys.argv.index(flag) + 1]\n"
        "[shutil.copy(f, target) for f in goods.iterdir() if f.suffix == ('.whl' if flag == '--dest' else '.tgz')]\n"
        "text = (goods / 'fail').read_text() if (goods / 'fail').exists() else ''\n"
        "sys.stderr.write(text); sys.exit(bool(text))\n"
    )
    package = tmp_path / "python" / "pip"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(script)
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "npm").write_text(f"#!{sys.executable}\n{script}")
    (bin_ / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def calls(shop):
    log = shop / "calls"
    return log.read_text().splitlines() if log.exists() else []


@pytest.mark.parametrize(("manager", "word"), [("pip", "whale"), ("npm", "sea")])
def test_fetch_verify_convert_cache(shop, manager, word):
    name = f"tiny-{manager}"
    with pytest.raises(VectorsError, match=f"run lexicloud vectors get {name}"):
        load_vectors(name)
    path = fetch.get_vectors(name)
    assert path == shop / "cache" / "vectors" / name
    vectors = load_vectors(name)
    assert vectors.name == name
    np.testing.assert_array_equal(vectors[word], [1, 2, 3])
    assert catalogue.find_source(name).to_dict()["fetched"]
    assert not list((shop / "cache" / "vectors" / "downloads").iterdir())  # no archive is left behind
    assert fetch.get_vectors(name) == path
    assert len(calls(shop)) == 1  # the second time there was nothing to do
    fetch.get_vectors(name, force=True)
    assert len(calls(shop)) == 2


def test_packages_are_asked_for_by_name(shop):
    fetch.get_vectors("tiny-pip")
    fetch.get_vectors("tiny-npm")
    pip, npm = calls(shop)
    assert pip.startswith("download --no-deps")
    assert pip.endswith("tiny==1.0")
    assert npm.startswith("pack tiny@1.0")
    assert "://" not in pip + npm


def test_wrong_checksum_leaves_nothing(shop, monkeypatch):
    bad = replace(catalogue.CATALOGUE["tiny-pip"], sha256="0" * 64)
    monkeypatch.setitem(catalogue.CATALOGUE, "tiny-pip", bad)
    with pytest.raises(VectorsError, match=r"has SHA-256 [0-9a-f]{16}…, expected 0{16}…"):
        fetch.get_vectors("tiny-pip")
    assert catalogue.cached("tiny-pip") is None
    assert not list((shop / "cache" / "vectors" / "downloads").iterdir())


def test_a_stopped_fetch_goes_on_from_the_archive(shop, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(fetch, "save_vectors", stop)
    with pytest.raises(KeyboardInterrupt):
        fetch.get_vectors("tiny-pip")
    assert catalogue.cached("tiny-pip") is None
    monkeypatch.undo()
    monkeypatch.setenv("LEXICLOUD_CACHE", str(shop / "cache"))
    source = catalogue.CatalogueSource(
        *(
            "tiny-pip",
            "x",
            2,
            3,
            "MIT",
            "pip",
            "tiny",
            "1.0",
            "tiny-1.0-py3-none-any.whl",
            "pkg/vectors.txt",
            99,
        ),
        hashlib.sha256((shop / "goods" / "tiny-1.0-py3-none-any.whl").read_bytes()).hexdigest(),
    )
    monkeypatch.setitem(catalogue.CATALOGUE, "tiny-pip", source)
    fetch.get_vectors("tiny-pip")
    assert len(calls(shop)) == 1


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("ERROR: No matching distribution found\n", r"pip could not fetch tiny 1.0 \(ERROR: No matching"),
        ("Temporary failure in name resolution\n", "is this machine online"),
        ("/usr/bin/python: No module named pip\n", "needs pip.*ensurepip"),
    ],
)
def test_failures_are_one_line(shop, said, message):
    (shop / "goods" / "fail").write_text(said)
    with pytest.raises(VectorsError, match=message) as error:
        fetch.get_vectors("tiny-pip")
    assert "\n" not in str(error.value)
    assert catalogue.cached("tiny-pip") is None


def test_no_npm(shop, monkeypatch):
    monkeypatch.setenv("PATH", str(shop))
    with pytest.raises(VectorsError, match="needs npm, which is not on the PATH"):
        fetch.get_vectors("tiny-npm")


def test_nothing_delivered_and_wrong_content(shop, monkeypatch):
    (shop / "goods" / "tiny-1.0.tgz").unlink()
    with pytest.raises(VectorsError, match=r"npm delivered no tiny-1\.0\.tgz"):
        fetch.get_vectors("tiny-npm")
    other = replace(catalogue.CATALOGUE["tiny-pip"], member="pkg/absent.txt")
    monkeypatch.setitem(catalogue.CATALOGUE, "tiny-pip", other)
    with pytest.raises(VectorsError, match=r"no readable pkg/absent\.txt"):
        fetch.get_vectors("tiny-pip")
    short = replace(other, member="pkg/vectors.txt", dimension=50)
    monkeypatch.setitem(catalogue.CATALOGUE, "tiny-pip", short)
    with pytest.raises(VectorsError, match="has 3 dimensions, expected 50"):
        fetch.get_vectors("tiny-pip")


def test_catalogue():
    assert fetch.get_vectors("glove-6b-50d") is None
    with pytest.raises(OptionError, match="the catalogue has no vectors 'glove'"):
        fetch.get_vectors("glove")
    for source in catalogue.CATALOGUE.values():
        assert source.licence
        assert source.builtin or (len(source.sha256) == 64 and source.bytes > 1e6)


def test_the_cache_is_the_users_unless_chosen(monkeypatch):
    from platformdirs import user_cache_path

    monkeypatch.delenv("LEXICLOUD_CACHE", raising=False)
    assert catalogue.cache_folder() == user_cache_path("lexicloud") / "vectors"
