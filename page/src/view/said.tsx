/** Whatever the server says in words: drawn here alone, so that it looks the same wherever it stands. */

import type { JSX } from "preact";
import { pageHint } from "../text/page_hints";
import { saidParts } from "../text/said";
import { visible } from "./text";

/** A sentence, with what it quotes drawn as code. */
export function Said({ text }: { text: string }): JSX.Element {
  return <>{saidParts(text).map((part) => (part.code ? <code class="quoted">{visible(part.text)}</code> : visible(part.text)))}</>;
}

interface Properties {
  readonly code: string | null;
  readonly message: string;
  readonly hint: string | null;
}

/** What is wrong, and what to do about it on this page. */
export function Complaint({ code, message, hint }: Properties): JSX.Element {
  const next = pageHint(code, hint);
  return (
    <span class="complaint">
      <Said text={message} />
      {next !== "" && (
        <span class="next-act">
          {" "}
          <Said text={next} />
        </span>
      )}
    </span>
  );
}
