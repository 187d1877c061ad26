#!/usr/bin/env python3
"""Push a built folder to the Hub: the same as `dialogue-builders push`, for a checkout."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dialogue_builders.cli.main import main

if __name__ == "__main__":
    main(["push", *sys.argv[1:]], prog_name="push_to_hub.py")
