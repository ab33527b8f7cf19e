/** The panel beside the chat: review, viewer, history and tokens, as tabs. The review lies over the chat, in its place. */

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { panel, type Panel } from "../state/ui";
import { Button } from "../view/button";
import { Icon, type IconName } from "../view/icons";
import { later } from "../view/later";

const TABS: readonly (readonly [Panel, string, IconName])[] = [
  ["review", "Review", "list"],
  ["diff", "Viewer", "columns"],
  ["history", "History", "clock"],
  ["tokens", "Tokens", "gauge"],
];

const CONTENT: Readonly<Record<Panel, () => JSX.Element | null>> = {
  review: later(async () => (await import("./review_panel")).ReviewPanel),
  diff: later(async () => (await import("./viewer_panel")).ViewerPanel),
  history: later(async () => (await import("./history_panel")).HistoryPanel),
  tokens: later(async () => (await import("./tokens_panel")).TokensPanel),
};

export function SidePanel({ open }: { open: Panel }): JSX.Element {
  useFocusOnTab(open);
  const Content = CONTENT[open];
  return (
    <div class={`panel panel-${open}`} role={open === "review" ? "main" : "complementary"} aria-label={open === "review" ? "Review" : "Details"}>
      <div class="side-head">
        <div class="tabs" role="tablist" aria-label="Details" onKeyDown={(event) => walkTabs(event, open)}>
          {TABS.map(([name, text, icon]) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              class="tab"
              aria-selected={name === open}
              aria-controls="panel-body"
              tabIndex={name === open ? 0 : -1}
              onClick={() => (panel.value = name)}
            >
              <Icon name={icon} />
              {text}
            </button>
          ))}
        </div>
        <span class="spacer" />
        <Button look="quiet" icon="cross" label="Close the panel" keys="Esc" onClick={() => (panel.value = null)} />
      </div>
      <div id="panel-body" class="panel-body" role="tabpanel" aria-labelledby={`tab-${open}`} tabIndex={-1}>
        <Content />
      </div>
    </div>
  );
}

/** Who opens a tab is led to it; who is in its content already stays. */
function useFocusOnTab(open: Panel): void {
  useEffect(() => {
    const at = document.activeElement;
    if (at?.closest(".panel-body > *") == null) document.getElementById(`tab-${open}`)?.focus();
  }, [open]);
}

function walkTabs(event: KeyboardEvent, open: Panel): void {
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const index = TABS.findIndex(([name]) => name === open);
  const [next] = TABS[(index + step + TABS.length) % TABS.length]!;
  panel.value = next;
  document.getElementById(`tab-${next}`)?.focus();
}
