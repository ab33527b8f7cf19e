/** What each request cost: the provider's own figures where it gave them, estimates where not, and what repairs saved. */

import type { JSX } from "preact";
import { stepLabel } from "../text/words";
import { session } from "../state/store";
import { Visible } from "../view/text";

const number = (n: number): string => n.toLocaleString("en");

export function TokensPanel(): JSX.Element {
  const ledger = session.value?.ledger;
  if (ledger === undefined || ledger.requests.length === 0) {
    return <p class="empty">No model was asked yet. Each request’s tokens are listed here.</p>;
  }
  const { total } = ledger;
  return (
    <div class="tokens">
      <dl class="figures">
        <Figure name="Requests" value={number(total.requests)} />
        <Figure name="Tokens in" value={number(total.input)} />
        <Figure name="Tokens out" value={number(total.output)} />
        {total.repairs > 0 && <Figure name="Saved by repairs" value={number(total.saved)} />}
      </dl>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Requests">
        <table>
          <caption class="spoken">Tokens of each request</caption>
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col">Model</th>
              <th scope="col" class="figure">In</th>
              <th scope="col" class="figure">Out</th>
              <th scope="col" class="figure">Saved</th>
            </tr>
          </thead>
          <tbody>
            {ledger.requests.map((spent, n) => (
              <tr key={n}>
                <th scope="row">{stepLabel(spent.step)}</th>
                <td>
                  <Visible text={spent.model} />
                </td>
                <td class="figure">
                  {spent.counted ? "" : "≈ "}
                  {number(spent.input)}
                </td>
                <td class="figure">
                  {spent.counted ? "" : "≈ "}
                  {number(spent.output)}
                </td>
                <td class="figure">{spent.saved === 0 ? "" : number(spent.saved)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="muted">≈ marks Dovetail’s own estimate where the provider gave no figure. A repair sends only what failed; what that saves is told against sending the chat’s files again.</p>
    </div>
  );
}

function Figure({ name, value }: { name: string; value: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
