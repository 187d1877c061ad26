"""Memory that Python and Arrow would otherwise hold on to."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa


def release_memory() -> None:
    """Give back what Arrow's allocator holds in reserve; it would keep most of a build's peak."""
    pa.default_memory_pool().release_unused()


@contextmanager
def system_allocator() -> Iterator[None]:
    """Have Arrow take memory from the system.

    Its own allocator keeps a reserve per thread and size, which is most of the peak where columns
    of many sizes come and go.
    """
    before = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(before)


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pause the cyclic garbage collector.

    Decoded records are trees: counting references frees them. The collector, woken by so many new
    lists, would only walk through all of the imported libraries again and again.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
