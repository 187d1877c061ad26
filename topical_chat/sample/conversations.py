"""The twenty invented conversations of the sample corpus, split by split.

Every word, place, name, id and link was made up for this package; nothing is copied from
Topical-Chat. The conversations are short, but between them they hold what a reader of the real
files has to survive:

- all four configurations, all eight sentiments, all five turn ratings and the empty one, every
  knowledge source, turns with several sources (C never cites an article section);
- odd and even numbers of turns, a conversation whose agents do not alternate (TCS-1.0 has such),
  two turns in a row with the same text, an empty conversation rating;
- messages with outer spaces, a newline, a tab, U+000B, U+3000, curly quotes, an emoji, a straight
  double quote.

A turn is written as (agent, sentiment, sources, rating, message). Sources are a list of tokens in
which `PK` stands for "Personal Knowledge". The first rating of a conversation is agent_1's.
"""

from typing import Any, NamedTuple

ANGRY = "Angry"
DISGUSTED = "Disgusted"
FEARFUL = "Fearful"
SAD = "Sad"
HAPPY = "Happy"
SURPRISED = "Surprised"
CURIOUS = "Curious to dive deeper"
NEUTRAL = "Neutral"

LIGHTHOUSE = "Lighthouse"
BOARD_GAME = "Tabletop game"
SOUP = "Soup"
ROVERS = "Port Hallow Rovers"
SATELLITES = "Marmalade Satellites"
FERRY = "The Night Ferry to Wend"
TELESCOPE = "Telescope"
RAINCOAT = "Raincoat"
COUNCIL = "Village council"
UMBRELLA = "The Cartographer's Umbrella"
KITES = "Kite flying"
HURDY_GURDY = "Hurdy-gurdy"

Turn = tuple[int, str, str, str, str]


class Conversation(NamedTuple):
    """One conversation, with what its reading set needs besides: article and three entities."""

    id: str
    config: str
    article: str
    entities: tuple[str, str, str]
    ratings: tuple[str, str]
    turns: tuple[Turn, ...]

    @property
    def article_url(self) -> str:
        """The address of the article, which config C has too."""
        return f"https://news.example/{self.article}.html"

    def record(self) -> dict[str, Any]:
        """The value that upstream's `conversations/<split>.json` holds for this id."""
        return {
            "article_url": self.article_url,
            "config": self.config,
            "content": [_turn(turn) for turn in self.turns],
            "conversation_rating": {"agent_1": self.ratings[0], "agent_2": self.ratings[1]},
        }


def _turn(turn: Turn) -> dict[str, Any]:
    agent, sentiment, sources, rating, message = turn
    return {
        "message": message,
        "agent": f"agent_{agent}",
        "sentiment": sentiment,
        "knowledge_source": ["Personal Knowledge" if s == "PK" else s for s in sources.split()],
        "turn_rating": rating,
    }


# One or two lines for each turn read better than the seven that the formatter would make of it.
# fmt: off
TRAIN = (
    Conversation(
        "t_b7e19c04-5d2a-4f36-9a81-3c60d7f2e815", "D", "coast/lamp-oil-returns",
        (LIGHTHOUSE, BOARD_GAME, SOUP), ("Excellent", "Good"), (
            (1, CURIOUS, "FS1", "Good",
             "Hello! Have you ever climbed a lighthouse? The one at Cape Dunnock has 311 steps."),
            (2, SURPRISED, "FS1", "Excellent",
             "I have not! 311 is a lot of steps for one lamp. Who had to carry the oil up?"),
            (1, HAPPY, "AS1 FS1", "Excellent",
             "A mule called Biscuit, it says, and she was paid in pears. I want that job."),
            (2, CURIOUS, "AS2", "Good",
             " The article says they may bring the oil lamp back. Would you go and see it?"),
            (1, HAPPY, "AS2 PK", "Good",
             "In a heartbeat. I grew up by the sea, so the smell of lamp oil is home to me. "),
            (2, NEUTRAL, "PK", "Passable", "Same here, minus the sea. Lovely to talk to you!"),
        )),
    Conversation(
        "t_1f4ad6c8-0b97-4e53-8c2d-e95b7a306f41", "A", "food/ladles-down",
        (SOUP, LIGHTHOUSE, BOARD_GAME), ("Good", "Good"), (
            (1, HAPPY, "PK", "Good", "Hi there! It is soup weather here. Do you have a favourite?"),
            (2, CURIOUS, "FS1", "Excellent",
             "Leek, always. I read that the town of Ostrel eats its soup from hats once a year."),
            (1, DISGUSTED, "FS1", "Passable",
             "From hats? That is revolting. My sheet only says that they salt it with seawater."),
            (2, NEUTRAL, "FS1 FS2", "Good",
             "Clean hats, I hope. The keeper of the Ostrel lighthouse is the one who ladles."),
            (1, SURPRISED, "FS2 PK", "",
             "So we were told different things! I would still bring my own bowl, thanks."),
        )),
    Conversation(
        "t_e02c5b3f-7a6e-4d18-b4f9-08d1c76e92a7", "C", "sport/rovers-draw-again",
        (ROVERS, SATELLITES, SOUP), ("Passable", "Not Good"), (
            (1, CURIOUS, "FS1", "Good",
             "Do you like football? Port Hallow Rovers have not lost on a Tuesday in nine years."),
            (2, ANGRY, "PK", "Poor",
             "I do, and I am still furious about their last match. That was never a foul!!"),
            (1, SAD, "FS1", "Not Good",
             "I cried a little. Their mascot, the heron, walked off the pitch in the rain."),
            (2, HAPPY, "FS2", "Excellent",
             "At least the Marmalade Satellites played at half time \U0001f3b6"),
        )),
    Conversation(
        "t_96d83e7a-c415-4b0f-a7e2-51f9042cbd68", "B", "games/the-dice-tower-opens",
        (BOARD_GAME, FERRY, LIGHTHOUSE), ("Excellent", "Excellent"), (
            (1, CURIOUS, "FS1", "Good",
             "Do you play board games? I just read about Goose Parliament, which has no turns."),
            (2, SURPRISED, "FS1", "Good", "No turns? How does anyone win?"),
            (1, NEUTRAL, "FS1", "Passable",
             "You win when\neverybody else has left the table."),
            (2, HAPPY, "PK", "Excellent", "My aunt would be world champion, then."),
            (1, CURIOUS, "AS3 FS2", "Good",
             "Ha! There is one of The Night Ferry to Wend too, with fog. Do you know the film?"),
            (2, FEARFUL, "FS2", "Good",
             "Once, with all the lights on. The scene in the empty cabin still scares me."),
            (1, HAPPY, "PK", "", "Then we shall stick to geese. Bye!"),
        )),
    Conversation(
        "t_4c71f0e5-29db-4a8c-8e36-d7a2b95f1c03", "D", "music/tuba-at-the-wheel",
        (SATELLITES, FERRY, ROVERS), ("Excellent", "Excellent"), (
            (1, HAPPY, "PK", "Excellent", "Good evening! Any music on tonight?"),
            (2, HAPPY, "FS1", "Excellent",
             "The Marmalade Satellites, the album that they taped inside a water tower."),
            (1, SURPRISED, "FS1", "Good", "Wow."),
            (2, SURPRISED, "PK", "Good", "Wow."),
            (1, CURIOUS, "AS1 AS4", "Good",
             "The paper says that their tuba player drives the team bus of the Rovers. True?"),
            (2, NEUTRAL, "AS1 FS3", "Good",
             "True, and she has never once been late. The fans call her \u201cthe fixture\u201d."),
            (1, CURIOUS, "FS2", "Excellent",
             "Didn\u2019t she also whistle the tune in The Night Ferry to Wend?"),
            (2, HAPPY, "FS2", "", "That was her brother. A family of many talents!"),
        )),
    Conversation(
        "t_d35a8b16-e4f7-4092-9d5c-6b08e1c43f7a", "B", "science/drainpipe-astronomy",
        (TELESCOPE, SOUP, ROVERS), ("Good", "Passable"), (
            (1, CURIOUS, "FS1", "Good",
             "Have you ever used a telescope? The one in Quillby is made from a drainpipe."),
            (2, CURIOUS, "FS1 PK", "Good",
             "Only at school. All I saw was my own eyelashes. What do they see with a drainpipe?"),
            (1, HAPPY, "AS1 FS1", "Excellent", "The moon, and once a very surprised owl."),
            (2, SAD, "FS2", "Passable",
             "My soup went cold while we were talking.\tIt was the Ostrel leek kind, too."),
            (1, NEUTRAL, "FS2", "", "Cold leek soup is a dish! Eat it with a brave face."),
        )),
    Conversation(
        "t_08f6c2d9-b31e-4754-b06a-9fe47d8c5a12", "A", "games/mice-at-the-barn",
        (BOARD_GAME, SOUP, LIGHTHOUSE), ("Excellent", "Good"), (
            (1, CURIOUS, "FS1", "Good",
             "Hey, do you know how many board games are made in Tallow Bay each year?"),
            (2, NEUTRAL, "PK", "Good", "No idea. A hundred?"),
            (1, SURPRISED, "FS1", "Excellent",
             "Exactly one! The whole town votes on the rules in a barn."),
            (2, HAPPY, "FS1 PK", "Excellent",
             "I love that. My sheet says that the dice there are baked from rye."),
            (1, CURIOUS, "AS1", "Good",
             "Baked dice! The article mentions a shortage. Is that on yours too?"),
            (2, NEUTRAL, "AS1 AS2", "Good", "Yes, mice. They ate eleven sets in a single night."),
            (1, DISGUSTED, "PK", "Passable", "Ugh, nobody wants to roll a die with bite marks."),
            (2, SAD, "AS2", "Good", "The baker was heartbroken."),
            (1, HAPPY, "PK", "",
             "Let us hope that the cat gets a seat on the board, pun intended. Bye!"),
        )),
    Conversation(
        "t_73be4f91-6c08-4ed5-9247-a1d05e9b38cf", "C", "film/a-second-ferry",
        (FERRY, RAINCOAT, LIGHTHOUSE), ("Good", "Excellent"), (
            (1, NEUTRAL, "FS1", "Good", "The Night Ferry to Wend was shot in four nights. Four!"),
            (2, CURIOUS, "FS1", "Good",
             "Impressive. Who wore the yellow raincoat, do you remember?"),
            (1, HAPPY, "FS2", "Excellent", "The cook of the film crew. The actor was seasick."),
            (2, HAPPY, "FS2", "Excellent",
             "Poor thing. I read that raincoats were once waxed with honey\u3000and\u3000soot."),
            (1, SURPRISED, "FS2 FS3", "Good", "And the bees?"),
            (2, NEUTRAL, "PK", "Passable", "Dry, at least."),
        )),
)

VALID_FREQ = (
    Conversation(
        "t_a94d7e20-f86b-4c31-8b5e-17c3062fd9e4", "A", "coast/harbour-night",
        (LIGHTHOUSE, SOUP, BOARD_GAME), ("Excellent", "Excellent"), (
            (1, HAPPY, "PK", "Excellent", "Hello there, is it a good evening on your side?"),
            (2, HAPPY, "FS1 PK", "Good",
             "Very, thanks. I am reading about lighthouses that are painted like cakes."),
            (1, CURIOUS, "FS1", "Good",
             "Mine says that one of them leans. Do you think that they are the same one?"),
            (2, NEUTRAL, "AS1 FS1", "Passable",
             "The article has a picture of a leaning cake, so\u000byes."),
            (1, HAPPY, "PK", "", "I want a slice of that lighthouse."),
        )),
    Conversation(
        "t_52c0b9f8-3e7d-4169-a4dc-f80e6b2715ad", "B", "sport/pies-and-penalties",
        (ROVERS, SOUP, FERRY), ("Good", "Not Good"), (
            (1, CURIOUS, "FS1", "Good",
             "Did you know that Port Hallow Rovers keep a heron as a mascot?"),
            (2, SURPRISED, "FS1", "Excellent", "A real one? Who feeds it?"),
            (1, NEUTRAL, "AS2 FS1", "Good",
             "The goalkeeper, before every match. The heron prefers sprats."),
            (2, DISGUSTED, "PK", "Not Good", "I can smell that changing room from here."),
        )),
    Conversation(
        "t_ef18635c-94a2-4db7-b9f0-2d74c8e05b96", "D", "music/tuba-at-the-wheel",
        (SATELLITES, BOARD_GAME, LIGHTHOUSE), ("Excellent", "Good"), (
            (1, CURIOUS, "FS1", "Good", "Which Marmalade Satellites song do you like best?"),
            (2, HAPPY, "FS1 PK", "Good",
             "  Pears at Midnight, no contest. I play it when I wash up.  "),
            (1, SAD, "AS1", "Excellent",
             "They had to give up the water tower, so there will be no second record from there."),
            (2, ANGRY, "AS1", "Passable",
             "What! Shame on the council. That echo was the fifth member of the band."),
            (1, CURIOUS, "FS2", "Good",
             "They are selling a board game to save it. Would you buy one?"),
            (2, HAPPY, "AS4", "Good", "Two, and I do not even own a table."),
        )),
)

VALID_RARE = (
    Conversation(
        "t_6ad2f573-18ce-4b94-8f07-c4e9b16d20a8", "C", "post/letters-on-a-string",
        (UMBRELLA, KITES, HURDY_GURDY), ("Good", "Good"), (
            (1, CURIOUS, "FS1", "Good",
             "Have you read The Cartographer's Umbrella? Every chapter ends on a map."),
            (2, NEUTRAL, "FS1", "Good",
             "I have, twice. The last map is of the reader's own kitchen, more or less."),
            (1, SURPRISED, "FS1 FS2", "Excellent",
             "Then mine is wrong, I have no kitchen. It does have a kite on the stove, right?"),
            (2, HAPPY, "FS2 FS3", "Good", "Yes, and a hurdy-gurdy in the sink. What a book."),
        )),
    Conversation(
        "t_c8073be1-d95f-4a26-9e14-705fa3c8d62b", "A", "science/attic-telescope",
        (TELESCOPE, RAINCOAT, COUNCIL), ("Excellent", "Passable"), (
            (1, HAPPY, "AS1", "Good",
             "Good morning! I have an article here about a telescope found in an attic. You too?"),
            (2, CURIOUS, "AS1", "Good",
             "Yes, the same one. Does your sheet say anything about who built it?"),
            (1, NEUTRAL, "FS1", "Excellent",
             "A chimney sweep, from a drainpipe and two reading glasses."),
            (2, HAPPY, "FS1", "Good",
             "Lovely. Mine only tells me that it is polished with chalk and vinegar."),
            (1, CURIOUS, "AS3 FS3", "Good",
             "Do you think that the village council should pay for a dome?"),
            (2, ANGRY, "FS3 PK", "Poor", "Our council would rather argue about ducks!"),
            (1, HAPPY, "PK", "", "Ducks also need someone to look up to."),
        )),
    Conversation(
        "t_3b9e60d4-a7f2-4c85-b1d8-e6420f7c915e", "D", "books/the-umbrella-itself",
        (RAINCOAT, UMBRELLA, TELESCOPE), ("Good", "Excellent"), (
            (1, NEUTRAL, "PK", "Good", "Hello from under a dripping porch!"),
            (1, CURIOUS, "FS1", "Good",
             "Sorry, I pressed enter too early. Do you own a raincoat?"),
            (2, HAPPY, "FS1 PK", "Excellent",
             "Three of them, and none of them are dry. I live in the fens."),
            (1, SURPRISED, "AS2", "Good",
             "Then this will please you: they found the umbrella that the book was named after."),
            (2, FEARFUL, "FS2", "Passable", "Not the one with the teeth?"),
            (2, CURIOUS, "AS2 FS2", "Excellent",
             "I looked it up: no teeth, just a torn map in the lining. Where did they find it?"),
            (1, HAPPY, "AS4 FS3", "",
             "Under the stage of the Quillby playhouse, next to a telescope."),
        )),
)

TEST_FREQ = (
    Conversation(
        "t_f5a1e78d-40c3-4962-a85b-b9d27e6c0f13", "B", "food/leek-week",
        (SOUP, SATELLITES, LIGHTHOUSE), ("Excellent", "Excellent"), (
            (1, CURIOUS, "PK", "Good", "Hi, what was on your plate for lunch today?"),
            (2, HAPPY, "FS1 PK", "Excellent",
             "Leek soup! Ostrel has a whole week for it, did you hear?"),
            (1, SURPRISED, "FS1", "Good", "A week of leeks. Do they still eat it from hats?"),
            (2, NEUTRAL, "AS1", "Good",
             'Only on the Sunday. "Bowls are for visitors", says the mayor.'),
            (1, HAPPY, "AS1 FS2", "",
             "I shall visit, then, with a bowl and the new Marmalade Satellites record."),
        )),
    Conversation(
        "t_27d4c96a-8f1b-4e70-9c63-05a8e3b7d4f2", "C", "sport/rovers-draw-again",
        (BOARD_GAME, ROVERS, FERRY), ("Passable", "Good"), (
            (1, NEUTRAL, "FS1", "Passable", "I lost at Goose Parliament again last night."),
            (2, SAD, "PK", "Not Good", "Oh no. That is a shame."),
            (1, HAPPY, "FS1 FS2", "Good",
             "Not at all, I lost to the Rovers goalkeeper. We met on the night bus."),
            (2, CURIOUS, "FS2", "Excellent",
             "No way! Has she really never let in a goal on a Tuesday?"),
        )),
    Conversation(
        "t_90eb5f3c-6d24-4a17-b8e9-f3c1076ad85b", "D", "coast/lens-for-sale",
        (FERRY, LIGHTHOUSE, TELESCOPE), ("Excellent", "Passable"), (
            (1, CURIOUS, "FS1", "Good",
             "Did the ferry in The Night Ferry to Wend ever sail, or was it a model?"),
            (2, NEUTRAL, "FS1", "Good", "It was a bathtub with lamps on it."),
            (1, SURPRISED, "FS1", "Excellent", "You are joking."),
            (2, HAPPY, "FS1", "Excellent", "I am not! The sea was blue jelly."),
            (1, CURIOUS, "AS1", "Good",
             "The article is about a lighthouse lens for sale. Would it fit in a telescope?"),
            (2, NEUTRAL, "FS2 FS3", "Good",
             "Only in a very large one. The lens weighs as much as six cows."),
            (1, FEARFUL, "AS2 PK", "Passable", "Imagine dropping it on your foot..."),
            (2, DISGUSTED, "PK", "Poor", "Please, I am eating."),
        )),
)

TEST_RARE = (
    Conversation(
        "t_8e36a0b7-c9d1-4f58-a02e-4b7c91f5e6d3", "D", "science/attic-telescope",
        (KITES, TELESCOPE, LIGHTHOUSE), ("Excellent", "Excellent"), (
            (1, CURIOUS, "FS1", "Good",
             "Do you like flying kites? In Ennow they deliver letters by kite."),
            (2, SURPRISED, "FS1", "Good", "Letters by kite? That must be slow on a calm day."),
            (1, HAPPY, "FS1", "Excellent",
             "On calm days the postman flies it from a bicycle. I would pay to see that."),
            (2, CURIOUS, "AS1 FS2", "Good",
             "You could watch with the telescope from the article. What is it made of?"),
            (1, NEUTRAL, "FS2", "Good",
             "A drainpipe and two reading glasses. It is polished with chalk and vinegar."),
            (2, HAPPY, "AS2 PK", "Excellent", "I have both at home. Time to build one! "),
        )),
    Conversation(
        "t_19c5d8f2-e70a-4b63-8d94-a6f03b2e7c51", "B", "towns/a-wheel-for-the-council",
        (HURDY_GURDY, COUNCIL, UMBRELLA), ("Excellent", "Good"), (
            (1, CURIOUS, "FS1", "Good",
             "Do you know the hurdy-gurdy? It sounds like a bee that went to music school."),
            (2, HAPPY, "FS1", "Excellent",
             "I do, from a wedding. The player turned the wheel with a spoon."),
            (1, SURPRISED, "AS1 FS1", "Good",
             "A spoon! The article says that a village council has hired a player."),
            (2, CURIOUS, "AS1 AS3 FS2", "Excellent",
             "Yes, to keep the speeches short. She plays louder and louder. Would it work for us?"),
            (1, HAPPY, "PK", "", "I can hear her tuning up already. Goodbye!"),
        )),
    Conversation(
        "t_b46f1ec9-5a83-4d07-9f72-de815c04a39b", "A", "fashion/raincoat-museum",
        (RAINCOAT, TELESCOPE, COUNCIL), ("", "Passable"), (
            (1, NEUTRAL, "FS1", "Good",
             "Raincoats, and just today. Is it raining where you are?"),
            (2, SAD, "PK", "Passable", "Since Monday. My cellar is a pond now."),
            (1, FEARFUL, "PK", "Good", "Oh dear, are there eels?"),
            (2, HAPPY, "FS1", "Excellent",
             "Not yet. Dunnock fishermen sewed cork into their coats. I need one of those."),
            (1, CURIOUS, "AS4 FS3", "Good", "Did your council not promise pumps?"),
            (2, ANGRY, "FS3", "Not Good", "They promised to vote on the colour of the pumps."),
            (1, SURPRISED, "FS2", "Poor",
             "At least you could watch the water rise through a telescope."),
            (2, DISGUSTED, "PK", "", "\tVery comforting, thank you."),
        )),
)
# fmt: on

CONVERSATIONS: dict[str, tuple[Conversation, ...]] = {
    "train": TRAIN,
    "valid_freq": VALID_FREQ,
    "valid_rare": VALID_RARE,
    "test_freq": TEST_FREQ,
    "test_rare": TEST_RARE,
}
