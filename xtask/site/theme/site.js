"use strict";

// Makes tabs of sections. Without this script they follow each other, each under its heading.
const TAB_KEY = "agon-language";

function remembered() {
  try { return localStorage.getItem(TAB_KEY); } catch { return null; }
}

function remember(name) {
  // Browsers may refuse storage, for pages opened as files above all.
  try { localStorage.setItem(TAB_KEY, name); } catch { /* The choice lasts for this page. */ }
}

function makeTabs(box) {
  const panels = [...box.querySelectorAll(":scope > section")];
  const list = document.createElement("div");
  list.className = "tab-list";
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language");
  const tabs = panels.map((panel, index) => {
    const heading = panel.querySelector("h3");
    heading.hidden = true;
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = `tab-${index}`;
    tab.textContent = panel.dataset.title;
    tab.setAttribute("role", "tab");
    panel.id = `panel-${index}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    tab.setAttribute("aria-controls", panel.id);
    list.append(tab);
    return tab;
  });
  const choose = (chosen) => tabs.forEach((tab, index) => {
    const on = index === chosen;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    panels[index].hidden = !on;
  });
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => {
      choose(index);
      remember(tab.textContent);
    });
  });
  list.addEventListener("keydown", (event) => {
    const at = tabs.indexOf(document.activeElement);
    const to = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at + tabs.length - 1) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    // The book turns pages with the same keys.
    event.stopPropagation();
    tabs[to].focus();
    tabs[to].click();
  });
  // A link to a language's heading opens its tab.
  const linked = () => panels.findIndex((panel) => {
    const heading = panel.querySelector("h3");
    return location.hash === `#${heading.id}`;
  });
  addEventListener("hashchange", () => {
    const at = linked();
    if (at < 0) return;
    choose(at);
    box.scrollIntoView();
  });
  const before = tabs.findIndex((tab) => tab.textContent === remembered());
  choose(Math.max(linked() >= 0 ? linked() : before, 0));
  box.prepend(list);
}

document.querySelectorAll(".tabs").forEach(makeTabs);

// Gives the viewer the theme of the page, if it is not the system's.
function followTheme(frame) {
  const page = document.documentElement.classList;
  const wanted = page.contains("light") || page.contains("rust") ? "light" : "dark";
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const address = new URL(frame.src);
  const shown = address.searchParams.get("theme") ?? system;
  if (shown === wanted) return;
  address.searchParams.set("theme", wanted);
  frame.src = address.href;
}

document.querySelectorAll("iframe.match").forEach((frame) => {
  followTheme(frame);
  const observer = new MutationObserver(() => followTheme(frame));
  observer.observe(document.documentElement, { attributeFilter: ["class"] });
});
