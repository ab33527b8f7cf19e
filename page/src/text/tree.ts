/** Paths as a tree of folders and files, and the rows of it that are seen. */

interface Node {
  readonly name: string;
  readonly path: string;
  readonly folders: Map<string, Node>;
  readonly files: string[];
}

export interface TreeRow {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  readonly folder: boolean;
  readonly open: boolean;
}

export type Tree = Node;

const MOST = 2000;
const MOST_FOUND = 200;

/** The tree of sorted paths with `/` between their parts. */
export function buildTree(paths: readonly string[]): Tree {
  const root: Node = { name: "", path: "", folders: new Map(), files: [] };
  for (const path of paths) {
    const parts = path.split("/");
    const name = parts.pop() ?? "";
    let at = root;
    for (const part of parts) {
      let next = at.folders.get(part);
      if (next === undefined) {
        next = { name: part, path: at.path === "" ? part : `${at.path}/${part}`, folders: new Map(), files: [] };
        at.folders.set(part, next);
      }
      at = next;
    }
    at.files.push(name);
  }
  return root;
}

/** Every folder that holds one of these files. */
export function foldersOf(paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.flatMap((path) => path.split("/").slice(0, -1).map((_, n, parts) => parts.slice(0, n + 1).join("/"))));
}

/** The rows that are seen: under open folders, or all files whose path has the filter's words. */
export function visibleRows(root: Tree, open: ReadonlySet<string>, filter: string): TreeRow[] {
  const words = filter.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const rows: TreeRow[] = [];
  if (words.length > 0) find(root, words, rows);
  else walk(root, 0, open, rows);
  return rows;
}

function walk(node: Node, depth: number, open: ReadonlySet<string>, rows: TreeRow[]): void {
  for (const folder of node.folders.values()) {
    if (rows.length >= MOST) return;
    const isOpen = open.has(folder.path);
    rows.push({ path: folder.path, name: folder.name, depth, folder: true, open: isOpen });
    if (isOpen) walk(folder, depth + 1, open, rows);
  }
  for (const name of node.files) {
    if (rows.length >= MOST) return;
    rows.push({ path: node.path === "" ? name : `${node.path}/${name}`, name, depth, folder: false, open: false });
  }
}

function find(node: Node, words: readonly string[], rows: TreeRow[]): void {
  for (const name of node.files) {
    const path = node.path === "" ? name : `${node.path}/${name}`;
    const lower = path.toLowerCase();
    if (rows.length < MOST_FOUND && words.every((word) => lower.includes(word))) {
      rows.push({ path, name: path, depth: 0, folder: false, open: false });
    }
  }
  for (const folder of node.folders.values()) find(folder, words, rows);
}
