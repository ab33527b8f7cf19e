/** What is wrong with what was put into a field, beside the field, until it is right. */

import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { Problem } from "../api/wire";
import { Complaint } from "./said";

interface Described {
  readonly "aria-invalid": true | undefined;
  readonly "aria-describedby": string | undefined;
}

/** `send` hands a field's value on; `problem` is why the newest one was refused. */
export function useRefusal<T>(set: (value: T) => Promise<Problem | null>): {
  readonly problem: Problem | null;
  readonly send: (value: T) => void;
  readonly describedBy: Described;
} {
  const id = useId();
  const [problem, setProblem] = useState<Problem | null>(null);
  return {
    problem,
    send: (value) => void set(value).then(setProblem),
    describedBy: { "aria-invalid": problem === null ? undefined : true, "aria-describedby": problem === null ? undefined : id },
  };
}

export function FieldError({ problem, id }: { problem: Problem | null; id?: string | undefined }): JSX.Element | null {
  if (problem === null) return null;
  return (
    <p id={id} class="field-error" role="alert">
      <Complaint {...problem} />
    </p>
  );
}
