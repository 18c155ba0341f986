"""What pip installs is the whole program: outside of the checkout it finds its SQL and its example."""

from __future__ import annotations

import importlib.util
import os
import site
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import dbaudit

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built by the backend that is installed here, or by one that pip fetches."""
    folder = tmp_path_factory.mktemp("wheel")
    isolation = ["--no-build-isolation"] if importlib.util.find_spec("hatchling") else []
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", *isolation, "--wheel-dir", str(folder), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and not isolation:
        pytest.skip(f"hatchling is not installed and cannot be fetched: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_the_sql_and_the_example(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    sql = {f"dbaudit/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "sql").rglob("*.sql")}
    hospital = {f"dbaudit/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "fixtures" / "hospital").iterdir()}
    python = {path.relative_to(ROOT).as_posix() for path in (ROOT / "dbaudit").rglob("*.py")}
    assert sql
    assert sql | hospital | python | {"dbaudit/py.typed"} <= inside
    strangers = {name for name in inside if not name.startswith(("dbaudit/", f"dbaudit-{dbaudit.__version__}.dist-info/"))}
    assert not strangers


def test_installed_outside_of_the_checkout_it_runs(wheel: Path, tmp_path: Path) -> None:
    """A new environment gets the wheel alone; its dependencies are those of this one, by a path file, so that no index is needed."""
    home = tmp_path / "home"
    venv.create(home, with_pip=False, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    subprocess.run([sys.executable, "-m", "pip", "--python", str(home), "install", "--quiet", "--no-deps", "--no-index", str(wheel)], check=True)
    # Plain paths, not addsitedir: an editable install of the checkout among them must not come along.
    (packages / "dependencies.pth").write_text("\n".join([sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()]) + "\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DBAUDIT_", "PYTHON"))}

    def run(*words: str) -> str:
        done = subprocess.run([str(home / "bin" / words[0]), *words[1:]], cwd=tmp_path, env=kept, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run("python", "-c", "import dbaudit; print(dbaudit.__file__)").startswith(str(packages))
    assert run("dbaudit", "--version") == f"dbaudit {dbaudit.__version__}\n"
    assert "10 Lung Cancer" in run("dbaudit", "demo")
    assert "Try next:" in run("dbaudit", "demo", "--db", "kept.duckdb")
    assert run("dbaudit", "audits", "verify", "--db", "kept.duckdb", "1")
    assert str(ROOT) not in run("python", "-c", "from dbaudit.store.catalogue import shipped_folder; print(shipped_folder('sql'), shipped_folder('fixtures'))")
