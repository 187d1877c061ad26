"""The builder class of each corpus, derived from its declaration.

A class that is made at run time can be pickled only where it can be imported again: here every
installed corpus has its class under its name in camel case, such as `builder_classes.MyCorpus`.
"""

from __future__ import annotations

from functools import lru_cache

from dialogue_builders.loading.builder import GeneratingBuilder
from dialogue_builders.spec.corpus import Corpus
from dialogue_builders.spec.registry import corpus_names, find_corpus


def find_builder_class(name: str) -> type[GeneratingBuilder]:
    """Return the builder class of a dataset's name; raises as `find_corpus`."""
    return builder_class(find_corpus(name))


@lru_cache(maxsize=64)
def builder_class(corpus: Corpus) -> type[GeneratingBuilder]:
    """Return the builder class of a corpus: a subclass of `GeneratingBuilder`, always the same.

    Raises:
        DeclarationError: a field of a view has no description.
    """
    members = {
        "__doc__": f"{corpus.title} from its raw files; see `GeneratingBuilder`.",
        "__module__": __name__,
        "CORPUS": corpus,
    }
    return type(class_name(corpus.name), (GeneratingBuilder,), members)


def class_name(name: str) -> str:
    """Return the name of a corpus's builder class: its own name in camel case."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def __getattr__(name: str) -> type[GeneratingBuilder]:
    """Find a class again while something is unpickled."""
    for corpus_name in corpus_names():
        if class_name(corpus_name) == name:
            return find_builder_class(corpus_name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
