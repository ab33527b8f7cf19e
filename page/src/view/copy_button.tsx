/** A button that copies, and shows for a moment that it did. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { copy } from "../state/actions";
import { Button } from "./button";

const SHOWN = 2000;

interface Properties {
  /** What is copied; null where it cannot be had. */
  readonly text: () => string | null | Promise<string | null>;
  /** What a screen reader is told that was copied. */
  readonly what: string;
  readonly look?: "plain" | "primary" | "quiet";
  readonly children: ComponentChildren;
}

export function CopyButton({ text, what, look = "plain", children }: Properties): JSX.Element {
  const [times, setTimes] = useState(0);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (times === 0) return;
    setCopied(true);
    const timer = setTimeout(() => setCopied(false), SHOWN);
    return () => clearTimeout(timer);
  }, [times]);
  const act = async (): Promise<void> => {
    if (await copy(text(), what)) setTimes((n) => n + 1);
  };
  return (
    <Button look={look} icon={copied ? "check" : "copy"} onClick={() => void act()}>
      {copied ? "Copied" : children}
    </Button>
  );
}
