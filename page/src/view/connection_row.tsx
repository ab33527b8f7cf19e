/** Whether the server is there: a row of its own while it is not, so that it covers nothing. */

import type { JSX } from "preact";
import { connection } from "../state/store";
import { Icon } from "./icons";

export function ConnectionRow(): JSX.Element | null {
  switch (connection.value) {
    case "live":
    case "connecting":
      return null;
    case "lost":
      return (
        <p class="connection" role="status">
          <Icon name="warn" /> Reconnecting…
        </p>
      );
    case "refused":
      return (
        <p class="connection" role="alert">
          <Icon name="warn" /> The server was started again. Its new address is in the terminal.
        </p>
      );
  }
}
