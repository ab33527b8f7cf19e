/**
 * An editor on the block itself: path, search and replacement, planned again while one types.
 *
 * What is typed is kept here; the server's answer says only where it would land.
 */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Edit } from "../api/wire";
import { attach } from "../editor/lazy";
import { composes } from "../text/keys";
import { linesOf } from "../text/lines";
import { spelled } from "../text/visible";
import { placeLabel, tierLabel } from "../text/words";
import { restore, rewrite } from "../state/actions";
import { typing } from "../state/by_hand";
import { paths } from "../state/store";
import { editing } from "../state/ui";
import { Button } from "../view/button";
import { CodeField } from "../view/code_field";
import { Said } from "../view/said";
import { Path } from "../view/text";
import { Badge } from "./edit_head";
import { NearestCode } from "./nearest_code";

export function EditByHand({ turn, edit }: { turn: string; edit: Edit }): JSX.Element {
  const [text, setText] = useState<Text>({ path: edit.path ?? "", search: edit.search, replace: edit.replace });
  const [generation, setGeneration] = useState(0);
  const plan = useMemo(() => typing<Text>(turn, (next) => rewrite(turn, edit.n, next)), [turn, edit.n]);
  const set = (part: Partial<Text>): void =>
    setText((now) => {
      const next = { ...now, ...part };
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
  const nearest = edit.state === "failed" ? (edit.result?.nearest ?? null) : null;

  const close = (): void => void (editing.value = null);
  useEffect(() => {
    if (edit.state === "applied") close();
  }, [edit.state]);
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
      {nearest !== null && (
        <details class="towards" open={linesOf(nearest.corrected).length <= UNFOLDED}>
          <summary>The nearest code in the file</summary>
          <NearestCode turn={turn} edit={edit} nearest={nearest} live={false} />
        </details>
      )}
      <div class="by-hand-foot">
        <Verdict edit={edit} />
        <span class="spacer" />
        {edit.original !== null && (
          <Button look="quiet" icon="undo" onClick={() => void back()}>
            Back to the reply’s version
          </Button>
        )}
        <Button look="primary" onClick={close}>
          Done
        </Button>
      </div>
    </form>
  );
}

/** Nearest code of more lines is there to be unfolded. */
const UNFOLDED = 12;

interface Text {
  readonly path: string;
  readonly search: string;
  readonly replace: string;
}

function Verdict({ edit }: { edit: Edit }): JSX.Element {
  const { result } = edit;
  const place = result?.start != null && result.end != null ? placeLabel(result.start, result.end) : "";
  const said = edit.state === "ready" ? [tierLabel(result ?? { tier: null, score: null }), place] : [result?.reason ?? ""];
  return (
    <p class="verdict" role="status">
      <Badge state={edit.state} /> <Said text={said.filter((word) => word !== "").join(", ")} />
    </p>
  );
}
