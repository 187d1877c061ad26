"""What every field of every config is, in English and Chinese; a test says that none is missing.

A field is looked up as `view.path`, as its path, and by its last name.
"""

from __future__ import annotations

FIELDS: dict[str, tuple[str, str]] = {
    "id": (
        "the source's id of the dialogue; numbered within the split where the source has none",
        "来源中的对话编号；来源没有编号时在划分内顺序编号",
    ),
    "conversation": ("the turns, in order", "按顺序排列的各轮"),
    "conversation.role": (
        "who speaks, `speaker1` or `speaker2`",
        "说话者：`speaker1` 或 `speaker2`",
    ),
    "utterance": (
        "text of the turn, untouched and not tokenised",
        "本轮原文，未作改动，未分词",
    ),
    "response_candidates": (
        "a model's proposals on this turn, as they stand in the file",
        "本轮上模型给出的候选，与文件一致",
    ),
    "conversation_id": (
        "the dialogue's id; within a split it joins rows of all configs with `turn_index`",
        "对话编号；在同一划分内与 `turn_index` 一起可连接所有配置的行",
    ),
    "turn_index": (
        "the turn's place in the dialogue, from 0; for a reply, the reply's own",
        "该轮在对话中的位置，从 0 开始；对回复而言是回复自身的位置",
    ),
    "role": ("`user` or `assistant`", "`user` 或 `assistant`"),
    "utterances.role": (
        "who speaks, `speaker1` or `speaker2`",
        "说话者：`speaker1` 或 `speaker2`",
    ),
    "responses.role": (
        "who replies, `speaker1` or `speaker2`",
        "回复者：`speaker1` 或 `speaker2`",
    ),
    "history": ("the turns before the reply, oldest first", "回复之前的各轮，由早到晚"),
    "response": ("text of the human's reply", "人的回复"),
    "candidates": (
        "the model's proposals that the reply competes with, as they stand in the file",
        "与该回复竞争的模型候选，与文件一致",
    ),
    "feedback": (
        "how the human arrived at the reply, derived; null without candidates",
        "人如何得到这句回复（推得）；没有候选时为空",
    ),
    "similarity": (
        "character F1 with the nearest candidate, from 0 to 1; null without candidates",
        "与最相近候选的字符 F1，取值 0 到 1；没有候选时为空",
    ),
    "prompt": (
        "what was said before the reply, user first and last; the one who replies is the assistant",
        "回复之前的内容，由 user 开始、由 user 结束；回复者为 assistant",
    ),
    "chosen": ("the better side, one message of the assistant", "较好的一方，一条 assistant 消息"),
    "rejected": ("the worse side, one message of the assistant", "较差的一方，一条 assistant 消息"),
    "pair": (
        "what stands against what: human, model and random utterance, the better one first",
        "相比的双方：人、模型与随机话语，较好者在前",
    ),
    "candidate_index": (
        "place of the candidate in the source's list, from 0; null where none is in the pair",
        "候选在来源列表中的位置，从 0 开始；该对中没有候选时为空",
    ),
    "completions": (
        "three replies: the human's, a model's, a random utterance",
        "三句回复：人的、模型的、随机话语",
    ),
    "ranks": ("their ranks, 1 for the best", "它们的名次，1 为最好"),
    "assistant": ("the speaker whose turns are the assistant's", "充当 assistant 的一方"),
    "messages": (
        "the chat: the user begins, the assistant ends, and roles alternate",
        "聊天记录：由 user 开始，由 assistant 结束，角色交替",
    ),
    "chosen.content": ("text of the reply", "回复文本"),
    "rejected.content": ("text of the reply", "回复文本"),
    "content": (
        "text of the message; neighbouring turns of one speaker are joined by a newline",
        "消息文本；同一说话者相邻的多轮以换行连接",
    ),
}
