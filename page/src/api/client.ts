/** Requests to the server. A refusal is an `ApiError` with the server's own words. */

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

const UNREACHABLE: Problem = {
  code: "unreachable",
  message: "The server does not answer.",
  hint: "Look at the terminal that it runs in.",
};

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
    response = await fetch(url, { ...init, credentials: "same-origin" });
  } catch {
    throw new ApiError(0, UNREACHABLE);
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body as T;
  throw new ApiError(response.status, problemOf(body, response.status));
}

function problemOf(body: unknown, status: number): Problem {
  if (typeof body === "object" && body !== null && "error" in body) return body.error as Problem;
  return { code: "unreadable", message: `The server answered ${status} and did not say why.`, hint: null };
}

/** Path segment of a turn, an operation, a question. */
export function part(id: string): string {
  return encodeURIComponent(id);
}
