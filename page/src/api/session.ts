/**
 * A page belongs to one session of the server. Where it meets another one, it is loaded again and says so: what is on the
 * screen by then is known to nobody, and what a person does must not befall what has its name.
 */

const NAME = "dovetail.begun-anew";

/** Load the page again, for the session that the server has now. */
export function beginAnew(): void {
  try {
    sessionStorage.setItem(NAME, "yes");
  } catch {
    // the browser keeps nothing for this page: it is loaded again in silence
  }
  location.reload();
}

/** Whether the page was loaded again for another session; asked once. */
export function hasBegunAnew(): boolean {
  try {
    const begun = sessionStorage.getItem(NAME) !== null;
    sessionStorage.removeItem(NAME);
    return begun;
  } catch {
    return false;
  }
}
