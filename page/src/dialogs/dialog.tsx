/** A dialog of the browser's own: it holds the focus, closes on Escape, and gives the focus back. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { dialog } from "../state/ui";
import { composes } from "../text/keys";
import { Button } from "../view/button";
import { Notices } from "../view/notices";

export function Modal({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const left = useRef(false);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  // The browser tells of a close a moment later, when the next key may be down already, or another dialog open.
  const leave = (): void => {
    if (left.current) return;
    left.current = true;
    element.current?.close();
    dialog.value = null;
  };
  return (
    <dialog
      ref={element}
      class="modal"
      aria-labelledby={id}
      onClose={leave}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || composes(event)) return;
        event.preventDefault();
        leave();
      }}
      onClick={(event) => {
        if (event.target === element.current) leave();
      }}
    >
      <div class="modal-inner">
        <header class="modal-head">
          <h2 id={id}>{title}</h2>
          <span class="spacer" />
          <Button look="quiet" icon="cross" label="Close" keys="Esc" onClick={leave} />
        </header>
        <Notices within={dialog.value} />
        <div class="modal-body" tabIndex={0} role="group" aria-labelledby={id}>
          {children}
        </div>
      </div>
    </dialog>
  );
}
