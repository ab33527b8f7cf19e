/** Draws a component again only when one of its properties is another value. */

import { Component, createElement, type ComponentChild, type FunctionComponent } from "preact";

export function memo<P extends object>(inner: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const now = this.props as Readonly<Record<string, unknown>>;
      const then = next as Readonly<Record<string, unknown>>;
      for (const key in then) if (then[key] !== now[key]) return true;
      for (const key in now) if (!(key in then)) return true;
      return false;
    }

    override render(): ComponentChild {
      return createElement(inner, this.props as P);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}
