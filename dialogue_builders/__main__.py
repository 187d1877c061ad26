"""`python -m dialogue_builders …`: the same as the command `dialogue-builders …`."""

from dialogue_builders.cli.main import main

if __name__ == "__main__":
    main(prog_name="dialogue-builders")
