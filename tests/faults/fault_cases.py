"""How many cases the suite tries, and from which seed."""

from __future__ import annotations

import os
import time

# None in `make test`, which tries the same few; `make faults` says how many.
CASES = int(os.environ.get("FAULT_CASES", 0))
SEED = int(os.environ.get("FAULT_SEED", 0)) or (time.time_ns() % 2**32 if CASES else 7)


def print_seed() -> None:
    """Say how the same cases are drawn again; shown by `make faults`, and where a test fails."""
    print(f"FAULT_SEED={SEED} draws the same cases")
