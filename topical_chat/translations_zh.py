"""The words of Topical-Chat's Chinese card that are computed or declared; English is the key."""

from __future__ import annotations

from dialogue_builders.dialogue.chat import CHAT_NOTES_ZH
from topical_chat import enriched, histograms, knowledge, releases, responses
from topical_chat.constants import CONFIGURATIONS
from topical_chat.fields import FIELDS
from topical_chat.sources import COMMIT, DATA_VERSION, REPOSITORY

SUMMARIES = {
    "a row per conversation, in the source's own names and nesting": (
        "每段对话一行，沿用来源的字段名与嵌套结构"
    ),
    "a row per turn, with sentiment and rating as labels": "每轮一行，情绪与评分为类别标签",
    "a row per conversation: the article, and the facts that each partner read": (
        "每段对话一行：文章，以及双方各自读到的事实"
    ),
    "a row per turn after the first: history, response and its knowledge": (
        "首轮之后每轮一行：对话历史、回复及其知识"
    ),
    "a chat per conversation, for supervised fine-tuning: user first, assistant last": (
        "每段对话一份聊天记录，用于监督微调：user 开始，assistant 结束"
    ),
    "a row per turn that was read aloud, with the transcripts of two recognizers": (
        "每个朗读过的轮次一行，附两个识别系统的转写"
    ),
    "a row per turn, word error rate and seed, with a simulated transcript": (
        "每轮、每个词错误率、每个种子一行，附模拟转写"
    ),
    "a row per turn: its segments with dialogue acts, and the knowledge nearest to them": (
        "每轮一行：带对话行为的片段，以及与其最相近的知识"
    ),
    "the conversations of {split} alone": "仅 {split} 的对话",
    "conversations with frequent entities, under the customary split names": (
        "高频实体的对话，使用通行的划分名"
    ),
    "conversations with rare entities, under the customary split names": (
        "低频实体的对话，使用通行的划分名"
    ),
}

STATISTICS = {
    "conversations": "对话",
    "utterances": "话语（轮）",
    "turns per conversation": "每段对话的轮数",
    "words per utterance": "每句话的词数",
    "{name}, {split}: printed {printed}, measured {measured} ({how})": (
        "{name}，{split}：印为 {printed}，实测 {measured}（{how}）"
    ),
    "cut off, not rounded": "截断而非四舍五入",
    "differs": "不一致",
}

HISTOGRAMS = {
    histograms.LENGTHS.title: "对话长度",
    histograms.SENTIMENT.title: "情绪分布",
    histograms.RATING.title: "单轮评分分布",
    histograms.KNOWLEDGE.title: "所引知识",
    "sentiment": "情绪",
    "turn_rating": "单轮评分",
    "knowledge_source": "知识来源",
    "turns": "轮次",
    "citations": "引用",
    "knowledge configuration": "知识配置",
}

NOTES = {
    knowledge.NO_READING_SET: "一段对话没有阅读材料；其知识为空",
    knowledge.NO_FACT_TEXT: "一条趣闻没有文本（只有 post-build 阅读材料才有）；原位为空",
    knowledge.NO_ARTICLE_TEXT: "一节文章没有文本（只有 post-build 阅读材料才有）；原位为空",
    knowledge.NO_WIKI_TEXT: "一个部分的维基百科文本不在 wiki.json 中；原位为空",
    knowledge.NO_WIKI_IDS: "没有 src/wiki/wiki.json；维基百科文本的编号为空",
    knowledge.OTHER_CONFIG: "一份阅读材料的配置与其对话不同；各自保留",
    knowledge.OTHER_URL: "一份阅读材料的文章网址与其对话不同；各自保留",
    knowledge.NO_TOPIC: "一个实体不在 entity_to_topic.json 中；其主题为空",
    knowledge.NO_SECTION: "一方缺少一个事实部分；原位为空",
    knowledge.OTHER_FACTS: "一个部分在构建前后的趣闻数不同；编号为空",
    **CHAT_NOTES_ZH,
    enriched.NO_KNOWLEDGE_TEXT: "enriched：指针所指的文本不在手边；knowledge_text 为空",
    enriched.UNEVEN: "enriched：一轮的标注数与片段数不同；其余为空",
    responses.EARLY: "responses：一轮之前的轮数少于 minimum_earlier_turns；略去",
    responses.PERSONAL: "responses：一轮引用了 Personal Knowledge；略去",
    responses.UNKNOWN_SOURCE: "一个知识来源不属于 FS1–FS3、AS1–AS4、Personal Knowledge",
}

# What a page says of a conversation.
DIALOGUES = {
    "config": "配置",
    "entity": "实体",
    "topic": "话题",
    "knowledge_source": "知识来源",
    "unrated": "未评分",
    "agent_1's rating": "agent_1 的评分",
    "agent_2's rating": "agent_2 的评分",
    "introduction": "简介",
    "summary of the introduction": "简介摘要",
    "fun fact": "趣闻",
    "article": "文章",
    "headline": "标题",
    "article section": "文章段落",
    "section": "部分",
    "transcripts": "语音转写",
    "simulated": "模拟",
    "responses judged for USR": "USR 评判的回复",
    "responses judged for BEGIN": "BEGIN 评判的回复",
    CONFIGURATIONS["A"]: "配置 A：双方阅读相同的简介与文章，各有不同的趣闻",
    CONFIGURATIONS["B"]: "配置 B：双方阅读相同的趣闻与文章，agent_2 只有简介的摘要",
    CONFIGURATIONS["C"]: "配置 C：双方阅读相同的简介与趣闻，没有文章",
    CONFIGURATIONS["D"]: "配置 D：双方阅读相同的简介、趣闻与文章",
}

CHINESE: dict[str, str] = {
    **DIALOGUES,
    **dict(FIELDS.values()),
    **SUMMARIES,
    **STATISTICS,
    **HISTOGRAMS,
    **NOTES,
    **{
        f"{REPOSITORY} at commit {commit} ({name})": f"{REPOSITORY}，提交 {commit}（{name}）"
        for commit, name in ((COMMIT, DATA_VERSION), (releases.COMMIT, releases.NAME))
    },
}
