/** The page: its parts, put together and started. */

import "./style/tokens.css";
import "./style/base.css";
import "./style/controls.css";
import "./style/layout.css";
import "./style/chat.css";
import "./style/edits.css";
import "./style/diff.css";
import "./style/panels.css";
import "./style/dialogs.css";
import "./style/small.css";
import "./style/system.css";

import { effect } from "@preact/signals";
import { render, type JSX } from "preact";
import { ApiError } from "./api/client";
import { hasBegunAnew } from "./api/session";
import { ChatLog } from "./chat/chat_log";
import { Composer } from "./chat/composer";
import { attach } from "./editor/lazy";
import { FileTree } from "./panels/file_tree";
import { SidePanel } from "./panels/side_panel";
import { keepFocus } from "./state/focus";
import { bindKeys } from "./state/keyboard";
import { lookAround } from "./state/actions";
import { complain, notify, succeeded } from "./state/notices";
import { begun, connection, hasTurns, modelReady, session, start } from "./state/store";
import { showRecorded } from "./state/recorded";
import { composing, dialog, filesOpen, panel, type Dialog } from "./state/ui";
import { ConnectionRow } from "./view/connection_row";
import { later, loadParts } from "./view/later";
import { Notices, Voice } from "./view/notices";
import { SampleRow } from "./view/sample_row";
import { TopBar } from "./view/top_bar";

const DIALOGS: Readonly<Record<Dialog, () => JSX.Element | null>> = {
  help: later(async () => (await import("./dialogs/help_dialog")).HelpDialog),
  settings: later(async () => (await import("./dialogs/settings_dialog")).SettingsDialog),
  templates: later(async () => (await import("./dialogs/templates_dialog")).TemplatesDialog),
  prompt: later(async () => (await import("./dialogs/prompt_dialog")).PromptDialog),
  conversations: later(async () => (await import("./dialogs/conversations_dialog")).ConversationsDialog),
};

function Page(): JSX.Element {
  const Open = dialog.value === null ? null : DIALOGS[dialog.value];
  const classes = ["page", filesOpen.value ? "with-files" : "", panel.value === null ? "" : "with-panel", begun.value && !hasTurns.value ? "empty-log" : ""];
  return (
    <div class={classes.join(" ")}>
      <a class="skip-link" href="#composer-text">
        To the composer
      </a>
      <TopBar />
      <div class="page-notices">
        <ConnectionRow />
        <SampleRow />
        <Notices />
      </div>
      {filesOpen.value && <FileTree />}
      <main class="chat" inert={panel.value === "review"}>
        {begun.value && <ChatLog />}
        {begun.value && (
          <div class="composer-shell">
            <Composer />
          </div>
        )}
      </main>
      {panel.value !== null && <SidePanel open={panel.value} />}
      {Open !== null && <Open />}
      <Voice />
    </div>
  );
}

let opened = false;

async function begin(): Promise<void> {
  try {
    await start();
    succeeded("server");
    void lookAround(); // a tab that is loaded again gets no focus
    if (!modelReady.value) composing.value = "paste";
    const opens = session.value?.opens ?? null;
    if (opens !== null && !opened) showRecorded({ ...opens, prompt: null });
    opened = true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    connection.value = error.status === 401 ? "refused" : "lost";
    if (error.status !== 401) complain(error.problem, "server");
    if (error.status !== 401) setTimeout(() => void begin(), 2000);
  }
}

const root = document.getElementById("root");
if (root !== null) render(<Page />, root);
bindKeys();
keepFocus();
void begin();
if (hasBegunAnew()) notify("note", "The server was started again: this is its new session.", "What was written is in the history.");
addEventListener("focus", () => void lookAround());
const soon = window.requestIdleCallback ?? ((act: () => void) => setTimeout(act, 1000));
let loads = false;
effect(() => {
  // The empty page needs none of them; who has a reply before him will soon.
  if (loads || !hasTurns.value) return;
  loads = true;
  soon(() => void attach().then(loadParts));
});
