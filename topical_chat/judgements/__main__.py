"""`python -m topical_chat.judgements …`: the command line with this dataset's name filled in."""

from dialogue_builders.cli.main import command_line_of

if __name__ == "__main__":
    command_line_of("topical_chat_judgements").main(prog_name="python -m topical_chat.judgements")
