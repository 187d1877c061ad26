"use strict";
// Everything from the data reaches the page as text (textContent, text nodes), never as markup.
(() => {
  const CHINESE = {
    "Conversations": "对话", "Search": "搜索", "Filters": "筛选", "What was read": "阅读材料",
    "Light or dark": "浅色/深色", "any": "不限", "split": "划分", "turns": "轮数", "to": "至",
    "{n} of {all} conversations": "{all} 段对话中的 {n} 段", "Previous": "上一段", "Next": "下一段",
    "turn {n}": "第 {n} 轮", "{n} turns": "{n} 轮", "not at hand": "没有文本", "cited": "被引用",
    "Earlier turns": "更早的轮次", "Later turns": "更晚的轮次", "nothing was said": "没有内容",
    "Choose a conversation.": "请选择一段对话。", "nothing fits": "没有符合条件的对话",
    "This conversation is not on this page: ": "本页没有这段对话：",
    "May not simply be published: ": "不得随意公开：",
    "an invented sample": "虚构样本", "from the published files": "来自已发布的文件",
    "from other raw files": "来自其他原始文件", "The words that differ are marked.": "不同之处已标出。",
    "Keys: j and k for turns, n and p for conversations, / for the search":
      "快捷键：j、k 切换轮次，n、p 切换对话，/ 搜索",
    "The full text is searched within each page; here ids and first turns are.":
      "全文搜索在各分页内进行；此处搜索编号与首轮。",
    "This browser can't unpack the page; a newer one can.": "此浏览器无法解压本页，请使用更新的浏览器。",
  };
  const WINDOW = 400;  // So many turns stand on the page at once.
  const MOST_CELLS = 4e6;  // Longer texts are not compared: it would take too long.
  const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
  const byId = (id) => document.getElementById(id);
  let data, language, dialogues = [], shown = [], current = -1, turn = -1, first = 0;

  const word = (text) => language === "zh" ? CHINESE[text] ?? data.words[text] ?? ofForm(text) : text;

  // A declared text with {names} translates every text of its form.
  let forms;
  function ofForm(text) {
    forms ??= Object.entries(data.words).filter(([english]) => /\{\w+\}/.test(english)).map(([english, chinese]) => [
      new RegExp(`^${english.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("(.+?)")}$`),
      [...english.matchAll(/\{(\w+)\}/g)].map((match) => match[1]), chinese,
    ]);
    for (const [form, names, chinese] of forms) {
      const match = form.exec(text);
      if (match) return chinese.replace(/\{(\w+)\}/g, (_, name) => match[names.indexOf(name) + 1]);
    }
    return text;
  }

  const filled = (text, values) => word(text).replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const folded = (text) => text.normalize("NFKC").toLowerCase();

  function make(tag, name, content) {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (content !== undefined) element.textContent = content;
    return element;
  }

  // What acts on a text without being seen is shown by its number.
  function addText(parent, text) {
    let from = 0;
    for (const match of text.matchAll(CONTROL)) {
      parent.append(text.slice(from, match.index));
      const code = match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
      parent.append(make("span", "control", `U+${code}`));
      from = match.index + 1;
    }
    parent.append(text.slice(from));
  }

  function textOf(text, query) {
    const paragraph = make("p", "text");
    paragraph.dir = "auto";
    const lower = text.toLowerCase();
    if (!query || lower.length !== text.length) {
      addText(paragraph, text);
      return paragraph;
    }
    let from = 0;
    for (let at; (at = lower.indexOf(query, from)) >= 0; from = at + query.length) {
      addText(paragraph, text.slice(from, at));
      const found = make("mark");
      addText(found, text.slice(at, at + query.length));
      paragraph.append(found);
    }
    addText(paragraph, text.slice(from));
    return paragraph;
  }

  function labelList(labels, named) {
    const list = make("ul", "labels");
    for (const [name, value] of labels) {
      const item = make("li");
      addText(item, (named && name ? `${word(name)} ` : "") + word(value));
      if (name) item.title = word(name);
      list.append(item);
    }
    return list;
  }

  // --- comparing texts ---------------------------------------------------------------------------

  const bare = (token) => token.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

  // Which of the second text's tokens are in no longest common subsequence with the first.
  function differing(left, right) {
    const width = right.length + 1;
    if ((left.length + 1) * width > MOST_CELLS) return right.map(() => false);
    const lengths = new Uint16Array((left.length + 1) * width);
    for (let i = left.length - 1; i >= 0; i--)
      for (let j = right.length - 1; j >= 0; j--)
        lengths[i * width + j] = left[i] === right[j] ? lengths[(i + 1) * width + j + 1] + 1
          : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    const result = right.map(() => true);
    for (let i = 0, j = 0; i < left.length && j < right.length;) {
      if (left[i] === right[j]) { result[j] = false; i++; j++; }
      else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i++;
      else j++;
    }
    return result;
  }

  function comparedText(text, original, units) {
    const cut = units === "words" ? (t) => t.split(/(\s+)/) : (t) => Array.from(t);
    const tokens = cut(text);
    const places = tokens.flatMap((token, place) => bare(token) ? [place] : []);
    const flags = differing(cut(original).map(bare).filter(Boolean), places.map((p) => bare(tokens[p])));
    const different = new Set(places.filter((_, number) => flags[number]));
    const paragraph = make("p", "text");
    paragraph.dir = "auto";
    tokens.forEach((token, place) => {
      if (!different.has(place)) return addText(paragraph, token);
      const marked = make("span", "difference");
      addText(marked, token);
      paragraph.append(marked);
    });
    return paragraph;
  }

  // --- one dialogue ------------------------------------------------------------------------------

  function alternativesOf([title, compare, isOpen, items], said, query) {
    const box = make("details", "alternatives");
    box.open = Boolean(isOpen);
    box.append(make("summary", "", `${word(title)} (${items.length})`));
    if (compare) box.lastChild.title = word("The words that differ are marked.");
    const list = make("ol");
    for (const [label, text, notes, mark] of items) {
      const item = make("li", mark ? "marked" : "");
      const head = make("span", "note");
      addText(head, [word(label), ...notes.map(word)].join(" · "));
      item.append(head);
      if (mark) item.append(" ", make("span", "badge", word(mark)));
      item.append(compare ? comparedText(text, said, compare) : textOf(text, query));
      list.append(item);
    }
    box.append(list);
    return box;
  }

  function turnOf(dialogue, number, speakers, query) {
    const [speaker, text, labels, , alternatives] = dialogue.turns[number];
    const item = make("li", speakers.indexOf(speaker) === 1 ? "turn second" : "turn");
    item.id = `turn-${number}`;
    item.tabIndex = -1;
    const said = make("div", "said");
    const who = make("div", "who");
    const name = make("b");
    addText(name, data.strings[speaker]);
    const link = make("a", "", String(number));
    link.href = addressOf(dialogue, number);
    link.setAttribute("aria-label", filled("turn {n}", {n: number}));
    who.append(name, link);
    said.append(who, textOf(text, query));
    said.addEventListener("click", (event) => {
      if (!event.target.closest("a") && !String(getSelection())) go(dialogue, number);
    });
    item.append(said);
    if (labels.length) item.append(labelList(labels.map((l) => data.labels[l])));
    for (const group of alternatives) item.append(alternativesOf(group, text, query));
    return item;
  }

  function draw() {
    const main = byId("dialogue"), dialogue = dialogues[current];
    main.replaceChildren();
    byId("columns").classList.toggle("has-readings", Boolean(dialogue?.readings.length));
    if (!dialogue) {
      main.append(make("p", "", word("Choose a conversation.")));
      return;
    }
    const heading = make("h2");
    addText(heading, dialogue.id);
    const facts = [["split", dialogue.split], ...dialogue.labels.map((l) => data.labels[l])];
    main.append(heading, labelList(facts, true));
    for (const sentence of dialogue.about) main.append(make("p", "about", word(data.strings[sentence])));
    const steps = make("div", "steps");
    for (const [text, step] of [["Previous", -1], ["Next", 1]]) {
      const button = make("button", "", word(text));
      button.type = "button";
      button.addEventListener("click", () => stepDialogue(step));
      steps.append(button);
    }
    main.append(steps);
    const speakers = [...new Set(dialogue.turns.map((each) => each[0]))];
    const query = byId("query").value.trim().toLowerCase();
    const list = make("ol", "turns");
    const last = Math.min(first + WINDOW, dialogue.turns.length);
    for (let number = first; number < last; number++) list.append(turnOf(dialogue, number, speakers, query));
    if (first > 0) main.append(windowButton("Earlier turns", Math.max(0, first - WINDOW)));
    main.append(list);
    if (last < dialogue.turns.length) main.append(windowButton("Later turns", last));
    main.append(make("p", "note", word("Keys: j and k for turns, n and p for conversations, / for the search")));
    drawReadings(dialogue);
    markTurn(false);
  }

  function windowButton(text, from) {
    const button = make("button", "", word(text));
    button.type = "button";
    button.addEventListener("click", () => { first = from; turn = -1; draw(); byId("dialogue").scrollTop = 0; });
    return button;
  }

  function drawReadings(dialogue) {
    const panel = byId("readings");
    panel.replaceChildren(make("h2", "", word("What was read")));
    for (const number of dialogue.readings) {
      const [title, sections] = data.readings[number];
      const heading = make("h3");
      addText(heading, word(data.strings[title]));
      panel.append(heading, ...sections.map(sectionOf));
    }
  }

  function sectionOf(number) {
    const [identity, title, pieces] = data.sections[number];
    const box = make("details", "section");
    box.dataset.section = data.strings[identity];
    const summary = make("summary");
    addText(summary, word(data.strings[title]));
    box.append(summary);
    // Most sections stay closed; their texts are laid out when somebody looks.
    box.addEventListener("toggle", () => fillSection(box, pieces), {once: true});
    box.fill = () => fillSection(box, pieces);
    return box;
  }

  function fillSection(box, pieces) {
    if (box.childElementCount > 1) return;
    for (const [kind, text, identity] of pieces) {
      box.append(make("span", "note", word(data.strings[kind])));
      if (text >= 0) box.append(textOf(data.strings[text], ""));
      else {
        const absent = make("p", "text absent");
        addText(absent, word("not at hand") + (identity >= 0 ? ` · ${data.strings[identity]}` : ""));
        box.append(absent);
      }
    }
  }

  function markTurn(move) {
    const dialogue = dialogues[current];
    document.querySelectorAll(".turn[aria-current]").forEach((each) => each.removeAttribute("aria-current"));
    const item = byId(`turn-${turn}`);
    const cites = new Set(item ? dialogue.turns[turn][3].map((c) => data.strings[c]) : []);
    let nearest;
    for (const box of document.querySelectorAll(".section")) {
      const isCited = cites.has(box.dataset.section);
      box.classList.toggle("cited", isCited);
      box.querySelector(".cited-note")?.remove();
      if (isCited) {
        box.fill();
        box.open = true;
        const note = make("span", "badge cited-note", ` ${word("cited")}`);
        box.querySelector("summary").append(note);
        nearest ??= box;
      }
    }
    byId("readings").classList.toggle("beside-turn", Boolean(nearest));
    if (!item) return;
    item.setAttribute("aria-current", "true");
    if (move) { item.focus({preventScroll: true}); item.scrollIntoView({block: "nearest"}); }
    if (nearest) byId("readings").scrollTop = nearest.offsetTop - byId("readings").offsetTop - 8;
  }

  // --- addresses ---------------------------------------------------------------------------------

  // An id may be in several splits: then the split is told too.
  function addressOf(dialogue, number) {
    const parts = [dialogue.id];
    if (number >= 0 || dialogue.isAmbiguous) parts.push(number >= 0 ? number : "");
    if (dialogue.isAmbiguous) parts.push(dialogue.split);
    return `${dialogue.page ?? ""}#${parts.map(encodeURIComponent).join("/")}`;
  }

  function decoded(part) {
    try { return decodeURIComponent(part); } catch { return part; }
  }

  function follow() {
    byId("problem").textContent = "";
    const [id, number, split] = location.hash.slice(1).split("/").map(decoded);
    let found = id ? dialogues.findIndex((d) => d.id === id && (!split || d.split === split)) : shown[0] ?? -1;
    if (id && found < 0) byId("problem").textContent = word("This conversation is not on this page: ") + id;
    if (found >= 0 && dialogues[found].page) {
      // An index sends an address with a conversation on to its page, and shows none itself.
      if (id) location.replace(addressOf(dialogues[found], /^\d+$/.test(number) ? Number(number) : -1));
      found = -1;
    }
    const wanted = /^\d+$/.test(number ?? "") && found >= 0 ? Number(number) : -1;
    const isOther = found !== current;
    current = found;
    turn = wanted < (dialogues[found]?.turns.length ?? 0) ? wanted : -1;
    const isOutside = turn >= 0 && (turn < first || turn >= first + WINDOW);
    if (isOther || isOutside) {
      first = Math.max(0, turn - WINDOW / 2);
      draw();
      byId("dialogue").scrollTop = 0;
      markEntry();
    }
    markTurn(turn >= 0);
    if (turn < 0 && isOther && id) closeList();
  }

  function go(dialogue, number) {
    const address = addressOf(dialogue, number);
    if (dialogue.page) location.href = address;
    else if (location.hash === address) follow();
    else location.hash = address;
  }

  function stepDialogue(step) {
    const place = shown.indexOf(current);
    const next = shown[place < 0 ? 0 : place + step];
    if (next !== undefined) go(dialogues[next], -1);
  }

  function stepTurn(step) {
    const dialogue = dialogues[current];
    if (!dialogue) return;
    const next = Math.min(Math.max(turn < 0 && step < 0 ? 0 : turn + step, 0), dialogue.turns.length - 1);
    if (next >= 0) go(dialogue, next);
  }

  // --- the list ----------------------------------------------------------------------------------

  function searched(dialogue) {
    dialogue.haystack ??= folded([
      dialogue.id, ...dialogue.turns.flatMap(([, text, labels, , groups]) =>
        [text, ...labels.map((l) => data.labels[l][1]), ...groups.flatMap((g) => g[3].map((i) => i[1]))]),
    ].join("\n"));
    return dialogue.haystack;
  }

  function filter() {
    const query = folded(byId("query").value.trim());
    const wanted = [...document.querySelectorAll("#facets select")].filter((s) => s.value !== "")
      .map((s) => s.value);
    const least = Number(byId("least").value || 0), most = Number(byId("most").value || Infinity);
    shown = [];
    dialogues.forEach((dialogue, number) => {
      if (dialogue.length < least || dialogue.length > most) return;
      if (!wanted.every((key) => dialogue.keys.has(key))) return;
      if (query && !searched(dialogue).includes(query)) return;
      shown.push(number);
    });
    drawEntries();
  }

  function drawEntries() {
    const list = document.createDocumentFragment();
    for (const number of shown) {
      const dialogue = dialogues[number], item = make("li"), link = make("a");
      link.href = addressOf(dialogue, -1);
      link.dataset.number = number;
      const id = make("span", "id");
      addText(id, dialogue.id);
      const opening = make("span", "opening");
      addText(opening, dialogue.turns[0]?.[1].slice(0, 200) || word("nothing was said"));
      opening.dir = "auto";
      link.append(id, opening, make("span", "note", filled("{n} turns", {n: dialogue.length})));
      item.append(link);
      list.append(item);
    }
    byId("entries").replaceChildren(list);
    const counted = filled("{n} of {all} conversations", {n: shown.length, all: dialogues.length});
    byId("count").textContent = shown.length ? counted : word("nothing fits");
    markEntry();
  }

  function markEntry() {
    for (const link of document.querySelectorAll("#entries a")) {
      if (Number(link.dataset.number) === current) {
        link.setAttribute("aria-current", "true");
        link.scrollIntoView({block: "nearest"});
      } else link.removeAttribute("aria-current");
    }
  }

  function drawFacets() {
    const values = new Map();
    for (const dialogue of dialogues)
      for (const key of dialogue.keys) {
        const [name, value] = JSON.parse(key);
        if (!values.has(name)) values.set(name, new Map());
        values.get(name).set(value, (values.get(name).get(value) ?? 0) + 1);
      }
    const before = new Map([...document.querySelectorAll("#facets select")].map((s) => [s.id, s.value]));
    const [least, most] = ["least", "most"].map((id) => byId(id)?.value ?? "");
    const box = byId("facets");
    box.replaceChildren();
    [...values].forEach(([name, counts], number) => {
      const label = make("label", "", word(name)), select = make("select");
      label.htmlFor = select.id = `facet-${number}`;
      select.append(new Option(word("any"), ""));
      for (const value of [...counts.keys()].sort())
        select.append(new Option(`${word(value)} (${counts.get(value)})`, JSON.stringify([name, value])));
      select.value = before.get(select.id) ?? "";
      box.append(label, select);
    });
    const label = make("label", "", word("turns")), range = make("div", "range");
    label.htmlFor = "least";
    for (const [id, value] of [["least", least], ["most", most]]) {
      const input = make("input");
      Object.assign(input, {id, type: "number", min: "0", value});
      input.setAttribute("aria-label", `${word("turns")} ${id === "least" ? "≥" : "≤"}`);
      range.append(input);
    }
    range.firstChild.after(word("to"));
    box.append(label, range);
  }

  // --- the page ----------------------------------------------------------------------------------

  function speak(chosen) {
    language = chosen;
    document.documentElement.lang = chosen === "zh" ? "zh" : "en";
    for (const each of document.querySelectorAll("[data-word]")) each.textContent = word(each.dataset.word);
    for (const each of document.querySelectorAll("[data-label]"))
      each.setAttribute("aria-label", word(each.dataset.label));
    const other = byId("language");
    other.textContent = chosen === "zh" ? "English" : "中文";
    other.lang = chosen === "zh" ? "en" : "zh";
    byId("source").textContent = data.source.map(word).join(" · ")
      + (data.isIndex ? ` · ${word("The full text is searched within each page; here ids and first turns are.")}` : "");
    const banner = byId("restrictions");
    banner.hidden = !data.restrictions.length;
    banner.textContent = word("May not simply be published: ") + data.restrictions.map(word).join("; ");
    drawFacets();
    filter();
    draw();
  }

  function closeList() {
    byId("list").classList.remove("open");
    byId("open-list").setAttribute("aria-expanded", "false");
  }

  function listen() {
    let waiting;
    byId("filters").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
    byId("filters").addEventListener("submit", (event) => { event.preventDefault(); filter(); draw(); });
    byId("language").addEventListener("click", () => speak(language === "zh" ? "en" : "zh"));
    byId("theme").addEventListener("click", () => {
      const root = document.documentElement;
      const isDark = root.dataset.theme ? root.dataset.theme === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = isDark ? "light" : "dark";
    });
    byId("open-list").addEventListener("click", () => {
      const isOpen = byId("list").classList.toggle("open");
      byId("open-list").setAttribute("aria-expanded", String(isOpen));
    });
    addEventListener("hashchange", follow);
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest("input, select, textarea")) {
        if (event.key === "Escape") event.target.blur();
        return;
      }
      const actions = {
        j: () => stepTurn(1), k: () => stepTurn(-1), n: () => stepDialogue(1), p: () => stepDialogue(-1),
        ArrowRight: () => stepDialogue(1), ArrowLeft: () => stepDialogue(-1),
        "/": () => byId("query").focus(),
      };
      if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
    });
    addEventListener("beforeprint", () => document.querySelectorAll(".section").forEach((box) => box.fill()));
  }

  function prepare() {
    const seen = new Map();
    dialogues = data.dialogues.map(([id, split, labels, about, turns, readings, page, length, facets]) => {
      const keys = new Set([JSON.stringify(["split", split]), ...facets.map((l) => JSON.stringify(data.labels[l]))]);
      seen.set(id, (seen.get(id) ?? 0) + 1);
      return {id, split, labels, about, turns, readings, page, length, keys};
    });
    for (const dialogue of dialogues) dialogue.isAmbiguous = seen.get(dialogue.id) > 1;
  }

  async function unpack() {
    const text = atob(byId("data").textContent);
    const bytes = new Uint8Array(text.length);
    for (let place = 0; place < text.length; place++) bytes[place] = text.charCodeAt(place);
    byId("data").remove();
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  }

  async function start() {
    if (!window.DecompressionStream) {
      byId("problem").textContent = "This browser can't unpack the page; a newer one can. "
        + CHINESE["This browser can't unpack the page; a newer one can."];
      return;
    }
    data = await unpack();
    prepare();
    listen();
    const asked = new URLSearchParams(location.search).get("lang");
    speak(["en", "zh"].includes(asked) ? asked : data.language);
    follow();
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
  }

  start();
})();
