/** The files of the workspace, as a tree that is walked by arrow keys; what is typed narrows it. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { composes } from "../text/keys";
import { buildTree, visibleRows, type TreeRow } from "../text/tree";
import { spelled } from "../text/visible";
import { hold } from "../state/actions";
import { focusSoon } from "../state/focus";
import { held, paths, pathsTruncated } from "../state/store";
import { dialog, filesOpen, show } from "../state/ui";
import { Button } from "../view/button";
import { Icon } from "../view/icons";
import { memo } from "../view/memo";
import { Visible } from "../view/text";

export function FileTree(): JSX.Element {
  const [filter, setFilter] = useState("");
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const root = useMemo(() => buildTree(paths.value), [paths.value]);
  const rows = useMemo(() => visibleRows(root, open, filter), [root, open, filter]);
  const current = rows.some((row) => row.path === at) ? at : (rows[0]?.path ?? "");
  useEffect(() => focusSoon(rows.length > 0 ? '.files [role="treeitem"][tabindex="0"]' : ".files .filter"), []);

  const toggle = (path: string, value: boolean): void => {
    const next = new Set(open);
    if (value) next.add(path);
    else next.delete(path);
    setOpen(next);
  };
  const move = (path: string | undefined): void => {
    if (path === undefined || !rows.some((row) => row.path === path)) return;
    setAt(path);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  };
  const act = (row: TreeRow): void => {
    setAt(row.path);
    if (row.folder) toggle(row.path, !row.open);
    else show({ kind: "file", path: row.path, line: null });
  };
  // A screen reader moves the focus by its own keys: what has it is what all others are about.
  const follow = (event: FocusEvent): void => {
    const row = rows[[...(list.current?.children ?? [])].findIndex((one) => one === event.target)];
    if (row !== undefined) setAt(row.path);
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const index = rows.findIndex((row) => row.path === current);
    const row = rows[index];
    if (row === undefined) return;
    const act_ = KEYS[event.key];
    if (act_ === undefined) return;
    event.preventDefault();
    act_({ row, index, rows, move, toggle, act });
  };
  return (
    <nav class="files" aria-label="Files">
      <header class="side-head">
        <h2>Files</h2>
        <span class="muted">{paths.value.length.toLocaleString("en")}</span>
        <span class="spacer" />
        <Button look="quiet" icon="cross" label="Close the files" keys="f" onClick={() => (filesOpen.value = false)} />
      </header>
      <input
        class="filter"
        type="search"
        placeholder="Filter"
        aria-label="Filter files"
        value={filter}
        onInput={(event) => setFilter(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown" && !composes(event)) {
            event.preventDefault();
            move(rows[0]?.path);
          }
        }}
      />
      {rows.length === 0 ? (
        <div class="empty">
          <p>{paths.value.length === 0 ? "This folder has no files." : "No file matches."}</p>
          {paths.value.length === 0 && (
            <Button icon="template" keys="n" onClick={() => (dialog.value = "templates")}>
              Start from a template
            </Button>
          )}
        </div>
      ) : (
        <div class="tree" role="tree" aria-label="Files" ref={list} onKeyDown={keys} onFocusIn={follow}>
          {rows.map((row) => (
            <TreeItem key={row.path} row={row} current={row.path === current} onAct={act} />
          ))}
        </div>
      )}
      {pathsTruncated.value && <p class="empty">Not all files are listed.</p>}
    </nav>
  );
}

interface Walk {
  readonly row: TreeRow;
  readonly index: number;
  readonly rows: readonly TreeRow[];
  move(path: string | undefined): void;
  toggle(path: string, value: boolean): void;
  act(row: TreeRow): void;
}

const KEYS: Readonly<Record<string, (walk: Walk) => void>> = {
  ArrowDown: ({ rows, index, move }) => move(rows[index + 1]?.path),
  ArrowUp: ({ rows, index, move }) => move(rows[index - 1]?.path),
  Home: ({ rows, move }) => move(rows[0]?.path),
  End: ({ rows, move }) => move(rows.at(-1)?.path),
  ArrowRight: ({ row, rows, index, move, toggle }) => {
    if (row.folder && !row.open) toggle(row.path, true);
    else if (row.folder) move(rows[index + 1]?.path);
  },
  ArrowLeft: ({ row, toggle, move }) => {
    if (row.folder && row.open) toggle(row.path, false);
    else if (row.path.includes("/")) move(row.path.slice(0, row.path.lastIndexOf("/")));
  },
  Enter: ({ row, act }) => act(row),
  " ": ({ row, act }) => act(row),
  "+": ({ row }) => {
    if (!row.folder) void hold({ add: [row.path] });
  },
};

interface ItemProperties {
  readonly row: TreeRow;
  readonly current: boolean;
  readonly onAct: (row: TreeRow) => void;
}

function TreeItem({ row, current, onAct }: ItemProperties): JSX.Element {
  const editable = held.value.editable.includes(row.path);
  const locked = held.value.read_only.includes(row.path);
  return (
    <Row row={row} current={current} onAct={onAct} mark={editable ? "in the chat" : locked ? "in the chat, read-only" : ""} />
  );
}

const Row = memo(function Row({ row, current, onAct, mark }: ItemProperties & { mark: string }): JSX.Element {
  return (
    <div
      class={`tree-row depth-${Math.min(row.depth, 8)} ${mark === "" ? "" : "held-row"}`}
      role="treeitem"
      tabIndex={current ? 0 : -1}
      aria-level={row.depth + 1}
      aria-expanded={row.folder ? row.open : undefined}
      aria-selected={current}
      aria-label={`${spelled(row.name)}${mark === "" ? "" : `, ${mark}`}`}
      title={spelled(row.path)}
      onClick={() => onAct(row)}
    >
      <span class={`twist ${row.open ? "open" : ""}`}>{row.folder && <Icon name="chevron" />}</span>
      <Icon name={row.folder ? "folder" : "file"} />
      <span class="tree-name">
        <Visible text={row.name} />
      </span>
      {mark !== "" && <span class="tree-mark">{mark === "in the chat" ? "in chat" : "read-only"}</span>}
      {!row.folder && mark === "" && (
        <span
          class="tree-add"
          title={`Add ${spelled(row.path)} to the chat (+)`}
          onClick={(event) => {
            event.stopPropagation();
            void hold({ add: [row.path] });
          }}
        >
          <Icon name="plus" />
        </span>
      )}
    </div>
  );
});
