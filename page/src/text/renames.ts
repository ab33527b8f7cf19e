/**
 * Files that get another name: the page shows each once, under the new one.
 *
 * An edit goes by the name that it found its file under. The plan says what that becomes; of what was written the edit
 * itself does.
 */

import type { Edit, Plan, PlanFile, Turn } from "../api/wire";

type Renaming = Pick<Turn, "edits" | "plan">;

/** What a plan does to a file, by either of its names. */
export function fileOf(plan: Pick<Plan, "files"> | null, path: string | null): PlanFile | null {
  const files = plan?.files ?? [];
  return files.find((file) => file.path === path) ?? files.find((file) => file.source !== null && file.source === path) ?? null;
}

/** The name under which a turn leaves a file. */
export function nameAfter(turn: Renaming, path: string): string {
  const file = fileOf(turn.plan, path);
  if (file !== null) return file.path;
  return turn.edits.find((edit) => written(edit) && edit.path === path && edit.destination !== null)?.destination ?? path;
}

/** The names that a turn's written edits left their files under, each once. */
export function writtenFiles(turn: Renaming): string[] {
  return [...new Set(turn.edits.flatMap((edit) => (written(edit) && edit.path !== null ? [nameAfter(turn, edit.path)] : [])))];
}

function written(edit: Edit): boolean {
  return edit.state === "written";
}
