"""Merging a card with a repository's: ours is renewed, what others wrote stays."""

from __future__ import annotations

import pytest
import yaml

from dialogue_builders.card.merge import merge_cards
from dialogue_builders.card.text import (
    CardText,
    add_prose_digest,
    computed_blocks,
    is_edited,
    parse_card,
    prose_digest,
)
from dialogue_builders.errors import PushError

OWN = ("conversations", "utterances", "train")


def card(
    *, rows: int = 8, prose: str = "Two people talk.", license: str = "mit", more: str = ""
) -> str:
    return add_prose_digest(
        f"""---
pretty_name: Ours
license: {license}
configs:
- config_name: conversations
  default: true
  data_files: conversations/*
dataset_info:
- config_name: conversations
  rows: {rows}
{more}---

# Ours

{prose}

<!-- computed: counts -->
{rows} rows
<!-- end: counts -->
"""
    )


def merge(ours: str, theirs: str) -> tuple[str, tuple[str, ...]]:
    merged, notes = merge_cards(ours, theirs, name="README.md", own_configs=OWN)
    # Whatever the case, doing it again changes nothing.
    assert merge_cards(ours, merged, name="README.md", own_configs=OWN)[0] == merged
    return merged, notes


def front_matter(text: str) -> dict[str, object]:
    values: dict[str, object] = yaml.safe_load(parse_card(text).yaml)
    return values


def test_a_card_is_taken_apart_and_put_together() -> None:
    parts = parse_card(card())
    assert parts.to_text() == card()
    assert parts.yaml.startswith("pretty_name: Ours\n")
    assert parts.kept == ""
    assert computed_blocks(parts.body) == {"counts": "8 rows\n"}
    windows = "\ufeff" + card().replace("\n", "\r\n")
    assert parse_card(windows) == parts
    assert parse_card("no front matter") == CardText("", "no front matter", "")
    assert parse_card("---\n---\nbody") == CardText("", "body", "")
    assert parse_card("---\nnever closed") == CardText("", "---\nnever closed", "")


def test_prose_is_edited_where_its_words_change() -> None:
    body = parse_card(card()).body
    assert not is_edited(body)
    assert not is_edited(body.replace("8 rows", "9 rows"))
    assert not is_edited(body.replace("talk.", "talk.  ").rstrip() + "\n")
    assert is_edited(body.replace("Two", "Three"))
    assert is_edited(body + "\nA line below.\n")
    assert is_edited("no signature")
    assert prose_digest(body) == prose_digest(parse_card(card(rows=9)).body)


def test_a_card_that_nobody_edited_is_replaced() -> None:
    old, new = card(prose="Old words."), card(rows=9, prose="New words.")
    assert merge(new, old) == (new, ())
    assert merge(new, new) == (new, ())


def test_an_unsigned_card_with_the_same_words_is_replaced_too() -> None:
    old = card().rsplit("\n<!-- prose", 1)[0]
    assert "prose:" not in old
    assert merge(card(rows=9), old) == (card(rows=9), ())


def test_edited_prose_stays_and_its_blocks_are_renewed() -> None:
    old = card(prose="Old words.").replace("Old words.", "Words of a reader.")
    merged, (note,) = merge(card(rows=9, prose="New words."), old)
    assert "Words of a reader." in merged
    assert "New words." not in merged
    assert computed_blocks(merged) == {"counts": "9 rows\n"}
    assert front_matter(merged)["dataset_info"] == [{"config_name": "conversations", "rows": 9}]
    assert "was edited in the repository" in note


def test_a_block_that_edited_prose_lacks_is_added() -> None:
    new = card().replace(
        "<!-- computed: counts -->",
        "<!-- computed: origin -->\nfrom files\n<!-- end: origin -->\n\n<!-- computed: counts -->",
    )
    merged, _ = merge(new, card().replace("Two", "Three"))
    assert computed_blocks(merged) == {"counts": "8 rows\n", "origin": "from files\n"}
    assert merged.index("counts") < merged.index("origin")
    assert "Three people talk." in merged


def test_foreign_keys_survive_in_their_order() -> None:
    old = card(more="extra_gated_prompt: 请先登录\nannotations: [a, b]\n")
    merged, notes = merge(card(license="apache-2.0"), old)
    values = front_matter(merged)
    assert list(values) == [
        "pretty_name",
        "license",
        "configs",
        "dataset_info",
        "extra_gated_prompt",
        "annotations",
    ]
    assert values["license"] == "apache-2.0"
    assert values["annotations"] == ["a", "b"]
    assert "extra_gated_prompt: 请先登录\n" in merged
    assert notes == ()


def test_a_license_takes_its_companions_along() -> None:
    old = card(license="other", more="license_name: theirs\nlicense_link: here\n")
    assert merge(card(), old) == (card(), ())


def test_foreign_configs_stay_behind_ours_and_give_up_the_default() -> None:
    old = """---
configs:
- {config_name: theirs, default: true, data_files: theirs/*}
- {config_name: utterances, data_files: old/*}
- {config_name: conversations, data_files: old/*}
dataset_info:
  config_name: theirs
  features: []
---
"""
    merged, notes = merge(card(), old)
    assert front_matter(merged)["configs"] == [
        {"config_name": "conversations", "default": True, "data_files": "conversations/*"},
        {"config_name": "theirs", "data_files": "theirs/*"},
    ]
    assert front_matter(merged)["dataset_info"] == [
        {"config_name": "conversations", "rows": 8},
        {"config_name": "theirs", "features": []},
    ]
    assert notes == ("README.md: theirs is no longer the default config",)


def test_an_entry_without_a_name_is_the_default_config() -> None:
    old = "---\nconfigs:\n- data_files: data/*\n---\n"
    merged, _ = merge(card(), old)
    assert front_matter(merged)["configs"][1:] == [{"data_files": "data/*"}]  # type: ignore[index]


def test_a_foreign_card_is_kept_below_ours() -> None:
    old = "---\ntags: [theirs]\n---\n# Theirs\n\nTheir words.\n"
    merged, (note,) = merge(card(), old)
    assert front_matter(merged)["tags"] == ["theirs"]
    ours, _, kept = merged.partition("<!-- kept: what this page said before -->")
    assert "Two people talk." in ours
    assert kept.endswith("\n# Theirs\n\nTheir words.\n")
    assert "is kept below" in note
    # It does not count as an edit: newer prose of ours still takes the place of the older.
    later, notes = merge(card(prose="New words."), merged)
    assert "New words." in later
    assert "Two people talk." not in later
    assert later.endswith("\n# Theirs\n\nTheir words.\n")
    assert notes == ()


def test_an_empty_foreign_card_leaves_nothing() -> None:
    assert merge(card(), "---\nlicense: other\n---\n\n") == (card(), ())
    assert merge(card(), "") == (card(), ())


WRITTEN = """# Whose it is.
version: 1.10
answer: no
time: 12:30:00
code: 010
date: 2020-99-99
twice: first
twice: second
quoted: '1.10'  # a text
text: |
  two
   lines
flow: {a: no, b: [1.10, 010]}
empty:
long: LONG
""".replace("LONG", " ".join(["对话"] * 60))


def test_foreign_values_keep_their_written_form() -> None:
    old = card(more=WRITTEN)
    merged, _ = merge(card(rows=9), old)
    assert parse_card(merged).yaml == parse_card(card(rows=9)).yaml + WRITTEN


def test_foreign_values_above_ours_do_too() -> None:
    old = f"---\n{WRITTEN}configs: []\n# Ours, once.\nlicense: other\n---\n"
    merged, _ = merge(card(), old)
    assert parse_card(merged).yaml == parse_card(card()).yaml + WRITTEN


def test_a_foreign_config_keeps_its_values_written_form() -> None:
    old = """---
configs:
  - config_name: theirs
    default: yes
    version: 1.10
    flag: no
    data_files: theirs/*
more: 010
---
"""
    merged, (note,) = merge(card(), old)
    assert "- config_name: theirs\n  version: 1.10\n  flag: no\n  data_files: theirs/*\n" in merged
    assert "\nmore: 010\n" in merged
    assert "theirs is no longer the default" in note


def test_an_anchor_in_a_part_that_goes_is_not_lost() -> None:
    old = "---\nlicense: &mine other\nsame: *mine\nagain: *mine\n---\n"
    merged, _ = merge(card(), old)
    values = front_matter(merged)
    assert [values["license"], values["same"], values["again"]] == ["mit", "other", "other"]


@pytest.mark.parametrize("key", ["lol9", "configs"])
def test_aliases_are_not_expanded(key: str) -> None:
    """Nine times nine lists would be a billion words, and as a config's entry no fewer."""
    lines = ["lol0: &lol0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]"]
    for n in range(1, 10):
        lines.append(f"lol{n}: &lol{n} [{', '.join([f'*lol{n - 1}'] * 9)}]")
    lines.append("configs: [{config_name: theirs, values: *lol9}]" if key == "configs" else "")
    old = "---\n" + "\n".join(lines) + "\n---\n"
    merged, _ = merge(card(), old)
    assert len(merged) < len(card()) + 3 * len(old)


@pytest.mark.parametrize(
    "deep", ["a: " + "[" * 3000 + "]" * 3000, "a: " + "{a: " * 3000 + "}" * 3000]
)
def test_front_matter_that_is_nested_too_deeply(deep: str) -> None:
    with pytest.raises(PushError, match="nested too deeply") as caught:
        merge_cards(card(), f"---\n{deep}\n---\n", name="README.md", own_configs=OWN)
    assert caught.value.file == "README.md"


@pytest.mark.parametrize("front", ["a: [1", "- a list", "a: b: c"])
def test_front_matter_that_cannot_be_read_is_not_lost(front: str) -> None:
    with pytest.raises(PushError, match="can't be read") as caught:
        merge_cards(card(), f"---\n{front}\n---\n", name="README.md", own_configs=OWN)
    assert caught.value.file == "README.md"
    assert "mend it" in str(caught.value)
