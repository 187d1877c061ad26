"""What every field of every config is, in English and Chinese; a test says that none is missing.

A field is looked up as `view.path`, as its path, and by its last name.
"""

from __future__ import annotations

_SECTION = (
    "the {} section of the news article; null where its text is not at hand or no article was read"
)
_SECTION_ZH = "新闻文章的第 {} 节；没有文本或双方都没有读文章时为空"

FIELDS: dict[str, tuple[str, str]] = {
    "conversation_id": (
        "the source's id of the conversation; with `turn_index` it joins rows of all configs",
        "来源中的对话编号；与 `turn_index` 一起可连接所有配置的行",
    ),
    "turn_index": (
        "the turn's place in the conversation, from 0",
        "该轮在对话中的位置，从 0 开始",
    ),
    "article_url": (
        "address of the news article; filled in for configuration C too, where nobody saw it",
        "新闻文章的地址；在没有人看到文章的配置 C 中也有值",
    ),
    "config": (
        "the knowledge configuration, A to D: what the two partners were given to read",
        "知识配置 A 至 D：双方各自读到了什么",
    ),
    "agent": ("who wrote the turn, `agent_1` or `agent_2`", "本轮的作者：`agent_1` 或 `agent_2`"),
    "message": (
        "text of the turn, untouched: white space and repeats are the writer's",
        "本轮原文，未作改动：空白与重复都保持原样",
    ),
    "content": ("the turns, in order", "按顺序排列的各轮"),
    "sentiment": ("the writer's mood, given by the writer", "作者本人标注的情绪"),
    "knowledge_source": (
        "what the writer says to have used: `FS1`–`FS3`, `AS1`–`AS4`, `Personal Knowledge`",
        "作者标注的知识来源：`FS1`–`FS3`、`AS1`–`AS4`、`Personal Knowledge`",
    ),
    "turn_rating": (
        "how good the partner found the turn; null where it was not rated",
        "对方对本轮的评分；未评分时为空",
    ),
    "conversation_rating": (
        "how good each agent found the whole conversation; null where it was not rated",
        "双方各自对整段对话的评分；未评分时为空",
    ),
    "conversation_rating.agent_1": ("the rating that agent_1 gave", "agent_1 给出的评分"),
    "conversation_rating.agent_2": ("the rating that agent_2 gave", "agent_2 给出的评分"),
    "article.url": ("address of the news article", "新闻文章的地址"),
    "article.headline": (
        "its headline; null where it is not at hand",
        "文章标题；没有文本时为空",
    ),
    **{
        f"article.AS{number}": (_SECTION.format(word), _SECTION_ZH.format(number))
        for number, word in enumerate(("first", "second", "third", "fourth"), start=1)
    },
    "entity": ("what the section is about", "该部分所讲的实体"),
    "topic": (
        "the entity's topic; topics belong to entities, conversations have none",
        "实体所属的主题；主题属于实体，对话本身没有主题标签",
    ),
    "shortened_wiki_lead_section": (
        "beginning of the entity's Wikipedia article; null for the agent of B who read a summary",
        "该实体维基百科条目的开头；在配置 B 中读摘要的一方为空",
    ),
    "summarized_wiki_lead_section": (
        "extractive summary of it; only for agent_2 in configuration B",
        "条目的抽取式摘要；仅配置 B 的 agent_2 有值",
    ),
    "fun_facts": (
        "texts of the fun facts, in the source's order with its repeats; null where not at hand",
        "趣闻文本，保持来源的顺序与重复；没有文本的位置为空",
    ),
    "fun_fact_ids": (
        "ids of the Reddit threads that the facts come from, position by position",
        "趣闻所在 Reddit 帖子的编号，与趣闻逐一对应",
    ),
    "history": (
        "the turns before the response, oldest first; the option `history_turns` shortens it",
        "回复之前的各轮，由早到晚；可用选项 `history_turns` 截短",
    ),
    "response": ("text of the turn that answers", "作为回复的这一轮的文本"),
    "knowledge": (
        "what the speaker's own reading set holds for the cited sources; null without one",
        "说话者自己的阅读材料中与所引来源对应的内容；没有阅读材料时为空",
    ),
    "source": ("the cited source that the piece belongs to", "该条知识所属的来源"),
    "kind": (
        "`wiki`, `fun_fact` or `article`; null for a source that the corpus does not document",
        "`wiki`、`fun_fact` 或 `article`；语料未说明的来源为空",
    ),
    "knowledge.id": (
        "id of the Wikipedia text or of the thread, or the article's address",
        "维基百科文本或帖子的编号，或文章地址",
    ),
    "knowledge.entity": ("what a factual section is about", "事实部分所讲的实体"),
    "knowledge.text": ("the piece; null where its text is not at hand", "知识文本；没有时为空"),
    "assistant": ("the agent whose turns are the assistant's", "充当 assistant 的一方"),
    "messages": (
        "the chat: the user begins, the assistant ends, and roles alternate",
        "聊天记录：由 user 开始，由 assistant 结束，角色交替",
    ),
    "role": ("`user` or `assistant`", "`user` 或 `assistant`"),
    "messages.content": (
        "text of the message; neighbouring turns of one agent are joined by a newline",
        "消息文本；同一方相邻的多轮以换行连接",
    ),
    "hypothesis_a": (
        "transcript of speech recognizer A; empty where it heard nothing",
        "语音识别系统 A 的转写；未识别出内容时为空字符串",
    ),
    "hypothesis_b": (
        "transcript of speech recognizer B; empty where it heard nothing",
        "语音识别系统 B 的转写；未识别出内容时为空字符串",
    ),
    "hypothesis": ("transcript with simulated errors", "加入模拟错误的转写"),
    "target_wer": (
        "word error rate that the simulation aimed at, as a fraction",
        "模拟的目标词错误率（小数）",
    ),
    "seed": ("seed of the simulation", "模拟所用的随机种子"),
    "segments": (
        "the turn, cut into segments by the enrichment",
        "增强标注把本轮切分成的片段",
    ),
    "segments.text": ("text of the segment", "片段文本"),
    "dialogue_act": ("act given by an automatic tagger", "自动标注器给出的对话行为"),
    "knowledge_pointer": (
        "what text is most similar, found by a program; null where there is none",
        "由程序找出的最相似的知识文本；没有时为空",
    ),
    "score": ("its similarity: a cosine from 0 to 1", "相似度：0 到 1 的余弦值"),
    "data_source": ("`wiki`, `fun_facts` or `article`", "`wiki`、`fun_facts` 或 `article`"),
    "section": ("the section of the reading set", "阅读材料中的部分"),
    "start_index": (
        "first character of the text within its section; null for a fact",
        "文本在该部分中的起始字符；趣闻为空",
    ),
    "end_index": (
        "the character after its last one; null for a fact",
        "文本结束处的下一个字符；趣闻为空",
    ),
    "fact_index": (
        "the fact's place in its section, from 0; null for other texts",
        "趣闻在该部分中的位置，从 0 开始；其他文本为空",
    ),
    "knowledge_text": (
        "the text that is pointed to; null where it is not at hand",
        "指针所指的文本；没有时为空",
    ),
}
