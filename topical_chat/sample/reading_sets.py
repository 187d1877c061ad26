"""The invented knowledge behind the sample: entities, fun facts, encyclopaedia texts, articles.

From these constants the reading sets are made as upstream ships them (`pre-build`: fact ids and
numbers in place of texts) and as upstream's own build would have filled them in (`post-build`,
which nobody may redistribute, so a made-up one is all that code can be tried on). Every place and
fact is made up. Fact ids have eight characters behind `t3_`, more than any real post has, so that
they can never lead anywhere.

What the reading sets show: the same three entities for both agents; config A with disjoint facts,
four or five a section; config B with another kind of encyclopaedia text for agent_2; C and D with
the same for both; one fact twice in a section; one text in both maps of `wiki.json`; an article
used by several conversations, and one article that could not be fetched.
"""

from typing import Any, NamedTuple

from topical_chat.sample.conversations import (
    BOARD_GAME,
    COUNCIL,
    FERRY,
    HURDY_GURDY,
    KITES,
    LIGHTHOUSE,
    RAINCOAT,
    ROVERS,
    SATELLITES,
    SOUP,
    TELESCOPE,
    UMBRELLA,
    Conversation,
)

SHORTENED = "shortened_wiki_lead_section"
SUMMARIZED = "summarized_wiki_lead_section"

REPEATED_FACT = ("t_8e36a0b7-c9d1-4f58-a02e-4b7c91f5e6d3", "FS2")
"""The section whose last fact is its first fact once more: positions in a section matter."""

FAILED_ARTICLE = "fashion/raincoat-museum"
"""The article for which the build got an error object instead of a headline and sections."""


class Entity(NamedTuple):
    """An entity, its topic, and its texts; `summarized` is empty where no config B needs it."""

    topic: str
    code: str
    wiki_ids: tuple[int, int]
    shortened: str
    summarized: str
    facts: tuple[str, ...]

    def fact_ids(self) -> list[str]:
        """Ids of the facts, in the order of the texts."""
        return [f"t3_zz{self.code}{number:02}" for number in range(1, len(self.facts) + 1)]


_COUNCIL_LEAD = (
    "A village council is a small group of neighbours who decide on lanes, ducks, lamps and other "
    "matters that are too near for a parliament."
)

ENTITIES: dict[str, Entity] = {
    RAINCOAT: Entity(
        "fashion",
        "rain",
        (90417, 0),
        "A raincoat is a coat that keeps its wearer dry, or at least hopeful, on a wet day.\n"
        "Along the coast of Wend it is worn at weddings.",
        "",
        (
            "raincoats in Wend were once waxed with honey and soot, and bees followed the fleet",
            "Dunnock fishermen sewed cork into their raincoats",
            "the raincoat museum of Quillby closes when it rains, because its roof leaks",
            "a yellow raincoat from The Night Ferry to Wend was swapped for a boat",
            "raincoats from Ennow have a pocket that is made for soup",
            "tailors in Tallow Bay test a raincoat by reading a newspaper in the harbour",
            "a raincoat worn back to front means that there are no letters today",
            "the fens of Ostrel have a word for a raincoat that is wet on the inside only",
        ),
    ),
    COUNCIL: Entity(
        "politics",
        "vilg",
        (90125, 20733),
        _COUNCIL_LEAD,
        _COUNCIL_LEAD,
        (
            "the village council of Quillby paid for a telescope dome with a tax on whistling",
            "the village council of Ostrel has argued about ducks for eleven years",
            "village councils in Ennow meet standing up, and the only chair is for the tide",
            "the village council of Dunnock voted on the colour of pumps that it never bought",
            "a village council hired a hurdy-gurdy player who plays louder the longer a speech is",
            "the minutes of one village council are baked into a loaf and eaten in December",
            "a goose was elected to the village council of Port Hallow twice and declined once",
            "a village council bell may be rung by anybody who has lost a glove",
            "village councils of the fens vote with boots",
        ),
    ),
    UMBRELLA: Entity(
        "books",
        "cart",
        (90688, 20149),
        "The Cartographer's Umbrella is a novel in which a map maker walks home in the rain and is "
        "wrong about every street.",
        "The Cartographer's Umbrella is a novel about a map maker. It was first printed in Quillby "
        "on paper meant for sails. Each chapter ends on a map.",
        (
            "the last map in The Cartographer's Umbrella shows the reader's own kitchen",
            "The Cartographer's Umbrella was written on the backs of tide tables",
            "the umbrella that The Cartographer's Umbrella is named after has a map in its lining",
            "the first copies of The Cartographer's Umbrella had a waxed cover and could float",
            "the villain of The Cartographer's Umbrella is an umbrella with teeth",
        ),
    ),
    KITES: Entity(
        "sports",
        "kite",
        (90302, 0),
        "Kite flying is the sport of holding one end of a string while the wind has an opinion "
        "about the other.",
        "",
        (
            "letters in Ennow are delivered by kite, on calm days with the help of a bicycle",
            "the kite flying club of Wend has a rule against running, so its members row",
            "a kite on a stove is an old sign for good luck in Quillby",
            "the largest kite of Tallow Bay was sewn from nine hundred handkerchiefs",
            "kite flying was once forbidden in Ostrel because it made the tram drivers look up",
        ),
    ),
    ROVERS: Entity(
        "sports",
        "rovr",
        (90850, 20561),
        "Port Hallow Rovers are a football club from Port Hallow. They play in grey and rust on a "
        "pitch that the sea borrows at spring tide.",
        "Port Hallow Rovers are a football club. The sea covers their pitch at spring tide. Their "
        "anthem has no words because nobody could agree on them.",
        (
            "Port Hallow Rovers have not lost on a Tuesday in nine years",
            "the mascot of Port Hallow Rovers is a live heron, which the goalkeeper feeds",
            "the bus driver of Port Hallow Rovers plays the tuba and has never been late",
            "Port Hallow Rovers once won with a ball that had been mended with sail cloth",
            "the away shirts of Port Hallow Rovers have no sleeves, since nobody ordered any",
        ),
    ),
    SATELLITES: Entity(
        "music",
        "mrml",
        (90239, 20398),
        "The Marmalade Satellites are a band of four from Tallow Bay: voice, drums, tuba and a "
        "caf\u00e9 piano.",
        "The Marmalade Satellites are a band from Tallow Bay. Their first record was made in a "
        "water tower.\nTheir second one was not.",
        (
            "the Marmalade Satellites taped their first album inside an empty water tower",
            "the song Pears at Midnight came to the drummer of the Satellites while washing up",
            "the Marmalade Satellites play at half time for the Rovers and are paid in pies",
            "the singer of the Marmalade Satellites tunes the band with a door bell",
            "posters of the Marmalade Satellites are printed with orange juice and draw wasps",
        ),
    ),
    HURDY_GURDY: Entity(
        "music",
        "hurd",
        (90574, 20916),
        "A hurdy-gurdy is an instrument with strings, keys and a wheel that is turned by hand.",
        "A hurdy-gurdy makes its sound with a wheel. Players in Ennow oil it with walnut. It is "
        "said to be the only instrument that can sulk.",
        (
            "a hurdy-gurdy at an Ennow wedding was played with a spoon after its crank was lost",
            "hurdy-gurdy players in Quillby may not play after the ferry has left",
            "a hurdy-gurdy is heard in every film that was ever made in Wend",
            "the smallest hurdy-gurdy of Tallow Bay fits into a kitchen sink drain",
            "bees have been seen to follow a hurdy-gurdy for three streets",
        ),
    ),
    LIGHTHOUSE: Entity(
        "sci_tech",
        "lght",
        (90961, 20087),
        "A lighthouse is a tower with a lamp that tells ships where not to be.",
        "A lighthouse is a tower with a lamp. The lamps of Cape Dunnock burned oil for two "
        "centuries. Since then they hum.",
        (
            "the lighthouse at Cape Dunnock has 311 steps",
            "the keeper of the Ostrel lighthouse ladles out the soup at the yearly hat supper",
            "a lighthouse mule called Biscuit was paid in pears",
            "the lighthouses of Ennow are painted like cakes, so that children can tell them apart",
            "the lens of the Wend lighthouse weighs as much as six cows",
            "the lamp of a lighthouse was once replaced by a jar of glow-worms for eleven nights",
            "the lighthouse of Tallow Bay leans, since the wind was expected from the other side",
            "lighthouse keepers in Ennow knit one long scarf and pass it on by boat",
            "the lowest lighthouse of Port Hallow is as tall as its first keeper was",
        ),
    ),
    TELESCOPE: Entity(
        "sci_tech",
        "tele",
        (90743, 20265),
        "A telescope is a tube with glass in it that makes far things near. It does not work the "
        "other way round, although children try.",
        "A telescope makes far things near. The oldest one in Quillby was found in an attic. It "
        "had been used as an umbrella stand.",
        (
            "the Quillby telescope was built from a drainpipe and two reading glasses",
            "the Quillby telescope is polished with chalk and vinegar",
            "a telescope in Ennow was used to read the menu of an inn on the other shore",
            "the first thing seen through the Quillby telescope was a very surprised owl",
            "sailors from Wend kept their tea in telescopes",
            "a telescope in Tallow Bay points at the ground and is used to look for buttons",
            "the longest telescope of Port Hallow runs through two houses",
            "astronomers in Ostrel whistle when they find a comet, and the tram stops",
            "the telescope of the Dunnock school shows nothing but eyelashes before midnight",
        ),
    ),
    FERRY: Entity(
        "movies",
        "ferr",
        (90056, 20642),
        "The Night Ferry to Wend is a film about a ferry that arrives one passenger short, night "
        "after night.",
        "The Night Ferry to Wend is a film about a ferry. It has six actors and one door. Critics "
        "praised the door.",
        (
            "The Night Ferry to Wend was shot in four nights, with a bathtub for a ferry",
            "the sea in The Night Ferry to Wend is blue jelly",
            "the cook wore the yellow raincoat in The Night Ferry to Wend for a seasick actor",
            "the cabin in The Night Ferry to Wend is empty because the furniture van was late",
            "the tune of The Night Ferry to Wend was whistled by the brother of a tuba player",
        ),
    ),
    BOARD_GAME: Entity(
        "entertainment_general",
        "game",
        (90380, 20474),
        "A tabletop game is a quarrel with rules and a box.",
        "A tabletop game is played at arm's length. In Tallow Bay the rules are decided by vote. "
        "The box is decided by weather.",
        (
            "Tallow Bay makes exactly one board game a year and votes on its rules in a barn",
            "the dice of Tallow Bay are baked from rye",
            "the board game Goose Parliament has no turns, and whoever stays longest wins",
            "the board game of The Night Ferry to Wend has a fog machine the size of a thimble",
            "the longest game of Goose Parliament ended when the table was sold",
            "a board game on a tablecloth is the usual wedding gift in Quillby",
            "the pieces of Ostrel draughts are soup spoons",
            "the board game club of Port Hallow meets in a lift",
        ),
    ),
    SOUP: Entity(
        "entertainment_general",
        "soup",
        (90519, 20820),
        "Soup is a dish that is mostly water and partly patience.",
        "Soup is mostly water. The leek soup of Ostrel is the best known kind. It is older than "
        "the town.",
        (
            "cooks in Ostrel salt their leek soup with seawater",
            "once a year the town of Ostrel eats its soup from hats",
            "cold leek soup was invented by a ferryman who was never home on time",
            "a soup kettle in Port Hallow has simmered for sixty years and has a key to the town",
            "Ostrel holds a leek week, in which soup bowls are lent to visitors only",
            "soup tureens in Tallow Bay have a second, smaller lid for the cat",
            "noodles for alphabet soup in Ennow leave out one letter, because it kept sinking",
            "the soup of the Wend regatta is stirred with an oar",
            "the only tram in Ostrel that stops for ladles is called the Soup Line",
            "pea soup in Quillby is thick enough to be sold by length",
        ),
    ),
}

ARTICLES: dict[str, tuple[str, str, str, str, str]] = {
    "science/attic-telescope": (
        "The telescope that held umbrellas",
        "A family in Quillby has found a telescope in its attic. It was full of umbrellas.",
        "The instrument was made by a chimney sweep. \u201cHe liked to look up\u201d, they said.",
        "The village council will decide in spring whether to pay for a dome.",
        "Until then the umbrellas are in the bath.",
    ),
    "books/the-umbrella-itself": (
        "An umbrella walks out of a novel",
        "Readers have long asked whether the umbrella of The Cartographer's Umbrella was real.",
        "It was. It has turned up with a torn map in its lining.\nIt has no teeth.",
        "The map shows a street in Tallow Bay that does not meet itself.",
        "A carpenter found the umbrella under the stage of the Quillby playhouse.",
    ),
    "towns/a-wheel-for-the-council": (
        "A council that likes to be interrupted",
        "The village council of Ennow has hired a hurdy-gurdy player for its meetings.",
        "She sits by the door and is paid by the hour, which is why she is never in a hurry.",
        "The longer a speech, the louder she plays. The shortest speech so far was \u201cno\u201d.",
        "Other villages have asked for her diary.",
    ),
}
"""Headline and four sections of the articles that the post-build files need."""


def reading_sets(conversations: tuple[Conversation, ...], *, post_build: bool) -> dict[str, Any]:
    """Reading sets of a split: with ids as upstream ships them, or with texts as built."""
    return {c.id: _post_build(c) if post_build else _pre_build(c) for c in conversations}


def wiki() -> dict[str, dict[str, int]]:
    """`src/wiki/wiki.json`: for each kind of text a map from the text to its number."""
    entities = ENTITIES.values()
    return {
        SHORTENED: {e.shortened: e.wiki_ids[0] for e in entities},
        SUMMARIZED: {e.summarized: e.wiki_ids[1] for e in entities if e.summarized},
    }


def entity_to_topic() -> dict[str, str]:
    """`src/entity_to_topic.json`: the topic of every entity of the reading sets."""
    return {name: entity.topic for name, entity in ENTITIES.items()}


def agent_section(
    conversation: Conversation, agent: int, section: str, *, post_build: bool
) -> dict[str, Any]:
    """One of an agent's three sections (`FS1` to `FS3`)."""
    name = conversation.entities[int(section[2]) - 1]
    entity = ENTITIES[name]
    facts = list(entity.facts) if post_build else entity.fact_ids()
    if conversation.config == "A":
        facts = facts[agent - 1 :: 2][:5]
    elif (conversation.id, section) == REPEATED_FACT:
        facts = [*facts[:4], facts[0]]
    else:
        facts = facts[:5]
    kind = SUMMARIZED if conversation.config == "B" and agent == 2 else SHORTENED
    text = entity.summarized if kind == SUMMARIZED else entity.shortened
    number = entity.wiki_ids[1] if kind == SUMMARIZED else entity.wiki_ids[0]
    return {"entity": name, kind: text if post_build else number, "fun_facts": facts}


def article(conversation: Conversation) -> dict[str, str]:
    """The article as upstream's build leaves it: the link alone for config C, or an error."""
    url = {"url": conversation.article_url}
    if conversation.config == "C":
        return url
    if conversation.article == FAILED_ARTICLE:
        return {"message": "Internal server error"} | url
    headline, *sections = ARTICLES[conversation.article]
    numbered = {f"AS{number}": text for number, text in enumerate(sections, start=1)}
    return url | {"headline": headline} | numbered


def _agents(conversation: Conversation, *, post_build: bool) -> dict[str, Any]:
    return {
        f"agent_{agent}": {
            section: agent_section(conversation, agent, section, post_build=post_build)
            for section in ("FS1", "FS2", "FS3")
        }
        for agent in (1, 2)
    }


def _pre_build(conversation: Conversation) -> dict[str, Any]:
    head = {"article_url": conversation.article_url, "config": conversation.config}
    return head | _agents(conversation, post_build=False)


def _post_build(conversation: Conversation) -> dict[str, Any]:
    head = {"config": conversation.config}
    tail = {"article": article(conversation)}
    return head | _agents(conversation, post_build=True) | tail
