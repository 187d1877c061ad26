"""The words of the judgements' Chinese card that are computed or declared; English is the key."""

from __future__ import annotations

from topical_chat.judgements import begin, sources, usr
from topical_chat.judgements.fields import FIELDS

SUMMARIES = {
    usr.USR.summary: "每个为 USR 评判的回复一行：六项标准，三位标注者",
    begin.BEGIN.summary: "每个为 BEGIN 评判的回复一行：其内容能否归因于所给知识",
}

STATISTICS = {
    "judged responses": "被评判的回复",
    "{criterion}: all annotators agree": "{criterion}：所有标注者一致",
    "{criterion}: UniEval's Pearson correlation": "{criterion}：UniEval 的皮尔逊相关系数",
    "{criterion}: {system}": "{criterion}：{system}",
    "Understandable": "可理解",
    "Natural": "自然",
    "Maintains Context": "承接上文",
    "Engaging": "有吸引力",
    "Uses Knowledge": "运用知识",
    "Overall": "总体",
    "Original Ground Truth": "原始人类回复",
    "Argmax Decoding": "贪心解码",
    "Nucleus Decoding (p = 0.3)": "核采样（p = 0.3）",
    "Nucleus Decoding (p = 0.5)": "核采样（p = 0.5）",
    "Nucleus Decoding (p = 0.7)": "核采样（p = 0.7）",
    "New Human Generated": "新写的人类回复",
    "Fully attributable": "完全可归因",
    "Not fully attributable": "不能完全归因",
    "Generic": "泛泛的回复",
    "{name}, {split}: printed {printed}, measured {measured} ({how})": (
        "{name}，{split}：印为 {printed}，实测 {measured}（{how}）"
    ),
    "cut off, not rounded": "截断而非四舍五入",
    "differs": "不一致",
}

NOTES = {
    usr.NO_CONTEXT_END: "usr：一个上下文没有以空行结尾；文本保持原样",
    begin.NO_PLACE: "begin：一条消息在 TCS-1.1 的 test_freq 中没有唯一的位置；其连接为空",
    sources.USR_RESTRICTION: (
        "USR 没有说明许可证，因此无从得知其评判是否可以公开；其部分事实是新闻文章的文本"
    ),
    sources.BEGIN_RESTRICTION: (
        "BEGIN 的部分知识（knowledge_kind 为 article）是新闻文章的文本，不得再分发"
    ),
    sources.UPSTREAM: (
        sources.UPSTREAM.replace(
            "(a copy: the authors' own file was not compared)", "（副本；未与作者自己的文件比对）"
        )
        .replace(": https", "：https")
        .replace(" at commit ", "，提交 ")
        .replace("; ", "；")
    ),
}

CHINESE: dict[str, str] = {**dict(FIELDS.values()), **SUMMARIES, **STATISTICS, **NOTES}
