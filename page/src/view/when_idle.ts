/** Work that may wait until nothing else is to be done. */

const AT_MOST = 300;

/** Do it when the page is idle, after 300 ms at the latest; call what is returned to have it left undone. */
export function whenIdle(act: () => void): () => void {
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(act);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(act, { timeout: AT_MOST });
  return () => cancelIdleCallback(handle);
}
