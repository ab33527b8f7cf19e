/**
 * Requests to the server. A refusal is an `ApiError` with the server's own words.
 *
 * Each says which session it is for. A server that was started again has turns of the same names, which are others than
 * those on the screen: it refuses, and the page is loaded again.
 */

import { pageKey } from "./key";
import { beginAnew } from "./session";
import type { Problem } from "./wire";

/** The server said no, or could not be reached (`status` 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.message);
  }
}

export const UNREACHABLE: Problem = {
  code: "unreachable",
  message: "The server does not answer.",
  hint: "Look at the terminal that it runs in.",
};

let session: string | null = null;

/** Say which session everything from here on is for. */
export function speakFor(id: string): void {
  session = id;
}

/** GET, with parameters. */
export function get<T>(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<T> {
  const query = new URLSearchParams(parameters).toString();
  return ask<T>(`/api/${path}${query === "" ? "" : `?${query}`}`, { method: "GET" });
}

/** POST, with a JSON body. */
export function post<T>(path: string, body: unknown = {}): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  return ask<T>(`/api/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

async function ask<T>(url: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    const known = { "Dovetail-Key": pageKey(), ...(session === null ? {} : { "Dovetail-Session": session }) };
    const headers = { ...init.headers, ...known };
    response = await fetch(url, { ...init, headers, credentials: "same-origin" });
  } catch {
    throw new ApiError(0, UNREACHABLE);
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body as T;
  const problem = problemOf(body, response.status);
  if (problem.code === "other-session") beginAnew();
  throw new ApiError(response.status, problem);
}

function problemOf(body: unknown, status: number): Problem {
  if (typeof body === "object" && body !== null && "error" in body) return body.error as Problem;
  return { code: "unreadable", message: `The server answered ${status} and did not say why.`, hint: null };
}

/** Path segment of a turn, an operation, a question. */
export function part(id: string): string {
  return encodeURIComponent(id);
}
