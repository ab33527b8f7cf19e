/** Every pair of colours that text and its ground, or two states of one control, are told apart by. */

import tokens from "../src/style/tokens.css?raw";
import { describe, expect, it } from "vitest";

const COLOURS = new Map<string, readonly [string, string]>(
  [...tokens.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name, light, dark]) => [name!, [light!, dark!]]),
);

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high! + 0.05) / (low! + 0.05);
}

const TEXT: readonly (readonly [string, string])[] = [
  ...["paper", "ground", "raised", "line-soft", "chosen", "target"].map((ground) => ["ink", ground] as const),
  ...["paper", "ground", "raised", "line-soft", "accent-back", "target"].map((ground) => ["muted", ground] as const),
  ...["paper", "ground", "line-soft", "added-back", "removed-back"].map((ground) => ["faint", ground] as const),
  ...["added", "removed"].flatMap((kind) => [[`${kind}-ink`, `${kind}-back`], [`${kind}-ink`, "paper"], ["ink", `${kind}-mark`]] as const),
  ...["good", "bad", "warn", "info"].map((kind) => [`${kind}-ink`, `${kind}-back`] as const),
  ...["keyword", "string", "comment", "number", "type", "name"].flatMap((kind) =>
    ["paper", "added-back", "removed-back", "added-mark", "removed-mark"].map((ground) => [`tok-${kind}`, ground] as const),
  ),
  ["accent", "accent-back"], ["accent", "paper"], ["accent", "info-back"], ["primary-ink", "primary"], ["primary-ink", "primary-over"],
];

describe.each([["light", 0], ["dark", 1]] as const)("%s", (_, at) => {
  const of = (name: string): string => COLOURS.get(name)![at];

  it.each(TEXT)("%s is read on %s", (ink, ground) => expect(contrast(of(ink), of(ground))).toBeGreaterThanOrEqual(4.5));
  it("shows the chosen one of several as the bright one", () => {
    expect(luminance(of("chosen"))).toBeGreaterThan(luminance(of("raised")));
  });
  it.each(["paper", "ground"])("shows where a field ends on %s", (ground) =>
    expect(contrast(of("line-strong"), of(ground))).toBeGreaterThanOrEqual(3));
});
