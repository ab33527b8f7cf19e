/** What the server answers to a part of the page, for as long as that is drawn. */

import { useEffect, useState } from "preact/hooks";

/**
 * The newest answer, null before the first; asked for again when one of `inputs` changes. One that comes too late is
 * dropped, one that was refused leaves the last one, and one that is the `same` as before leaves its value.
 */
export function useAnswer<T>(
  ask: () => Promise<T | null>,
  inputs: readonly unknown[],
  same: (one: T, other: T) => boolean = () => false,
): T | null {
  const [answer, setAnswer] = useState<T | null>(null);
  useEffect(() => {
    let gone = false;
    void ask().then((found) => {
      if (!gone && found !== null) setAnswer((now) => (now !== null && same(now, found) ? now : found));
    });
    return () => {
      gone = true;
    };
  }, [...inputs]);
  return answer;
}
