"""Where Diamante's raw files come from and where they may lie; its license in plain words.

Source: the LUGE platform's page and agreement, and the archive's layout as Knover's reader and two
public programs have it. There are no pins: the files are not public.
"""

from __future__ import annotations

from dialogue_builders.spec import EXTENSIONS, RawSource
from diamante.records import DIALOGUE

PLATFORM = "https://www.luge.ai/#/luge/dataDetail?id=52"

DIALOGUES_SOURCE = RawSource(
    name="dialogues",
    record_type=DIALOGUE,
    # The folder that holds the three files, or one that the archive's own folders lie in.
    path_templates=("{split}", "luge_Diamante/{split}", "luge_Diamante/luge_Diamante/{split}"),
    extensions=(".txt", ".txt.gz", *EXTENSIONS),
    formats=("record_lines", "json_list"),
)

SOURCES = {DIALOGUES_SOURCE.name: DIALOGUES_SOURCE}

LICENSE_NOTE = (
    "LUGE's agreement: academic research only; no commercial use of the data, or of what is "
    "derived from it, without written consent; for yourself only"
)

TERMS = (
    "Diamante is given out by the LUGE platform under an agreement that every user accepts there. "
    "It allows academic research only, and no commercial use of the data or of what is derived "
    "from it without written consent; and it is given for yourself only, which speaks against "
    "putting it where others can fetch it. Accept these terms only if you may publish the data."
)

HOW_TO_GET = (
    f"Diamante can't be fetched by a program: open {PLATFORM} (the LUGE platform, data set 52), "
    "log in, accept the agreement, and download the archive; then give the archive as it is, or "
    "the folder that it unpacks to (luge_Diamante, with train.txt, valid.txt and test.txt), as "
    "data_dir (command line: --data-dir)"
)
