/** The grammar of a path, once it is loaded. */

import type { Parser } from "@lezer/common";
import { useEffect, useState } from "preact/hooks";
import { languageOf, loadParser, parserNow } from "../text/language";

export function useParser(path: string | null): Parser | null {
  const language = path === null ? null : languageOf(path);
  const [, redraw] = useState(0);
  const parser = language === null ? null : parserNow(language);
  useEffect(() => {
    if (language === null || parserNow(language) !== null) return;
    let gone = false;
    void loadParser(language).then(() => {
      if (!gone) redraw((n) => n + 1);
    });
    return () => {
      gone = true;
    };
  }, [language]);
  return parser;
}
