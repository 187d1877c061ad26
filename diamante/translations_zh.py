"""The words of Diamante's Chinese card that are computed or declared; English is the key."""

from __future__ import annotations

from dialogue_builders.dialogue.chat import CHAT_NOTES_ZH
from diamante import statistics
from diamante.constants import CARRIED
from diamante.fields import FIELDS
from diamante.sources import PLATFORM

SUMMARIES = {
    "a row per conversation, in the source's own names and nesting": (
        "每段对话一行，沿用来源的字段名与嵌套结构"
    ),
    "a row per turn": "每轮一行",
    "a row per human reply, with its candidates and the feedback they got": (
        "每句人的回复一行，附其候选及所得反馈"
    ),
    "a row per preference: prompt, chosen, rejected, in TRL's explicit form": (
        "每个偏好一行：prompt、chosen、rejected，即 TRL 的显式提示格式"
    ),
    "a row per reply: human, model and random completion with their ranks": (
        "每句回复一行：人的、模型的与随机的续写及其名次"
    ),
    "a chat per conversation, for supervised fine-tuning: user first, assistant last": (
        "每段对话一份聊天记录，用于监督微调：user 开始，assistant 结束"
    ),
    "the conversations of {split} alone": "仅 {split} 的对话",
}

STATISTICS = {
    "dialogues": "对话",
    "utterances": "话语（轮）",
    "characters per utterance": "每句话的字符数",
    "replies": "回复",
    "select, %": "选用，%",
    "revise, %": "修改，%",
    "rewrite, %": "重写，%",
}

HISTOGRAMS = {
    statistics.LENGTHS.title: "对话长度",
    statistics.LENGTHS.axis: "每段对话的轮数",
    statistics.SIMILARITY.title: "回复与最相近候选的相似度",
    statistics.SIMILARITY.axis: f"字符 F1，按 {statistics.STEP:g} 向下取整",
    "revise from": "修改的下限",
}

_EVIDENCE = "{shown}% of {replies} replies equal a candidate, mean similarity to the nearest {mean}"

NOTES = {
    "{split}: candidates={reading}, as measured (next: {next}; same: {same})": (
        "{split}：candidates={reading}，实测所得（next：{next}；same：{same}）"
    ),
    _EVIDENCE: "{replies} 句回复中有 {shown}% 等于某个候选，与最相近候选的平均相似度为 {mean}",
    "no reply has a candidate": "没有任何回复带有候选",
    "{file}: replies without a usable candidate; no row of a model": (
        "{file}：没有可用候选的回复；没有与模型相比的行"
    ),
    "{file}: replies without a usable candidate; no row of ranking": (
        "{file}：没有可用候选的回复；没有 ranking 的行"
    ),
    "{file}: replies without candidates; their feedback is null": (
        "{file}：没有候选的回复；其 feedback 为空"
    ),
    "{file}: no other utterance in the split; no row of a random one": (
        "{file}：划分中没有其他话语；没有与随机话语相比的行"
    ),
    "{file}: the speaker of a reply spoke before it; no prompt with prompt_start=user, no row": (
        "{file}：回复者此前刚说过话；prompt_start=user 时没有提示，也没有对应的行"
    ),
    "{file}: a prompt from which the assistant's opening is left out (prompt_start=user)": (
        "{file}：略去 assistant 开场部分的提示（prompt_start=user）"
    ),
    "{file}: candidates on a dialogue's last turn compete with no reply; left out of replies": (
        "{file}：对话末轮上的候选没有与之竞争的回复；不计入"
    ),
    "{file}: candidates on a dialogue's first turn compete with no reply; left out of replies": (
        "{file}：对话首轮上的候选没有与之竞争的回复；不计入"
    ),
    **CHAT_NOTES_ZH,
    "{file}: no response_candidates; taken as none": (
        "{file}：没有 response_candidates；视为没有候选"
    ),
    "{file}: no id; dialogues are numbered, such as {example}": (
        "{file}：没有编号；对话按顺序编号，如 {example}"
    ),
    "{file}: no role; speaker1 and speaker2 alternate": (
        "{file}：没有角色；speaker1 与 speaker2 交替"
    ),
}

# What a page says of a dialogue.
DIALOGUES = {
    "feedback": "反馈",
    "select": "选用",
    "revise": "修改",
    "rewrite": "重写",
    "candidates": "候选回复",
    CARRIED: "文件中的候选",
    "nearest": "最接近",
    "chosen": "被选用",
    "no candidates": "没有候选",
    "similarity": "相似度",
    "preference pairs": "偏好对",
    "similarity {number} of {count}": "相似度 {number}，共 {count} 个候选",
    "similarity {number}": "相似度 {number}",
    "{count} candidates": "{count} 个候选",
}

CHINESE: dict[str, str] = {
    **DIALOGUES,
    **dict(FIELDS.values()),
    **SUMMARIES,
    **STATISTICS,
    **HISTOGRAMS,
    **NOTES,
    f"the LUGE platform, data set 52 ({PLATFORM})": f"千言（LUGE）平台，数据集 52（{PLATFORM}）",
}
