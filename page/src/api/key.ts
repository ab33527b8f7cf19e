/**
 * The key that every request sends beside the cookie.
 *
 * A browser sends cookies to every port of this machine, but keeps storage apart for each. The server hands the key over
 * with the cookie, in the part of the address that no request contains (`/#key=…`); the page keeps it and clears it from
 * the address bar.
 */

const NAME = "dovetail.key";

let fromAddress: string | null = null;

/** The key, "" where this browser has none for this server. A tab of an earlier start of the server reads the new one. */
export function pageKey(): string {
  const found = /^#key=([\w-]+)$/.exec(location.hash)?.[1];
  if (found !== undefined) {
    fromAddress = found;
    history.replaceState(null, "", location.pathname);
  }
  try {
    if (found !== undefined) localStorage.setItem(NAME, found);
    return localStorage.getItem(NAME) ?? "";
  } catch {
    return fromAddress ?? ""; // the browser keeps nothing for this page: the key lasts until the page is loaded again
  }
}
