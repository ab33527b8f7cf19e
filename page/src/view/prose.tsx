/** Draws the prose of a reply. Names of files become buttons that open them; nothing becomes a link. */

import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { inlineParts, proseParts, type Inline, type Part } from "../text/prose";
import { lineColours } from "../text/highlight";
import { segmentsOf } from "../text/segments";
import { spelled } from "../text/visible";
import { count } from "../text/words";
import { show } from "../state/ui";
import { memo } from "./memo";
import { Visible } from "./text";
import { useParser } from "./use_parser";

type FileOf = (word: string) => string | null;

const FIRST = 20_000;

interface Properties {
  readonly text: string;
  readonly fileOf: FileOf;
}

export const Prose = memo(function Prose({ text, fileOf }: Properties): JSX.Element {
  const [whole, setWhole] = useState(false);
  const shown = whole || text.length <= FIRST ? text : text.slice(0, FIRST);
  const parts = useParts(shown);
  return (
    <div class="prose" dir="auto">
      {parts.map((part, n) => (
        <ProsePart key={n} part={part} fileOf={fileOf} />
      ))}
      {shown.length < text.length && (
        <button type="button" class="button quiet" onClick={() => setWhole(true)}>
          Show {count(text.length - shown.length, "more character")}
        </button>
      )}
    </div>
  );
});

/** The parts of a text that grows: what it began with stays the same values, so only its end is drawn again. */
function useParts(text: string): readonly Part[] {
  const before = useRef<readonly Part[]>([]);
  return useMemo(() => {
    const known = before.current;
    before.current = proseParts(text).map((part, n) => {
      const old = known[n];
      return old !== undefined && JSON.stringify(old) === JSON.stringify(part) ? old : part;
    });
    return before.current;
  }, [text]);
}

const ProsePart = memo(
  function ProsePart({ part, fileOf }: { part: Part; fileOf: FileOf }): JSX.Element | null {
    switch (part.kind) {
      case "heading":
        return (
          <p class={`heading level-${Math.min(part.level, 3)}`}>
            <InlineText text={part.text} fileOf={fileOf} />
          </p>
        );
      case "item":
        return (
          <p class={`item depth-${Math.min(part.depth, 4)}`}>
            <span class="marker">{/\d/.test(part.marker) ? part.marker : "•"}</span>
            <span>
              <InlineText text={part.text} fileOf={fileOf} />
            </span>
          </p>
        );
      case "quote":
        return (
          <p class="quote">
            <InlineText text={part.text} fileOf={fileOf} />
          </p>
        );
      case "rule":
        return <hr />;
      case "code":
        return part.text === "" ? null : <Code text={part.text} info={part.info} />;
      case "paragraph":
        return (
          <p>
            <InlineText text={part.text} fileOf={fileOf} />
          </p>
        );
    }
  },
);

function InlineText({ text, fileOf }: Properties): JSX.Element {
  const parts = useMemo(() => inlineParts(text, fileOf), [text, fileOf]);
  return <>{parts.map(inline)}</>;
}

function inline(part: Inline): JSX.Element {
  switch (part.kind) {
    case "code":
      return (
        <code>
          <Visible text={part.text} />
        </code>
      );
    case "strong":
      return <strong>{part.parts.map(inline)}</strong>;
    case "em":
      return <em>{part.parts.map(inline)}</em>;
    case "struck":
      return <del>{part.parts.map(inline)}</del>;
    case "file":
      return (
        <button
          type="button"
          class="mention"
          title={`Open ${spelled(part.path)}`}
          onClick={() => show({ kind: "file", path: part.path, line: part.line })}
        >
          <Visible text={part.text} />
        </button>
      );
    case "text":
      return <Visible text={part.text} />;
  }
}

const ENDINGS: Readonly<Record<string, string>> = {
  bash: "sh", console: "sh", golang: "go", javascript: "js", python: "py", ruby: "rb", rust: "rs", shell: "sh",
  typescript: "ts",
};
const MOST_LINES = 400;

function Code({ text, info }: { text: string; info: string }): JSX.Element {
  const word = (/^[\w+-]+/.exec(info)?.[0] ?? "").toLowerCase();
  const parser = useParser(word === "" ? null : `x.${ENDINGS[word] ?? word}`);
  const lines = useMemo(() => text.split("\n"), [text]);
  const [most, setMost] = useState(MOST_LINES);
  const shown = useMemo(() => lines.slice(0, most), [lines, most]);
  const colours = useMemo(() => lineColours(shown, parser), [shown, parser]);
  return (
    <div class="code">
      <pre tabIndex={0} role="group" aria-label={info === "" ? "Code" : `Code, ${spelled(info.slice(0, 40))}`} dir="ltr">
        {shown.map((line, n) => {
          const { segments, rest } = segmentsOf(line, colours[n] ?? [], []);
          return (
            <code key={n}>
              {segments.map((segment) => (
                <span class={segment.colour}>
                  <Visible text={segment.text} />
                </span>
              ))}
              {rest > 0 && <span class="rest">… {count(rest, "more character")}</span>}
              {"\n"}
            </code>
          );
        })}
      </pre>
      {shown.length < lines.length && (
        <button type="button" class="button quiet" onClick={() => setMost(lines.length)}>
          Show {count(lines.length - shown.length, "more line")}
        </button>
      )}
    </div>
  );
}
