/** A dialog of the browser's own: it holds the focus, closes on Escape, and gives the focus back. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { dialog } from "../state/ui";
import { Button } from "../view/button";

export function Modal({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog
      ref={element}
      class="modal"
      aria-labelledby={id}
      onClose={() => (dialog.value = null)}
      onClick={(event) => {
        if (event.target === element.current) element.current?.close();
      }}
    >
      <div class="modal-inner">
        <header class="modal-head">
          <h2 id={id}>{title}</h2>
          <span class="spacer" />
          <Button look="quiet" icon="cross" label="Close" keys="Esc" onClick={() => element.current?.close()} />
        </header>
        <div class="modal-body" tabIndex={0} role="group" aria-labelledby={id}>
          {children}
        </div>
      </div>
    </dialog>
  );
}
