"""The jobs of ``retree run -m``, started by one of Hydra's launchers.

Usage: python -m retree.launch hydra/launcher=joblib item=table2 datasets=[iris],[zoo]
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import hydra
from hydra.core.config_store import ConfigStore

from retree.arguments import make_parser
from retree.errors import RetreeError
from retree.study.folders import open_study
from retree.study.overrides import expand

_RETREE = "import sys; from retree.start import main; sys.exit(main())"


def find_jobs(words: Sequence[str]) -> list[list[str]]:
    """Return the arguments of ``retree run`` for each job that `words` ask for."""
    args, overrides = make_parser().parse_known_args(["run", *words])
    if args.study:
        open_study(args.study)
    options = [w for w in words if w not in overrides and w not in ("-m", "--multirun")]
    return [["run", *options, *some] for some in expand(overrides)]


def main(words: Sequence[str]) -> None:
    """Let Hydra launch the jobs that `words` ask for; those of the key ``hydra`` are its own.

    Each job is a process of ``retree run``, which composes and computes as it does anywhere. Jobs
    share a store: a cell that one has claimed is not computed by another.
    """
    own = [word for word in words if word.lstrip("+~").startswith(("hydra/", "hydra."))]
    jobs = find_jobs([word for word in words if word not in own])

    def job(config: Any) -> None:
        words = " ".join(["retree", *jobs[config.job]])
        print(words, flush=True)
        # In a process of its own, since Hydra is used once in each: here it launches.
        code = subprocess.run([sys.executable, "-c", _RETREE, *jobs[config.job]]).returncode
        if code:
            raise RetreeError(f"{words} ended with exit code {code}: its message stands above.")

    ConfigStore.instance().store("jobs", {"job": 0})
    sys.argv[1:] = ["--multirun", "job=" + ",".join(map(str, range(len(jobs)))), *own]
    hydra.main(config_path=None, config_name="jobs", version_base="1.3")(job)()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except RetreeError as error:
        sys.exit(str(error))
