/** The page's few signs, drawn in the text's own colour. They decorate; words beside them carry the meaning. */

import type { JSX } from "preact";

const PATHS = {
  check: "M3.5 8.5l3 3 6-7",
  cross: "M4 4l8 8M12 4l-8 8",
  skip: "M3.5 12.5l9-9M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2z",
  equal: "M4 6h8M4 10h8",
  dot: "M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
  ring: "M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3z",
  again: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3",
  pen: "M3 13l.6-2.8 7-7a1.4 1.4 0 0 1 2 0l.2.2a1.4 1.4 0 0 1 0 2l-7 7z",
  undo: "M5.5 3L2.5 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H7",
  redo: "M10.5 3l3 3-3 3M13 6H6.5a3.5 3.5 0 0 0 0 7H9",
  files: "M2.5 4.5v8h11v-6.5H8L6.5 4.5z",
  file: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  folder: "M2.5 4v9h11V5.5H8L6.5 4z",
  chevron: "M6 4l4 4-4 4",
  down: "M4 6l4 4 4-4",
  up: "M4 10l4-4 4 4",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3l2 1.5",
  list: "M5.5 4.5h8M5.5 8h8M5.5 11.5h8M2.5 4.5h.5M2.5 8h.5M2.5 11.5h.5",
  gauge: "M2.5 12.5v-5M6.2 12.5v-9M9.8 12.5v-3M13.5 12.5v-7",
  columns: "M2.5 3h11v10h-11zM8 3v10",
  rows: "M2.5 3h11v10h-11zM2.5 8h11",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
  chats: "M2.5 2.5h8v5.5h-4l-2 2v-2h-2zM8 10.5v1h3.5l2 2v-2h.5v-6h-1.5",
  play: "M5 3.5l7.5 4.5L5 12.5z",
  comment: "M2.5 3.5h11v7.5h-6l-3 2.5v-2.5h-2z",
  screen: "M2.5 3.5h11v7.5h-11zM6 13.5h4",
  help: "M6 6a2 2 0 1 1 2.6 1.9c-.5.2-.6.5-.6 1.1M8 11.4v.2M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2z",
  copy: "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
  send: "M8 13V3.5M4 7.5l4-4 4 4",
  stop: "M4.5 4.5h7v7h-7z",
  plus: "M8 3.5v9M3.5 8h9",
  minus: "M3.5 8h9",
  lock: "M4.5 7.5h7v5.5h-7zM6 7.5V5.5a2 2 0 0 1 4 0v2",
  gear: "M2.5 5h6M11.5 5h2M10 3.5v3M2.5 11h2M7.5 11h6M6 9.5v3",
  warn: "M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.2",
  terminal: "M2.5 3.5h11v9h-11zM5 6.5l2 1.5-2 1.5M8.5 10h2.5",
  template: "M2.5 2.5h11v3h-11zM2.5 8h4v5.5h-4zM9 8h4.5v5.5H9z",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
