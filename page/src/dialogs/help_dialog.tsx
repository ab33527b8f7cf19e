/** The keys, as they are bound. */

import type { JSX } from "preact";
import { BINDINGS, GROUPS } from "../state/bindings";
import { singleKeys } from "../state/ui";
import { Modal } from "./dialog";

export function HelpDialog(): JSX.Element {
  return (
    <Modal title="Keys">
      <label class="check">
        <input type="checkbox" checked={singleKeys.value} onChange={(event) => (singleKeys.value = event.currentTarget.checked)} />
        Single keys act (when no field has the focus)
      </label>
      <div class="key-groups">
        {GROUPS.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl class="keys">
              {BINDINGS.filter((binding) => binding.group === group && binding.untold !== true).map((binding) => (
                <div key={binding.keys}>
                  <dt>
                    {binding.keys.split("+").map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{binding.text}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
