/** A field for code: a plain one at once, a better one when its module is loaded. */

import type { JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { attach, type Field } from "../editor/lazy";

interface Properties {
  readonly label: string;
  readonly path: string;
  /** Its text at first; from then on the field has its own. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly focus?: boolean;
}

export function CodeField({ label, path, value, onChange, focus = false }: Properties): JSX.Element {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    let field: Field | null = null;
    let gone = false;
    void attach().then((editors) => {
      if (gone || place.current === null) return;
      field = editors.codeField(place.current, { label, path, value, onChange: (text) => latest.current(text) });
      if (focus) field.focus();
    });
    return () => {
      gone = true;
      field?.destroy();
    };
  }, []);
  return (
    <div class="field code-field">
      <span id={id}>{label}</span>
      <div ref={place} class="code-field-place" />
    </div>
  );
}
