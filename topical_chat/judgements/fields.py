"""What every field of the judgements is, in English and Chinese; none may be missing."""

from __future__ import annotations

from topical_chat.judgements.constants import CRITERIA

_CRITERIA = {
    "understandable": ("is it understandable, 0 or 1", "是否可以理解，0 或 1"),
    "natural": ("does it sound natural, 1 to 3", "是否自然，1 至 3"),
    "maintains_context": ("does it follow from the context, 1 to 3", "是否承接上文，1 至 3"),
    "engaging": ("is it engaging, 1 to 3", "是否有吸引力，1 至 3"),
    "uses_knowledge": ("does it use the fact, 0 or 1", "是否用到了所给事实，0 或 1"),
    "overall": ("how good it is overall, 1 to 5", "总体质量，1 至 5"),
}

FIELDS: dict[str, tuple[str, str]] = {
    "context_index": (
        "the context's place in the file, from 0; all responses to it share it",
        "上下文在文件中的位置，从 0 开始；对它的所有回复都相同",
    ),
    "system": ("what wrote the response", "写出该回复的系统"),
    "context": (
        "the turns before the response, oldest first, lower-cased and tokenised by USR",
        "回复之前的各轮，由早到晚；已由 USR 转为小写并分词",
    ),
    "fact": (
        "the text that the response was to draw on; null where there was none",
        "回复所应依据的文本；没有时为空",
    ),
    "usr.response": (
        "the judged response as in the file; most end in a newline",
        "被评判的回复，与文件一致；多数以换行结尾",
    ),
    **{
        criterion: (
            f"{english}: a score of each annotator, in their order",
            f"{chinese}：按标注者顺序排列的各人评分",
        )
        for criterion, (english, chinese) in _CRITERIA.items()
    },
    "annotators": (
        "the annotators' initials, in the order of the scores",
        "标注者的缩写，与评分的顺序一致",
    ),
    "unieval": (
        "UniEval's predicted scores; null where its file is not at hand",
        "UniEval 预测的分数；没有其文件时为空",
    ),
    **{
        f"unieval.{criterion}": (
            f"its prediction of {dimension}",
            f"其对 {dimension} 的预测",
        )
        for criterion, (_, dimension) in CRITERIA.items()
    },
    "usr.conversation_id": (
        "the conversation of TCS-1.0 that the context is from; null where several could be meant",
        "上下文所在的 TCS-1.0 对话；无法唯一确定时为空",
    ),
    "begin.conversation_id": (
        "the conversation of TCS-1.1 that the message is from; null where several could be meant",
        "消息所在的 TCS-1.1 对话；无法唯一确定时为空",
    ),
    "turn_index": (
        "the turn, from 0, in whose place the response was judged",
        "被评判的回复所替代的那一轮，从 0 开始",
    ),
    "release": (
        "the release of Topical-Chat that the turn was found in",
        "找到该轮的 Topical-Chat 版本",
    ),
    "split_in_tcs_1_0": (
        "the conversation's split in TCS-1.0",
        "该对话在 TCS-1.0 中的划分",
    ),
    "split_in_tcs_1_1": (
        "its evaluation split in TCS-1.1; null where it is in none of them",
        "该对话在 TCS-1.1 中所属的评测划分；不属于任何一个时为空",
    ),
    "row_index": ("the row's place in the file, from 0", "该行在文件中的位置，从 0 开始"),
    "model_name": ("the system that wrote the response", "写出该回复的系统"),
    "data_source": (
        "the corpus that the system was trained on: `tc` is Topical-Chat",
        "训练该系统所用的语料：`tc` 即 Topical-Chat",
    ),
    "knowledge": ("the text that the response was to draw on", "回复所应依据的文本"),
    "message": ("the turn before the response", "回复之前的一轮"),
    "begin.response": ("the judged response", "被评判的回复"),
    "begin_label": (
        "whether the knowledge supports what the response says",
        "知识文本是否支持回复的内容",
    ),
    "knowledge_kind": (
        "`wiki`, or `article` for a text of a news article; null where nobody looked it up",
        "`wiki`；若为新闻文章的文本则为 `article`；未经查对时为空",
    ),
}
