// Improves the pages; each works without it. No framework, and nothing is loaded from elsewhere.
"use strict";

/** Fetches a page of this server. */
async function fetchPage(address, options) {
  const response = await fetch(address, { credentials: "same-origin", ...options });
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("text/html")) throw new Error(`${response.status} instead of a page`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return { page, ok: response.ok, status: response.status, address: response.url };
}

/** Says something to people who cannot see the page. */
function announce(words) {
  const place = document.getElementById("announce");
  if (place !== null && words && place.textContent !== words) place.textContent = words;
}

// What the keyboard can reach.
const REACHABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

/** Returns a function that finds the focused element again in a newer form of an element. */
function rememberFocus(element) {
  const focused = document.activeElement;
  if (focused === null || !element.contains(focused)) return () => null;
  if (focused.id) return (fresh) => fresh.querySelector(`#${CSS.escape(focused.id)}`);
  const address = focused.getAttribute("href");
  if (address !== null) return (fresh) => fresh.querySelector(`a[href="${CSS.escape(address)}"]`);
  const at = [...element.querySelectorAll(REACHABLE)].indexOf(focused);
  return (fresh) => fresh.querySelectorAll(REACHABLE)[at] ?? null;
}

/** Returns where a part is scrolled to: a log that shows its end keeps showing it. */
function scrollOf(part) {
  const atEnd = part.scrollTop + part.clientHeight >= part.scrollHeight - 4;
  return [part.scrollLeft, atEnd && part.matches("pre") ? Number.MAX_SAFE_INTEGER : part.scrollTop];
}

/** Returns whether the person is doing something below an element that a change would undo. */
function isInUse(element) {
  const selection = document.getSelection();
  const selects = selection !== null && !selection.isCollapsed;
  if (selects && element.contains(selection.anchorNode)) return true;
  const focused = document.activeElement;
  return element.contains(focused) && focused.matches("input, select, textarea");
}

/** Replaces an element by its newer form. Open details stay open, and focus and scroll stay. */
function replace(old, fresh) {
  localTimes(fresh);
  if (old.isEqualNode(fresh) || isInUse(old)) return old;
  const open = [...old.querySelectorAll("details")].map((details) => details.open);
  const scrolls = [...old.querySelectorAll(".scroll, pre")].map(scrollOf);
  const focusIn = rememberFocus(old);
  const own = document.adoptNode(fresh);
  old.replaceWith(own);
  own.querySelectorAll("details").forEach((details, at) => {
    details.open = open[at] ?? details.open;
  });
  own.querySelectorAll(".scroll, pre").forEach((part, at) => {
    [part.scrollLeft, part.scrollTop] = scrolls[at] ?? [0, 0];
  });
  focusIn(own)?.focus({ preventScroll: true });
  announce(own.dataset.announce);
  improve(own);
  return own;
}

/** Fetches a page, and replaces what changes by that of the page. */
async function refresh(address) {
  const { page, status } = await fetchPage(address);
  // Too many requests: later ones may pass.
  if (status === 429) throw new Error("busy");
  if (status === 404) {
    // A trial match is gone when the server has started again.
    const live = document.getElementById("live");
    if (live !== null) {
      live.dataset.live = "false";
      showProblem(live, "This is not there any more: the server has started again. Try once more.");
    }
    return;
  }
  for (const id of ["facts", "live"]) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (old !== null && fresh !== null) replace(old, fresh);
  }
}

/** Waits until the page can be seen, and then for some time. */
async function pause(ms) {
  await new Promise((resolve) => { setTimeout(resolve, ms); });
  while (document.hidden) {
    await new Promise((resolve) => {
      document.addEventListener("visibilitychange", resolve, { once: true });
    });
  }
}

// The number of the latest loop: a newer one ends those before it.
let polling = 0;

/** Refreshes every second while the page says that it will change. */
async function poll(address) {
  const mine = ++polling;
  let wait = 1000;
  while (document.getElementById("live")?.dataset.live === "true") {
    await pause(wait);
    if (mine !== polling) return;
    try {
      await refresh(address);
      wait = 1000;
    } catch {
      // The server is busy or restarts.
      wait = Math.min(2 * wait, 30000);
    }
  }
}

/** Refreshes when the server says that the table has changed, at most every two seconds. */
function follow(address) {
  let source = null;
  let busy = false;
  let again = false;
  const update = async () => {
    if (busy) { again = true; return; }
    busy = true;
    again = false;
    try { await refresh(location.href); } catch { /* The next event tries again. */ }
    setTimeout(() => { busy = false; if (again && !document.hidden) update(); }, 2000);
  };
  const connect = () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (source === null) {
      source = new EventSource(address);
      source.addEventListener("table", update);
    }
  };
  document.addEventListener("visibilitychange", () => {
    connect();
    if (!document.hidden) update();
  });
  connect();
}

/** Shows buttons that copy a field. */
function copyButtons(part) {
  if (!navigator.clipboard) return;
  for (const button of part.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const field = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(field.value);
        button.textContent = "Copied";
        announce("Copied");
      } catch {
        field.select();
      }
    });
  }
}

// How times are shown: in the person's own zone, with the summer time of their date.
const LOCAL_TIME = new Intl.DateTimeFormat(undefined, {
  year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit",
  timeZoneName: "short",
});

/** Shows times in the person's own zone. What the server wrote becomes the title. */
function localTimes(part) {
  for (const time of part.querySelectorAll("time[datetime]:not([data-local])")) {
    const date = new Date(time.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    const local = LOCAL_TIME.format(date);
    time.dataset.local = "";
    if (time.matches(".ago")) {
      time.title = local;
    } else {
      time.title = time.textContent;
      time.textContent = local;
    }
  }
}

/** Understands the dates of forms in the person's own zone, with the summer time of the date. */
function ownZones(part) {
  const digits = (number) => String(number).padStart(2, "0");
  for (const select of part.querySelectorAll("select[id$=_zone]")) {
    const field = document.getElementById(select.id.replace(/_zone$/, ""));
    const choose = (date) => {
      const ahead = -date.getTimezoneOffset();
      const [hours, minutes] = [Math.floor(Math.abs(ahead) / 60), Math.abs(ahead) % 60];
      const zone = `${ahead < 0 ? "-" : "+"}${digits(hours)}:${digits(minutes)}`;
      const isThere = [...select.options].some((option) => option.value === zone);
      if (!isThere) select.add(new Option(`UTC${zone}`, zone));
      select.value = zone;
    };
    const known = new Date(`${field.value}${select.value}`);
    if (Number.isNaN(known.getTime())) {
      choose(new Date());
    } else {
      const local = new Date(known.getTime() - 60000 * known.getTimezoneOffset());
      field.value = local.toISOString().slice(0, 16);
      choose(known);
    }
    // Whoever chooses a zone means it.
    let isChosen = false;
    select.addEventListener("change", () => { isChosen = true; });
    field.addEventListener("input", () => {
      const date = new Date(field.value);
      if (!isChosen && !Number.isNaN(date.getTime())) choose(date);
    });
  }
}

/** Asks before something that is hard to undo. */
function questions(part) {
  for (const form of part.querySelectorAll("form[data-confirm]")) {
    form.addEventListener("submit", (event) => {
      if (!confirm(form.dataset.confirm)) event.preventDefault();
    });
  }
}

/** Shows the page that answered a form: goes there, or shows what was wrong. */
function showAnswer({ page, ok, address }) {
  if (ok) return location.assign(address);
  const main = page.getElementById("main");
  const old = document.getElementById("main");
  if (main === null) return location.assign(address);
  old.replaceWith(document.adoptNode(main));
  main.focus();
  scrollTo(0, 0);
  start(main);
}

/** Shows a problem below a form. */
function showProblem(place, words) {
  const notice = document.createElement("div");
  notice.className = "notice problem";
  notice.setAttribute("role", "alert");
  const text = document.createElement("p");
  text.textContent = words;
  notice.append(text);
  place.replaceChildren(notice);
}

/** The button "Try it" shows the trial match below the editor. */
async function tryCode(form, button) {
  const place = document.getElementById("try-result");
  button.disabled = true;
  polling += 1;
  try {
    const request = { method: "POST", body: new FormData(form) };
    const { page, ok, address } = await fetchPage(button.formAction, request);
    const live = page.getElementById("live");
    if (!ok || live === null) {
      const notice = page.querySelector("main .notice, main p:not([class])");
      showProblem(place, notice?.textContent ?? "The trial match did not start. Try again later.");
    } else {
      place.replaceChildren(document.adoptNode(live));
      improve(live);
      announce(live.dataset.announce);
      poll(address);
    }
    place.scrollIntoView({ block: "nearest" });
  } catch {
    showProblem(place, "The server did not answer. Try again.");
  } finally {
    button.disabled = false;
  }
}

/** Returns the beginning of the line of a place in a text. */
function lineStart(text, place) {
  return text.lastIndexOf("\n", place - 1) + 1;
}

/** Tab indents in the editor. After Escape, Tab leaves it, as everywhere else. */
function editorKeys(code) {
  let leaves = false;
  code.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { leaves = true; return; }
    if (event.key !== "Tab" || leaves || event.ctrlKey || event.altKey || event.metaKey) {
      if (event.key !== "Shift") leaves = false;
      return;
    }
    event.preventDefault();
    // Only what is typed is an input by itself.
    const changed = () => code.dispatchEvent(new Event("input", { bubbles: true }));
    const { value, selectionStart, selectionEnd } = code;
    if (selectionStart === selectionEnd && !event.shiftKey) {
      code.setRangeText("    ", selectionStart, selectionEnd, "end");
      changed();
      return;
    }
    const from = lineStart(value, selectionStart);
    const lines = value.slice(from, selectionEnd).split("\n");
    const less = (line) => line.replace(/^(\t| {1,4})/, "");
    const shifted = lines.map((line) => (event.shiftKey ? less(line) : `    ${line}`));
    const mode = selectionStart === selectionEnd ? "end" : "select";
    code.setRangeText(shifted.join("\n"), from, selectionEnd, mode);
    changed();
  });
  code.addEventListener("focus", () => { leaves = false; });
}

// What is typed in the editor and not handed in, by account, arena and language. It is kept in the
// tab only, and not after signing out: others may use the same computer.
const DRAFTS = "agon-draft/";

// The most characters of a draft; the server takes no longer text either.
const LONGEST_DRAFT = 1 << 20;

/** Returns all drafts, each with its key. */
function drafts() {
  try {
    const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(DRAFTS));
    return keys.map((key) => ({ key, ...JSON.parse(sessionStorage.getItem(key)) }));
  } catch {
    // The browser keeps nothing.
    return [];
  }
}

/** Keeps a draft, or removes it: `null`. */
function setDraft(key, draft) {
  try {
    if (draft === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(draft));
  } catch { /* The browser keeps nothing, or has no room. */ }
}

/** Returns the drafts of an account and arena, and removes those of other accounts. */
function draftsOf(owner) {
  const account = `${DRAFTS}${owner.split("/")[0]}/`;
  for (const { key } of drafts()) if (!key.startsWith(account)) setDraft(key, null);
  return drafts().filter(({ key }) => key.startsWith(`${DRAFTS}${owner}/`));
}

/** Removes the draft that was just handed in: the answer is the page of its version. */
function settleDrafts() {
  const isDone = /\/versions\/\d+$/.test(location.pathname);
  for (const { key, texts, isSent } of drafts()) {
    if (isSent) setDraft(key, isDone ? null : { texts, isSent: false });
  }
}

/** Brings back the draft of the editor's language, and keeps what is typed from now on. */
function editorDraft(form) {
  const owner = form.dataset.draft;
  const key = `${DRAFTS}${owner}/${form.elements.language.value}`;
  const fields = [...form.querySelectorAll("[name=code], [name=message], [name=name]")];
  const keep = (isSent) => {
    const texts = Object.fromEntries(fields.map((field) => [field.name, field.value]));
    if (texts.code.length <= LONGEST_DRAFT) setDraft(key, { texts, isSent });
  };
  const known = draftsOf(owner);
  for (const other of known.filter((draft) => draft.key !== key)) {
    const address = `?language=${other.key.split("/").pop()}#editor`;
    document.querySelector(`.switch a[href="${CSS.escape(address)}"]`)?.append(" · draft");
  }
  const texts = known.find((draft) => draft.key === key)?.texts ?? {};
  const differs = fields.filter((field) => (texts[field.name] ?? field.value) !== field.value);
  // What was just sent is newer than any draft.
  if (form.dataset.sent === undefined && differs.length === 0) setDraft(key, null);
  if (form.dataset.sent === undefined && differs.length > 0) {
    const notice = form.querySelector("[data-restored]");
    for (const field of differs) field.value = texts[field.name];
    notice.hidden = false;
    notice.querySelector("button").addEventListener("click", () => {
      if (!confirm("Discard what you typed?")) return;
      for (const field of fields) field.value = field.defaultValue;
      setDraft(key, null);
      notice.hidden = true;
      form.elements.code.focus();
    });
  }
  form.addEventListener("input", () => keep(false));
  return keep;
}

/** Shows drafts as text to copy where nothing can be handed in. */
function showDrafts(place) {
  const texts = draftsOf(place.dataset.drafts).map((draft) => draft.texts.code);
  place.querySelector("textarea").value = texts.join("\n\n");
  place.hidden = texts.length === 0;
}

/** The editor: its keys, its button "Try it", and a warning before changes are lost. */
function editor(form) {
  const code = form.querySelector("textarea[name=code]");
  const hint = form.querySelector("[data-keys]");
  hint?.prepend(`${hint.dataset.keys} `);
  editorKeys(code);
  const keep = editorDraft(form);
  let sending = false;
  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (button?.dataset.try === "true") {
      event.preventDefault();
      tryCode(form, button);
    } else {
      sending = true;
      keep(true);
    }
  });
  addEventListener("beforeunload", (event) => {
    if (!sending && code.isConnected && code.value !== code.defaultValue) event.preventDefault();
  });
}

/** Returns all files below a dropped file or folder, each with its path. */
async function filesBelow(entry, path) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
    return [{ file, path: path + file.name, inFolder: path !== "" }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const entries = await new Promise((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (entries.length === 0) return found;
    for (const below of entries) found.push(...await filesBelow(below, `${path}${entry.name}/`));
  }
}

/** Files can be dropped on the form. They are sent instead of chosen ones. */
function dropZone(form) {
  const zone = form.querySelector(".drop");
  const list = form.querySelector(".dropped");
  const hint = form.querySelector("[data-drop-text]");
  hint.append(` ${hint.dataset.dropText}`);
  let dropped = [];
  for (const kind of ["dragenter", "dragover"]) {
    zone.addEventListener(kind, (event) => { event.preventDefault(); zone.classList.add("over"); });
  }
  zone.addEventListener("dragleave", (event) => {
    if (!zone.contains(event.relatedTarget)) zone.classList.remove("over");
  });
  zone.addEventListener("drop", async (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    // Items are gone after the first await, so all are read at once.
    const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
    const found = items.map((item) => {
      const entry = item.webkitGetAsEntry?.();
      const file = item.getAsFile();
      return entry ? filesBelow(entry, "") : [{ file, path: file.name, inFolder: false }];
    });
    try {
      dropped = (await Promise.all(found)).flat();
    } catch {
      dropped = [];
      return announce("The files cannot be read.");
    }
    for (const input of form.querySelectorAll("input[type=file]")) input.value = "";
    showDropped(list, dropped);
  });
  form.addEventListener("change", (event) => {
    if (event.target.type === "file") { dropped = []; list.hidden = true; }
  });
  form.addEventListener("submit", (event) => {
    if (dropped.length === 0 || event.defaultPrevented) return;
    event.preventDefault();
    const data = new FormData(form);
    data.delete("files");
    data.delete("folder");
    for (const { file, path, inFolder } of dropped) {
      data.append(inFolder ? "folder" : "files", file, path);
    }
    fetchPage(form.action, { method: "POST", body: data }).then(showAnswer, () => {
      announce("The server did not answer. Try again.");
      alert("The server did not answer. Try again.");
    });
  });
}

/** Lists dropped files. */
function showDropped(list, dropped) {
  const lines = dropped.slice(0, 20).map(({ path }) => path);
  if (dropped.length > 20) lines.push(`and ${dropped.length - 20} more`);
  list.replaceChildren(...lines.map((line) => {
    const item = document.createElement("li");
    item.textContent = line;
    return item;
  }));
  list.hidden = dropped.length === 0;
  announce(`${dropped.length} files are ready to be handed in`);
}

/** Shows only the presets and bosses of the chosen game. */
function presets(select) {
  const other = document.getElementById(select.dataset.presets);
  const groups = [...other.querySelectorAll("optgroup")];
  const more = [...document.querySelectorAll(`[data-group="${select.dataset.groups}"]`)];
  const update = () => {
    more.forEach((group, at) => { group.hidden = at !== select.selectedIndex; });
    groups.forEach((group, at) => { group.hidden = group.disabled = at !== select.selectedIndex; });
    if (other.selectedOptions[0]?.parentElement.disabled !== false) {
      const first = groups[select.selectedIndex]?.querySelector("option");
      if (first) first.selected = true;
    }
  };
  select.addEventListener("change", update);
  update();
}

/** Ignores the second click of a double click, which would hand in twice. */
function onlyOnce(part) {
  for (const form of part.querySelectorAll("form[method=post]")) {
    let sent = 0;
    form.addEventListener("submit", (event) => {
      if (event.defaultPrevented || event.submitter?.dataset.try === "true") return;
      if (event.timeStamp - sent < 3000 && sent > 0) event.preventDefault();
      else sent = event.timeStamp;
    });
  }
}

/** Improves what may be replaced, too. */
function improve(part) {
  copyButtons(part);
  localTimes(part);
  questions(part);
  onlyOnce(part);
}

/** Shows the current tab where there is no room for all. */
function currentTab() {
  for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
    tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft - 60;
  }
}

function start(part) {
  improve(part);
  currentTab();
  part.querySelectorAll("form[data-editor]").forEach(editor);
  part.querySelectorAll("form[data-drop]").forEach(dropZone);
  part.querySelectorAll("[data-drafts]").forEach(showDrafts);
  ownZones(part);
  part.querySelectorAll("select[data-presets]").forEach(presets);
  const events = document.getElementById("main")?.dataset.events;
  if (events) follow(events);
  if (document.getElementById("live")?.dataset.live === "true") poll(location.href);
}

// Links that only people without scripts need are hidden.
document.documentElement.classList.add("scripted");
start(document);
addEventListener("pageshow", settleDrafts);
document.querySelector("form[action='/sign-out']")?.addEventListener("submit", () => {
  for (const { key } of drafts()) setDraft(key, null);
});
