"""A virtual environment for each peer, under a folder that git ignores; made again when its requirements change."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from cortex_bench.peers.roster import ENVIRONMENT, UNSET, Peer

ROOT = Path(__file__).parents[3]
MODEL = ROOT / "packages/cortex-model-minilm/src/cortex_model_minilm"
HERE = Path(__file__).parent
INSTALL_SECONDS = 1200.0


def prepare(peer: Peer, cache: Path) -> Path:
    """The Python of the peer's environment, which is made if need be; for Cortex the one that runs now."""
    wanted = HERE / "requirements" / f"{peer.name}.txt"
    if not wanted.exists():
        return Path(sys.executable)
    place, text = cache / peer.name, wanted.read_text("utf-8")
    stamp = place / "requirements.txt"
    if not stamp.exists() or stamp.read_text("utf-8") != text:
        shutil.rmtree(place, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(place)])
        # The project's own constraints hold for the project, not for others.
        _run([
            "env", "-u", "PIP_CONSTRAINT", "-u", "PIP_BUILD_CONSTRAINT", str(place / "bin/python"), "-m", "pip", "-qq",
            "--disable-pip-version-check", "--no-input", "install", "-r", str(wanted),
        ])  # fmt: skip
        stamp.write_text(text, "utf-8")
    return place / "bin/python"


def version(python: Path, package: str) -> str:
    """The version of the package in that environment."""
    script = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run(  # noqa: S603 - our own command
        [str(python), "-c", script], capture_output=True, text=True, check=True, timeout=60
    ).stdout.strip()


def command(peer: Peer, python: Path) -> list[str]:
    """What starts the driver; `{home}` stands for the folder it works in, so that a peer finds no other home."""
    settings = [f"{name}={value}" for name, value in ENVIRONMENT.items()]
    if python == Path(sys.executable):
        settings.append(f"PYTHONPATH={ROOT / 'src'}")
    unset = [part for name in UNSET for part in ("-u", name)]
    return ["env", *unset, "HOME={home}", *settings, str(python), str(HERE / "drivers" / f"drive_{peer.name}.py")]


def _run(arguments: list[str]) -> None:
    subprocess.run(arguments, check=True, timeout=INSTALL_SECONDS)  # noqa: S603 - our own commands
