"""The estimators that a method's configuration may name.

Those are retree's own by their short names, a class of an installed package by its dotted name, and
the classes in a study's own Python file as ``estimators.py:MyTree``. Nothing is called that is not
a class with scikit-learn's interface.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from retree.errors import RetreeError, unknown_name
from retree.study.folders import opened, paper_with
from retree.study.modules import check_module, own_file
from retree.study.own_sources import Stamps, find_stamps, source_state

TARGET = "_target_"
SEED = "random_state"
OWN_CODE = "retree_study_"
# Before the hash that is the version of a study's own class if it declares none.
STATE = "sources "
INTERFACE = ("get_params", "set_params")
# Pipelines and others unpickle what they find in the folder that this parameter names.
CACHE = "memory"


@dataclass(frozen=True)
class Registered:
    """An estimator that methods may name.

    Attributes
    ----------
    target : str
        Where it lives, as ``module:Class`` or ``file.py:Class``.
    version : int or str
        A declared number: raise it when the estimator gives other results than before, and its
        cells are computed anew. Whether it does, `retree verify` finds out; say in
        ``results/CHANGELOG.md`` what moved. Of a class from another package, name and version of
        that package. Of a class in a study's own file that declares none, the state of its sources.
    """

    target: str
    version: int | str = 1


ESTIMATORS: dict[str, Registered] = {
    "adadt": Registered("retree.trees.hybrid_criteria.imbalance:AdaDTClassifier"),
    "c45": Registered("retree.trees.c45.classifier:C45Classifier", version=3),
    "cart": Registered("retree.trees.cart.cart_classifier:CartClassifier", version=2),
    "cart_coded": Registered("retree.trees.cart.coded_cart:CodedCartClassifier"),
    "cart_lc": Registered("retree.trees.oblique.cart_lc:CartLCClassifier"),
    "cmdt": Registered("retree.trees.cmdt:CMDTClassifier"),
    "cv_id3": Registered("retree.trees.hybrid_criteria.clustered:CVID3Classifier"),
    "dgmml": Registered("retree.trees.hybrid_criteria.metric_learning:DGMMLClassifier"),
    "fr_id3": Registered("retree.trees.hybrid_criteria.clustered:FRID3Classifier"),
    "global_svd": Registered("retree.trees.latent.latent_trees:GlobalSVDTreeClassifier", version=2),
    "id3": Registered("retree.trees.c45.id3:ID3Classifier", version=2),
    "isat": Registered("retree.trees.hybrid_criteria.isat:ISATClassifier"),
    "jaworski": Registered("retree.trees.hybrid_criteria.stream:JaworskiClassifier"),
    "latent_space": Registered("retree.trees.latent.latent_trees:LatentSpaceTreeClassifier"),
    "local_svd": Registered("retree.trees.latent.latent_trees:LocalSVDTreeClassifier", version=2),
    "oc1": Registered("retree.trees.oblique.oc1:OC1Classifier"),
    "scaff": Registered("retree.trees.hybrid_criteria.scaff:SCAFFClassifier"),
    "segment_c45": Registered("retree.trees.structure.class_order:SegmentC45Classifier"),
    "spce": Registered("retree.trees.structure.class_order:SPCEClassifier"),
    "spes": Registered("retree.trees.structure.class_order:SPESClassifier"),
    "structure_purity": Registered(
        "retree.trees.structure.structure_purity:StructurePurityClassifier", version=2
    ),
    "thinned_forest": Registered("retree.forests.pipeline:ThinnedForestClassifier", version=4),
}


def find_estimator(
    name: str, home: Path | None = None, version: int | str | None = None
) -> Registered:
    """Return target and version of the estimator called `name`.

    Parameters
    ----------
    name : str
        A key of `ESTIMATORS`, a dotted name, or ``file.py:Class``.
    home : Path, optional
        The folder of such a file; by default that of the study that was opened last, or of the
        paper that has it.
    version : int or str, optional
        The declared version of a class in such a file, by default the state of its sources.

    Raises
    ------
    UnknownNameError
        If no estimator has this name.
    RetreeError
        If the class cannot be imported, may not be, or is of a study that is not known.
    """
    if name in ESTIMATORS:
        return ESTIMATORS[name]
    file, colon, cls = name.rpartition(":")
    if colon and file.endswith(".py"):
        folder = home or next(reversed(opened()), None) or paper_with(file)
        if folder is None:
            raise RetreeError(f"{name} is of a study: say which by --study.")
        path = own_file(folder, file)
        return Registered(f"{path}:{cls}", version or f"{STATE}{source_state(path, cls)}")
    if "." not in name:
        raise unknown_name("estimator", name, ESTIMATORS)
    module, _, cls = name.rpartition(".")
    check_module(module)
    found = _estimator_class(f"{module}:{cls}")
    own = f"{found.__module__}:{found.__qualname__}"
    known = next((r for r in ESTIMATORS.values() if r.target == own), None)
    return known or Registered(f"{module}:{cls}", _package(module))


def import_estimator(target: str) -> type[Any]:
    """Return the class that stands at `target`, ``module:Class`` or ``file.py:Class``.

    Raises
    ------
    RetreeError
        If there is no such class.
    """
    module, _, cls = target.rpartition(":")
    try:
        holder = _load(Path(module)) if module.endswith(".py") else importlib.import_module(module)
    except (ImportError, FileNotFoundError) as error:
        raise RetreeError(f"{target} cannot be imported ({error}): correct it.") from error
    if not hasattr(holder, cls):
        names = [name for name in vars(holder) if not name.startswith("_")]
        raise unknown_name(f"name in {module}", cls, names)
    found: type[Any] = getattr(holder, cls)
    return found


def make_estimator(target: str, params: Mapping[str, Any], home: Path | None = None) -> Any:
    """Return an estimator with parameters as they are configured.

    A mapping with ``_target_`` among the values becomes an object of that class; names with ``__``
    are parameters of these.

    Raises
    ------
    RetreeError
        If one of the classes is no estimator, or a parameter names a folder of pickles.
    """
    _refuse_cache(params)
    built = {name: _built(value, home) for name, value in params.items()}
    direct = {name: value for name, value in built.items() if "__" not in name}
    made = _estimator_class(target)(**direct)
    deep = {name: value for name, value in built.items() if "__" in name}
    return made.set_params(**deep) if deep else made


def signature_of(target: str) -> list[str]:
    """Return the names of the parameters of the class at `target`."""
    return list(_parameters(_estimator_class(target)))


def inner_targets(value: Any) -> Iterator[str]:
    """Yield the classes that a configured value names inside."""
    if isinstance(value, Mapping):
        if TARGET in value:
            yield str(value[TARGET])
        for part in value.values():
            yield from inner_targets(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from inner_targets(part)


def _estimator_class(target: str) -> Any:
    """Return the class at `target`, if it is one that may be called."""
    found = import_estimator(target)
    if not isinstance(found, type) or not all(hasattr(found, name) for name in INTERFACE):
        raise RetreeError(
            f"{target} is no estimator: name a class with {' and '.join(INTERFACE)}, as those of "
            "scikit-learn have."
        )
    return found


def _refuse_cache(value: Any, name: str = "") -> None:
    """Refuse parameters, at whatever depth, that let scikit-learn unpickle files."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            _refuse_cache(part, str(key))
    elif isinstance(value, list | tuple):
        for part in value:
            _refuse_cache(part, name)
    elif isinstance(value, str) and name.rpartition("__")[2] == CACHE:
        raise RetreeError(f"{name} cannot be {value!r}, a folder of pickles: leave it out.")


@lru_cache(maxsize=256)
def _parameters(cls: Any) -> tuple[str, ...]:
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(cls).parameters.values()
    return tuple(parameter.name for parameter in parameters if parameter.kind not in kinds)


def _built(value: Any, home: Path | None) -> Any:
    if isinstance(value, Mapping) and TARGET in value:
        rest = {str(name): part for name, part in value.items() if name != TARGET}
        return make_estimator(find_estimator(str(value[TARGET]), home).target, rest, home)
    if isinstance(value, list | tuple):
        parts = [_built(part, home) for part in value]
        return tuple(parts) if isinstance(value, tuple) else parts
    return value


def _package(module: str) -> str:
    """Return name and version of the package that `module` is of."""
    package = module.partition(".")[0]
    return f"{package} {getattr(importlib.import_module(package), '__version__', 'unknown')}"


def _load(file: Path) -> Any:
    return _load_version(file, file.stat().st_mtime_ns, find_stamps(file.parent))


@lru_cache(maxsize=64)
def _load_version(file: Path, changed: int, stamps: Stamps) -> Any:
    """Return a study's file as a module of a package of its folder: it may import from ``.``."""
    digest = hashlib.sha256(f"{file.parent}{stamps}".encode()).hexdigest()[:12]
    package = ModuleType(f"{OWN_CODE}{digest}")
    package.__path__ = [str(file.parent)]
    sys.modules.setdefault(package.__name__, package)
    name = f"{package.__name__}.{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with explained(module):
        spec.loader.exec_module(module)
    return module


@contextmanager
def explained(module: Any) -> Iterator[None]:
    """Let what a study's own `module` raises be one sentence with its file and line."""
    try:
        yield
    except RetreeError:
        raise
    except Exception as error:
        if not module.__name__.startswith(OWN_CODE):
            raise
        entries = traceback.extract_tb(error.__traceback__)
        lines = (e.lineno for e in reversed(entries) if e.filename == module.__file__)
        line = getattr(error, "lineno", None) or next(lines, 1)
        what = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise RetreeError(
            f"{module.__file__}, line {line}: {what}; {_fix(error, module)}."
        ) from error


def _fix(error: Exception, module: Any) -> str:
    """Return what to do about an error in a study's own `module`."""
    beside = Path(str(module.__file__)).with_name(f"{getattr(error, 'name', None)}.py")
    return f"write from .{beside.stem} import …" if beside.is_file() else "correct it"
