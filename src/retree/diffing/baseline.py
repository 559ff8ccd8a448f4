"""Committed results of another revision than the one that is checked out."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

from retree.errors import RetreeError


def at_revision(revision: str, results: Path, folder: Path) -> Path:
    """Write the folder `results` as of a git revision to `folder`, and return that."""
    command = ["git", "-C", str(results), "archive", "--format=tar", revision, "."]
    try:
        done = subprocess.run(command, capture_output=True, timeout=120, check=True)
    except subprocess.CalledProcessError as error:
        why = error.stderr.decode(errors="replace").strip().splitlines()
        raise RetreeError(
            f"{results} as of {revision!r} is unavailable from git ({why[-1] if why else 'no word'}"
            "); name a commit that has it with --against=REVISION."
        ) from error
    except (OSError, subprocess.SubprocessError) as error:
        raise RetreeError(f"--against needs git, which does not run ({error}).") from error
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder
