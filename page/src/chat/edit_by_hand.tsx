/**
 * An editor on the block itself: path, search and replacement beside the file, planned again while one types.
 *
 * What is typed is kept here; the server's answer says only where it would land.
 */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Edit } from "../api/wire";
import { attach, type Shown } from "../editor/lazy";
import { composes } from "../text/keys";
import { spelled } from "../text/visible";
import { placeLabel, tierLabel } from "../text/words";
import { plainFile, restore, rewrite } from "../state/actions";
import { settled, typing } from "../state/by_hand";
import { filesVersion, paths } from "../state/store";
import { editing } from "../state/ui";
import { Button } from "../view/button";
import { CodeField } from "../view/code_field";
import { Said } from "../view/said";
import { Path } from "../view/text";
import { useAnswer } from "../view/use_answer";
import { Badge } from "./edit_head";

export function EditByHand({ turn, edit }: { turn: string; edit: Edit }): JSX.Element {
  const [text, setText] = useState<Text>({ path: edit.path ?? "", search: edit.search, replace: edit.replace });
  const [generation, setGeneration] = useState(0);
  const plan = useMemo(() => typing<Text>(turn, (next) => rewrite(turn, edit.n, next)), [turn, edit.n]);
  const began = useRef({ text, original: edit.original, typed: false });
  const set = (part: Partial<Text>): void =>
    setText((now) => {
      const next = { ...now, ...part };
      began.current.typed = true;
      plan(next);
      return next;
    });
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    void attach().then(() => {
      form.current?.scrollIntoView({ block: "nearest" }); // once its fields stand
      form.current?.querySelector(":focus")?.scrollIntoView({ block: "nearest" }); // which is above all where not all fits
    });
  }, []);
  const close = (): void => void (editing.value = null);
  useEffect(() => {
    if (edit.state === "written") close();
  }, [edit.state]);
  const cancel = async (): Promise<void> => {
    const { text: before, original, typed } = began.current;
    await settled(turn);
    if (typed) await (original === null ? restore(turn, edit.n) : rewrite(turn, edit.n, before));
    close();
  };
  const back = async (): Promise<void> => {
    const answer = await restore(turn, edit.n);
    if (answer === null) return;
    setText({ path: answer.edit.path ?? "", search: answer.edit.search, replace: answer.edit.replace });
    setGeneration(generation + 1);
  };
  return (
    <form
      ref={form}
      class="by-hand-form"
      aria-label={`Edit ${edit.n} by hand`}
      onSubmit={(event) => {
        event.preventDefault();
        close();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || composes(event)) return;
        event.stopPropagation();
        close();
      }}
    >
      <label class="field">
        <span>File</span>
        <input
          type="text"
          value={text.path}
          list={`${turn}-${edit.n}-paths`}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => set({ path: event.currentTarget.value })}
        />
        <datalist id={`${turn}-${edit.n}-paths`}>
          {paths.value.slice(0, 500).filter((path) => path === spelled(path)).map((path) => (
            <option key={path} value={path} />
          ))}
        </datalist>
      </label>
      {text.path !== spelled(text.path) && (
        <p class="field-note">
          <Path path={text.path} />
        </p>
      )}
      <div class="by-hand-texts">
        <div class="by-hand-fields">
          <CodeField
            key={`search-${generation}`}
            label="Search"
            path={text.path}
            value={text.search}
            focus
            onChange={(search) => set({ search })}
          />
          <CodeField
            key={`replace-${generation}`}
            label="Replace by"
            path={text.path}
            value={text.replace}
            onChange={(replace) => set({ replace })}
          />
        </div>
        <FileInSight path={text.path} line={edit.result?.start ?? edit.result?.nearest?.start ?? null} />
      </div>
      <div class="by-hand-foot">
        <Verdict edit={edit} />
        <span class="spacer" />
        {edit.original !== null && (
          <Button look="quiet" icon="undo" onClick={() => void back()}>
            Back to the reply’s version
          </Button>
        )}
        <Button look="quiet" onClick={() => void cancel()}>
          Cancel
        </Button>
        <Button look="primary" onClick={close}>
          Done
        </Button>
      </div>
    </form>
  );
}

interface Text {
  readonly path: string;
  readonly search: string;
  readonly replace: string;
}

/** The file as it is, at the place that the edit is about. */
function FileInSight({ path, line }: { path: string; line: number | null }): JSX.Element {
  const file = useAnswer(() => plainFile(path), [path, filesVersion.value], (one, other) => one.path === other.path && one.digest === other.digest);
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<Shown | null>(null);
  const text = file?.path === path ? file.text : null;
  useEffect(() => {
    if (text === null) return;
    let gone = false;
    void attach().then((editors) => {
      if (gone || place.current === null) return;
      const lines = line === null ? null : ([line, line] as const);
      shown.current = editors.file(place.current, { path, text, lines, place: null, alone: true });
    });
    return () => {
      gone = true;
      shown.current?.destroy();
      shown.current = null;
    };
  }, [path, text]);
  useEffect(() => {
    if (line !== null) shown.current?.goTo([line, line]);
  }, [line]);
  return (
    <div class="field in-sight">
      <span>The file</span>
      {file !== null && text === null ? <p class="empty">There is no such file yet.</p> : <div class="code-field-place" ref={place} />}
    </div>
  );
}

function Verdict({ edit }: { edit: Edit }): JSX.Element {
  const { result } = edit;
  const place = result?.start != null && result.end != null ? placeLabel(result.start, result.end) : "";
  const said = edit.state === "fits" ? [tierLabel(result ?? { tier: null, score: null }), place] : [result?.reason ?? ""];
  return (
    <p class="verdict" role="status">
      <Badge state={edit.state} /> <Said text={said.filter((word) => word !== "").join(", ")} />
    </p>
  );
}
