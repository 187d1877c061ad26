"""Teach stock `datasets` our names: a hook in its modules that other people's hooks can live with.

What is hooked is looked up in the library at each call. So a module that was reloaded, or a patch
of somebody else that came and went, is noticed; a memory of our own would be wrong after both.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dialogue_builders.errors import OptionError
from dialogue_builders.spec.registry import corpus_names

if TYPE_CHECKING:
    from datasets.load import DatasetModule

SEAM = "dataset_module_factory"
MARK = "_dialogue_builders_hook"
_POSITIONS = (
    "revision",
    "download_config",
    "download_mode",
    "data_dir",
    "data_files",
    "cache_dir",
)

_lock = threading.RLock()
# A hook that somebody's later wrapper holds can't be taken out; this makes it pass everything on.
_is_on = False


def refuse_hub_parameters(name: str, **given: Any) -> None:
    """Refuse parameters that only make sense for a repository on the Hub.

    Raises:
        OptionError: one of them is given.
    """
    advice = {
        "revision": "the pinned raw files have one revision; leave it out",
        "data_files": "give the raw folder as data_dir",
    }
    for parameter, value in given.items():
        if value is not None:
            raise OptionError(
                f"{parameter} has no meaning for {name}, which is built from raw files",
                next_step=advice[parameter],
            )


def register() -> None:
    """Teach stock `datasets` our names, for code that can't be edited.

    Afterwards `datasets.load_dataset("topical_chat", …)`, `load_dataset_builder`,
    `get_dataset_config_names` and `get_dataset_split_names` know them, also where they were
    imported before. A name wins over a local folder of that name (`./topical_chat` still means the
    folder). Calling it twice changes nothing; after a reload of the library's modules it hooks
    again; `unregister` undoes it. It holds for this process: a spawned one that loads by name has
    to call it too (docs/register.md says how where its code can't be edited). The library prepares
    every split before it takes the one that `split` names; `splits=[…]` prepares a part, and
    streaming reads a part only.
    """
    global _is_on
    import datasets.inspect
    import datasets.load  # noqa: F401

    with _lock:
        _is_on = True
        hooks: dict[int, Callable[..., Any]] = {}  # one for each function that is wrapped
        for module in _modules_with_the_seam():
            function = getattr(module, SEAM)
            if not _is_hooked(function):
                hook = hooks.setdefault(id(function), _hook(function))
                setattr(module, SEAM, hook)


def unregister() -> None:
    """Undo `register`; does nothing where it was not called.

    Only our own hook is removed. One that somebody has wrapped since then stays inside of that
    wrapper, and passes every call on.
    """
    global _is_on
    with _lock:
        _is_on = False
        for module in _modules_with_the_seam():
            function = getattr(module, SEAM)
            while _is_ours(function):
                function = function.__wrapped__
            setattr(module, SEAM, function)


def _modules_with_the_seam() -> Iterator[ModuleType]:
    """Yield the library's modules that hold the function under a name of their own.

    `load_dataset` and the `get_dataset_…` functions look it up in their own module at each call.
    Which modules those are depends on what was imported: `datasets.commands.test` is another one.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith("datasets.") and SEAM in getattr(module, "__dict__", {}):
            yield module


def _is_ours(function: Any) -> bool:
    # `functools.wraps` of others copies the mark, so it has to be the function's own.
    return getattr(function, MARK, None) is function


def _is_hooked(function: Any) -> bool:
    """Tell whether a function is our hook, or wraps it in a way that can be seen."""
    while function is not None:
        if _is_ours(function):
            return True
        function = getattr(function, "__dict__", {}).get("__wrapped__")
    return False


def _hook(wrapped: Callable[..., DatasetModule]) -> Callable[..., DatasetModule]:
    @functools.wraps(wrapped)
    def dataset_module_factory(path: str, *arguments: Any, **keywords: Any) -> DatasetModule:
        if not _is_on or path not in corpus_names():
            return wrapped(path, *arguments, **keywords)
        from datasets.load import DatasetModule

        given = {**dict(zip(_POSITIONS, arguments, strict=False)), **keywords}
        refuse_hub_parameters(path, **{k: given.get(k) for k in ("revision", "data_files")})
        # The hash is a placeholder: the builder replaces it by that of the raw files.
        return DatasetModule(_module_with_builder_class(path), "", {"dataset_name": path})

    setattr(dataset_module_factory, MARK, dataset_module_factory)
    return dataset_module_factory


def _module_with_builder_class(name: str) -> str:
    """Return the name of a module that holds a dataset's builder class and nothing else.

    Stock `datasets` takes the first builder class of the module that it is told to import.
    """
    from dialogue_builders.loading import builder_classes

    module_name = f"{builder_classes.__name__}.{name}"
    if module_name not in sys.modules:
        module = ModuleType(module_name)
        setattr(module, name, builder_classes.find_builder_class(name))
        sys.modules[module_name] = module
    return module_name
