/** What all editors of the page share: looks, colours, languages, and the nonce that its style sheet needs. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { defineLanguageFacet, Language, LanguageSupport, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  ViewPlugin,
} from "@codemirror/view";
import type { Parser } from "@lezer/common";
import { classHighlighter } from "@lezer/highlight";
import { languageOf, loadParser, parserNow } from "../text/language";
import { codePoint, spelled, UNSEEN } from "../text/visible";
import { wholeLines } from "./whole_lines";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";

const looks = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "var(--code-size)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--code-font)", lineHeight: "var(--code-line)" },
  ".cm-content": { caretColor: "var(--ink)", padding: "4px 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { color: "var(--faint)", backgroundColor: "var(--paper)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 10px 0 8px", minWidth: "28px" },
  ".cm-activeLine": { backgroundColor: "var(--line-soft)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--line-soft)", color: "var(--muted)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection) !important",
  },
  ".cm-selectionMatch": { backgroundColor: "var(--selection-faint)" },
  ".cm-specialChar": { color: "var(--warn-ink)", backgroundColor: "var(--warn-back)", borderRadius: "3px", padding: "0 2px" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-panels input, .cm-panels button": { fontSize: "12px" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-back)", outline: "1px solid var(--warn-line)" },
  ".cm-line.target": { backgroundColor: "var(--target)" },
  ".cm-changedLine": { backgroundColor: "var(--added-back) !important" },
  ".cm-deletedChunk": { backgroundColor: "var(--removed-back)", paddingLeft: "0" },
  "&.cm-merge-a .cm-changedLine": { backgroundColor: "var(--removed-back) !important" },
  "&.signed .cm-line, &.signed .cm-deletedChunk .cm-deletedLine": { paddingLeft: "20px" },
  "&.signed .cm-changedLine, &.signed .cm-deletedChunk .cm-deletedLine": { position: "relative" },
  "&.signed .cm-changedLine::before": { content: '"+"', position: "absolute", left: "7px", color: "var(--added-ink)" },
  "&.signed.cm-merge-a .cm-changedLine::before, &.signed .cm-deletedChunk .cm-deletedLine::before": {
    content: '"−"',
    position: "absolute",
    left: "7px",
    color: "var(--removed-ink)",
  },
  "&.cm-merge-b .cm-changedText, .cm-inlineChangedLine .cm-changedText, .cm-changedText": {
    background: "var(--added-mark) !important",
    borderRadius: "2px",
  },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText, .cm-deletedText": {
    background: "var(--removed-mark) !important",
    borderRadius: "2px",
  },
  ".cm-changedLine.whole .cm-changedText, .cm-deletedLine.whole .cm-deletedText": { background: "none !important" },
  "&.cm-merge-a .cm-changedLine.whole .cm-changedText": { background: "none !important" },
  "&.cm-merge-b .cm-changedLine.whole .cm-changedText": { background: "none !important" },
  ".cm-changeGutter": { width: "3px", paddingLeft: "0" },
  "&.cm-merge-b .cm-changedLineGutter, .cm-changedLineGutter": { background: "var(--added-ink)" },
  "&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter": { background: "var(--removed-ink)" },
  ".cm-collapsedLines": {
    color: "var(--muted)",
    background: "var(--raised)",
    fontFamily: "var(--ui-font)",
    fontSize: "12px",
    padding: "3px 12px",
  },
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"⋯"', margin: "0 8px" },
});

const shared: Extension = [
  nonce === "" ? [] : EditorView.cspNonce.of(nonce),
  looks,
  syntaxHighlighting(classHighlighter),
  highlightSpecialChars({
    specialChars: UNSEEN,
    render: (code) => {
      const sign = document.createElement("span");
      sign.className = "cm-specialChar";
      sign.textContent = codePoint(String.fromCodePoint(code));
      return sign;
    },
  }),
  lineNumbers(),
  drawSelection(),
];

/** What a person reads and does not change. It can be searched, and walked by keyboard. */
export function reading(label: string, path: string): Extension {
  return [
    shared,
    EditorState.readOnly.of(true),
    EditorView.contentAttributes.of({ tabindex: "0", "aria-label": spelled(label), "aria-readonly": "true" }),
    highlightSelectionMatches(),
    search({ top: true }),
    keymap.of([...defaultKeymap, ...searchKeymap]),
    colours(path),
  ];
}

/**
 * Typing over a selection is done here and not by the browser, which would keep the looks of what it deletes in style
 * attributes; the page's policy forbids those.
 */
const replacesSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== "insertText" || event.isComposing || event.data === null || view.composing) return false;
    if (view.state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

/** What a person writes. Tab leaves the field, as everywhere on the page. */
export function writing(label: string, path: string, onChange: (text: string) => void): Extension {
  return [
    shared,
    history(),
    highlightActiveLine(),
    replacesSelection,
    EditorView.contentAttributes.of({ tabindex: "0", "aria-label": spelled(label) }),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
    colours(path),
  ];
}

/** Changed lines carry their sign, so that colour is not the only mark; marks stand where they tell something. */
export const signed: Extension = [EditorView.editorAttributes.of({ class: "signed" }), wholeLines];

const LARGEST = 2_000_000;

/** Resolves when the colours of a path's language can be drawn at once. */
export async function coloursReady(path: string): Promise<void> {
  const name = languageOf(path);
  if (name !== null) await loadParser(name);
}

/** The colours of a path's language, there as soon as its grammar is. */
function colours(path: string): Extension {
  const name = languageOf(path);
  if (name === null) return [];
  const there = parserNow(name);
  if (there !== null) return support(name, there);
  const place = new Compartment();
  const load = ViewPlugin.define((view) => {
    if (view.state.doc.length <= LARGEST) {
      void loadParser(name).then((parser) => {
        if (parser !== null) view.dispatch({ effects: place.reconfigure(support(name, parser)) });
      });
    }
    return {};
  });
  return [place.of([]), load];
}

function support(name: string, parser: Parser): Extension {
  return new LanguageSupport(new Language(defineLanguageFacet(), parser, [], name));
}
