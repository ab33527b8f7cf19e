/** What each request cost: the provider's own figures where it gave them, estimates where not, and what repairs saved. */

import type { JSX } from "preact";
import { stepLabel } from "../text/words";
import { ledger } from "../state/store";
import { Visible } from "../view/text";

const number = (n: number): string => n.toLocaleString("en");

export function TokensPanel(): JSX.Element {
  const spent = ledger.value;
  if (spent === null || spent.requests.length === 0) {
    return <p class="empty">No model has been asked yet. Each request’s tokens are listed here.</p>;
  }
  const { total, requests } = spent;
  return (
    <div class="tokens">
      <dl class="figures">
        <Figure name="Requests" value={number(total.requests)} />
        <Figure name="Tokens in" value={number(total.input)} />
        <Figure name="Tokens out" value={number(total.output)} />
        {total.repairs > 0 && <Figure name="Saved by repairs" value={number(total.saved)} />}
      </dl>
      <div class="table-scroll" tabIndex={0} role="group" aria-label="Requests">
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
            {requests.map((one, n) => (
              <tr key={n}>
                <th scope="row">{stepLabel(one.step)}</th>
                <td>
                  <Visible text={one.model} />
                </td>
                <td class="figure">
                  {one.counted ? "" : "≈ "}
                  {number(one.input)}
                </td>
                <td class="figure">
                  {one.counted ? "" : "≈ "}
                  {number(one.output)}
                </td>
                <td class="figure">{one.saved === 0 ? "" : number(one.saved)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="muted">≈ marks Dovetail’s own estimate where the provider gave no figure. A repair sends only what failed; what that saves is measured against sending the chat’s files again.</p>
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
