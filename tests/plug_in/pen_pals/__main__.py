"""`python -m pen_pals …`: the command line with this dataset's name filled in."""

from dialogue_builders.cli.main import command_line_of

if __name__ == "__main__":
    command_line_of("pen_pals").main(prog_name="python -m pen_pals")
