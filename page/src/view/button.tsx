/** Buttons: words first, a sign beside them, the shortcut in the tooltip. */

import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icons";

interface Properties {
  readonly onClick: (event: MouseEvent) => void;
  readonly children?: ComponentChildren;
  readonly icon?: IconName;
  readonly look?: "plain" | "primary" | "quiet";
  readonly keys?: string;
  readonly label?: string;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
}

/**
 * `label` names a button that shows only a sign; `keys` is its shortcut, as the help lists it. One that is disabled does
 * nothing and keeps the focus, which the browser would take from it.
 */
export function Button(properties: Properties): JSX.Element {
  const { onClick, children, icon, look = "plain", keys, label, disabled, pressed } = properties;
  const bare = children === undefined || children === null;
  const tip = [label, keys === undefined ? "" : `(${keys})`].join(" ").trim();
  return (
    <button
      type="button"
      class={`button ${look} ${bare ? "bare" : ""}`}
      onClick={disabled === true ? undefined : onClick}
      aria-disabled={disabled === true ? true : undefined}
      aria-label={bare ? label : undefined}
      title={tip === "" ? undefined : tip}
      aria-pressed={pressed}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface Choice<T extends string> {
  readonly value: T;
  readonly text: string;
  readonly icon?: IconName;
}

/** One of a few, as radio buttons that look like one control. */
export function Segmented<T extends string>(properties: {
  readonly name: string;
  readonly label: string;
  readonly value: T;
  readonly choices: readonly Choice<T>[];
  readonly onChange: (value: T) => void;
}): JSX.Element {
  const { name, label, value, choices, onChange } = properties;
  return (
    <fieldset class="segmented">
      <legend class="spoken">{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} class={choice.value === value ? "on" : ""}>
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          {choice.icon !== undefined && <Icon name={choice.icon} />}
          <span>{choice.text}</span>
        </label>
      ))}
    </fieldset>
  );
}
