"""The words of the computed parts of a card, in every language that a card may have.

English is the key: a text without a translation stays as it is. A corpus adds the translations of
its own words (`Corpus.translations`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dialogue_builders.spec.corpus import Corpus

LANGUAGES = {"en": "English", "zh": "中文"}
"""The languages of cards, by their codes, with their names for themselves."""

TRANSLATIONS: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "Built from {raw}. Upstream: {upstream}.": "本目录由{raw}构建。上游来源：{upstream}。",
        "the upstream files, byte for byte those that are pinned": "与固定版本逐字节一致的上游文件",
        "the invented sample: nothing in it is from the corpus": (
            "虚构的示例数据（其中没有任何语料原文）"
        ),
        "raw files that are not the pinned ones, or not byte for byte": (
            "与固定版本不同（或并非逐字节相同）的原始文件"
        ),
        "raw files as they were given: upstream's are not public, so none are pinned": (
            "所给的原始文件（上游文件不公开，因此没有固定版本）"
        ),
        "Only these splits were built: {splits}.": "仅构建了以下划分：{splits}。",
        "Options of {view}: {values}.": "{view} 的选项：{values}。",
        "What the build noted:": "构建时的记录：",
        "config": "配置",
        "what a row is": "一行是什么",
        "rows": "行数",
        "files": "文件数",
        "size": "大小",
        (
            "Programs that read Parquet (DuckDB, Polars, Spark and others) are given the folder "
            "{data} of a config, because some of them look into no folder below the one they are "
            "given. In DuckDB, for instance:"
        ): (
            "用读取 Parquet 的程序（DuckDB、Polars、Spark 等）打开时，请给出配置下的 {data} 目录："
            "有些程序不会进入所给目录的下级目录。例如在 DuckDB 中："
        ),
        "all splits": "所有划分",
        "one split": "单个划分",
        "field": "字段",
        "type": "类型",
        "what it is": "含义",
        "list of {kind}": "列表（{kind}）",
        "label: {names}": "标签：{names}",
        "records": "结构体",
        "all": "合计",
        "{view} (key: {key})": "{view}（主键：{key}）",
        "split": "划分",
        "{title} by {series}": "各{series}的{title}",
        "{title} ({kind}). {parts}.": "{title}（{kind}）。{parts}。",
        "; ": "；",
        "No config of this folder can be counted.": "本目录中没有可以统计的配置。",
        "Where the source's own table prints something else:": "上游表格所印数值与此不同之处：",
        "published": "公布值",
        "least": "最小值",
        "median": "中位数",
        "most": "最大值",
        "{counted} in all": "{counted}总数",
        "dot plot": "点图",
        "line plot": "折线图",
        "share of {counted} in %": "占{counted}的百分比",
        "{series}: most often {category} ({share} %)": "{series}：最常见为 {category}（{share}%）",
        "{label} at {value}": "{label}在 {value} 处",
        "the same drawing as SVG": "同一图的 SVG 版本",
    }
}

# Sentences that a build writes with their values in them; they are recognized by their form.
SENTENCES: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "{note} ({count} times)": "{note}（{count} 次）",
        "the config {config} has no {splits}: there is no raw file for it": (
            "配置 {config} 没有 {splits}：缺少相应的原始文件"
        ),
        "the config {config} was left out: {problem}": "略去配置 {config}：{problem}",
        (
            "{split} has {rows} rows of {view}, but {published} are published: "
            "a part, or another version"
        ): "{split} 的 {view} 有 {rows} 行，而公布的是 {published} 行：只是一部分，或是别的版本",
        "the raw folder lacks {files}": "原始目录缺少 {files}",
    }
}


class Translator:
    """Translates the computed parts of a corpus's card into one language.

    Attributes:
        language: its code.
        missing: the texts that were asked for and have no translation.
    """

    def __init__(self, corpus: Corpus, language: str) -> None:
        self.language = language
        self.missing: set[str] = set()
        own = corpus.translations.get(language, {})
        sentences = {**SENTENCES.get(language, {}), **{t: own[t] for t in own if "{" in t}}
        self._known = {**TRANSLATIONS.get(language, {}), **sentences, **own}
        self._sentences = [(_pattern(template), template) for template in sentences]

    def __call__(self, text: str, **values: Any) -> str:
        """Return a text in the language, its `{names}` filled in."""
        if text and text not in self._known and self.language != "en":
            self.missing.add(text)
        found = self._known.get(text, text)
        return found.format(**values) if values else found

    def line(self, text: str) -> str:
        """Translate a finished line whose values are filled in already, such as a build's note."""
        if text in self._known or self.language == "en":
            return self(text)
        for pattern, template in self._sentences:
            if match := pattern.fullmatch(text):
                parts = {name: self._part(part) for name, part in match.groupdict().items()}
                return self(template, **parts)
        return self(text)

    def _part(self, text: str) -> str:
        """Translate a value within a line; a name or a number stays as it is."""
        matches = any(pattern.fullmatch(text) for pattern, _ in self._sentences)
        return self.line(text) if matches else self._known.get(text, text)


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", template)
    named = (re.escape(p) if n % 2 == 0 else f"(?P<{p}>.+)" for n, p in enumerate(parts))
    return re.compile("".join(named))
