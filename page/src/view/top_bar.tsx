/** The bar on top: the folder, undo and redo, and the doors to files, panels, settings and help. */

import type { JSX } from "preact";
import { redo, undo } from "../state/actions";
import { folderName, folderRoot, journal, ledger, settings } from "../state/store";
import { dialog, filesOpen, panel, reviewed, theme, type Panel, type Theme } from "../state/ui";
import { spelled } from "../text/visible";
import { tokens } from "../text/words";
import { Button } from "./button";
import { Icon, type IconName } from "./icons";
import { Visible } from "./text";

const NEXT: Readonly<Record<Theme, { next: Theme; icon: IconName; text: string }>> = {
  auto: { next: "light", icon: "screen", text: "as the system has it" },
  light: { next: "dark", icon: "sun", text: "light" },
  dark: { next: "auto", icon: "moon", text: "dark" },
};

function toggle(name: Panel): void {
  reviewed.value = null;
  panel.value = panel.value === name ? null : name;
}

export function TopBar(): JSX.Element {
  const look = NEXT[theme.value];
  const total = ledger.value?.total;
  return (
    <header class="top-bar">
      <Button
        look="quiet"
        icon="files"
        label="Files"
        keys="f"
        pressed={filesOpen.value}
        onClick={() => (filesOpen.value = !filesOpen.value)}
      />
      <h1>
        Dovetail
        <span class="root" title={spelled(folderRoot.value)}>
          <Visible text={folderName.value} />
        </span>
      </h1>
      <span class="spacer" />
      <Button look="quiet" icon="chats" label="Conversations: a new one, earlier ones" keys="x" onClick={() => (dialog.value = "conversations")} />
      <span class="bar-line" aria-hidden="true" />
      <Button look="quiet" icon="undo" label="Undo the newest operation" keys="z" disabled={journal.value?.undo == null} onClick={() => void undo()} />
      <Button look="quiet" icon="redo" label="Redo" keys="Shift+Z" disabled={journal.value?.redo !== true} onClick={() => void redo()} />
      <span class="bar-line" aria-hidden="true" />
      <Button look="quiet" icon="list" keys="v" label="Review the edits" pressed={panel.value === "review"} onClick={() => toggle("review")} />
      <Button look="quiet" icon="clock" keys="h" label="History" pressed={panel.value === "history"} onClick={() => toggle("history")} />
      {total !== undefined && total.requests > 0 ? (
        <button
          type="button"
          class="button quiet tokens-button"
          title="Tokens in and out (t)"
          aria-pressed={panel.value === "tokens"}
          onClick={() => toggle("tokens")}
        >
          <Icon name="gauge" />
          <span class="label">
            {tokens(total.input)} in, {tokens(total.output)} out
          </span>
        </button>
      ) : (
        <Button look="quiet" icon="gauge" keys="t" label="Tokens" pressed={panel.value === "tokens"} onClick={() => toggle("tokens")} />
      )}
      <span class="bar-line" aria-hidden="true" />
      <button type="button" class="button quiet model-button" title="Settings (,)" onClick={() => (dialog.value = "settings")}>
        <Icon name="gear" />
        <span class="wide-only">
          <Visible text={settings.value?.model || "No model"} />
        </span>
        <span class="spoken">, settings</span>
      </button>
      <Button look="quiet" icon={look.icon} label={`Colours: ${look.text}. Change`} onClick={() => (theme.value = look.next)} />
      <Button look="quiet" icon="help" keys="?" label="Keys and help" onClick={() => (dialog.value = "help")} />
    </header>
  );
}
