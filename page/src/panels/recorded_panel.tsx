/** The review of what agents did: recorded changes by file, each call in its place, and ways to take them back. */

import type { JSX, Ref } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RecordedEdit, RecordedFile, TakenBack } from "../api/answers";
import { inTreeOrder } from "../text/review_files";
import { spelled } from "../text/visible";
import { changeLabel, clock, count } from "../text/words";
import { agentSessions, recordedFiles, takeBack, takeBackLines, undo, wouldTakeBack, type Back, type Recorded } from "../state/actions";
import { at, barId, bringBar, fileKey, folded, goToBar, setFolded } from "../state/review";
import { recordedKeys, recordedOf } from "../state/recorded";
import { filesVersion } from "../state/store";
import { show } from "../state/ui";
import { Button } from "../view/button";
import { CopyButton } from "../view/copy_button";
import { Icon } from "../view/icons";
import { Said } from "../view/said";
import { Path, Spoken, Visible } from "../view/text";
import { useAnswer } from "../view/use_answer";
import { RecordedFileView } from "./recorded_file";

/** What is about to be taken back: which, in words, what would become of it. */
interface Proposal {
  readonly what: string;
  readonly back: Back;
  readonly would: TakenBack;
}

interface Properties {
  readonly split: boolean;
  readonly layout: JSX.Element | null;
  /** Of these the review knows the size: what stays at its top, and the files below. */
  readonly top: Ref<HTMLDivElement>;
  readonly list: Ref<HTMLDivElement>;
}

export function RecordedPanel({ split, layout, top, list }: Properties): JSX.Element {
  const wanted = recordedOf.value!;
  const [again, setAgain] = useState(0);
  const found = useAnswer(() => recordedFiles(wanted), [wanted, again, filesVersion.value]);
  const [proposal, setProposal] = useState<Proposal | null>(null);
  const [told, setTold] = useState<readonly string[]>([]);
  const [lines, setLines] = useState<number | null>(null);
  const files = useMemo(() => inOrder(found ?? []), [found]);
  const edits = files.flatMap((file) => file.edits);
  const id = `recorded-${wanted.session ?? wanted.since ?? ""}`;
  const done = (what: string): void => {
    setTold((before) => [...before, what]);
    setProposal(null);
    setLines(null);
    setAgain((n) => n + 1);
  };
  const propose = async (what: string, which: readonly RecordedEdit[], file: string | null, ask: boolean): Promise<void> => {
    const back = backOf(which.filter((edit) => edit.taken_by === null), file, edits);
    if (back === null) return;
    const would = await wouldTakeBack(back);
    if (would === null) return;
    if (ask || would.left.length > 0 || would.files.some((one) => one.own !== null)) setProposal({ what, back, would });
    else if ((await takeBack(back, false)) !== null) done(what);
  };
  const fileOf = (n: number): RecordedFile | undefined => files.find((file) => file.edits.some((edit) => edit.n === n));
  const editOf = (n: number): RecordedEdit | undefined => edits.find((edit) => edit.n === n);
  const one = (n: number): void => {
    const [file, edit] = [fileOf(n), editOf(n)];
    if (file === undefined || edit === undefined || ofGit) return;
    if (edit.taken_by !== null) void bringBack(edit);
    else void propose(`${nameOf(edit)} in ${file.path}`, [edit], file.path, false);
  };
  const bringBack = async (edit: RecordedEdit): Promise<void> => {
    if (edit.taken_by === null) return;
    await undo(edit.taken_by);
    setAgain((n) => n + 1);
  };
  const keys = {
    back: one,
    again: (n: number) => void (editOf(n) !== undefined && bringBack(editOf(n)!)),
    open: (n: number) => {
      const file = fileOf(n);
      const hunk = editOf(n)?.hunks[0];
      if (file !== undefined) show({ kind: "file", path: file.path, line: hunk === undefined ? null : Math.max(1, hunk.new_start) });
    },
    lines: (n: number) => setLines((now) => (now === n ? null : n)),
  };
  useEffect(() => {
    recordedKeys.value = keys;
    return () => void (recordedKeys.value = null);
  });
  useEffect(() => {
    if (files.length === 0 || document.activeElement?.closest(".review .edit-bar") != null) return;
    const bar = document.querySelector<HTMLElement>(at.value === null ? ".review .edit-bar" : `#${CSS.escape(barId(at.value.turn, at.value.n))}, .review .edit-bar`);
    if (bar !== null && document.activeElement?.closest(".review") == null) goToBar(bar);
    else if (bar !== null && document.activeElement === bar) bringBar(bar);
  }, [files]);
  const inForce = edits.filter((edit) => edit.taken_by === null);
  const ofGit = wanted.commits != null;
  const untold = edits.filter((edit) => !edit.told).length;
  const sessions = useAnswer(agentSessions, [filesVersion.value]);
  const session = sessions?.find((one) => one.session === (edits[0]?.session ?? wanted.session));
  const requests = session === undefined || wanted.session === null ? requestsOf(edits) : session.requests.map(({ number, words }) => [number, words] as const);
  return (
    <>
      <div class="review-top" ref={top}>
        <h2 title={wanted.session === null ? undefined : `Session ${wanted.session}`}>{titleOf(edits, wanted)}</h2>
        <span class="muted">
          {count(edits.length, "change")} in {count(files.length, "file")}
          {edits.length > inForce.length && `, ${edits.length - inForce.length} taken back`}
        </span>
        {untold > 0 && <span class="noted">{count(untold, "call")} not known</span>}
        {layout}
        <span class="spacer" />
        {told.length > 0 && (
          <CopyButton text={() => noteOf(told)} what="a note to the agent">
            Copy a note to the agent
          </CopyButton>
        )}
        {!ofGit && <Button icon="undo" disabled={inForce.length === 0} onClick={() => void propose(wanted.prompt === null ? "all of it" : `request ${wanted.prompt}`, edits, null, true)}>
          Take all of it back
        </Button>}
      </div>
      <nav class="review-tree" aria-label="Requests">
        <details open={!window.matchMedia("(max-width: 900px)").matches}>
          <summary>{count(requests.length, "request")}</summary>
          <ul>
            {requests.map(([prompt, words]) => (
              <li key={String(prompt)} class="request-row">
                <button
                  type="button"
                  class="tree-name"
                  title={spelled(words)}
                  aria-current={wanted.prompt !== null && wanted.prompt === prompt}
                  onClick={() => (recordedOf.value = { ...wanted, session: wanted.session ?? edits[0]?.session ?? null, prompt })}
                >
                  {prompt === null ? "Request not known" : `${prompt}. `}
                  <Visible text={words} />
                </button>
              </li>
            ))}
            {wanted.prompt !== null && (
              <li>
                <Button look="quiet" onClick={() => (recordedOf.value = { ...wanted, prompt: null })}>
                  All requests
                </Button>
              </li>
            )}
            <li>
              <Button look="quiet" icon="list" onClick={() => (recordedOf.value = null)}>
                Review of replies
              </Button>
            </li>
          </ul>
        </details>
      </nav>
      <div class="review-files" ref={list}>
        {proposal !== null && <Proposed proposal={proposal} onDone={done} onLeave={() => setProposal(null)} />}
        {found !== null && files.length === 0 && <p class="empty">Nothing is recorded for that.</p>}
        {files.map((file) => (
          <section key={file.path} class="file-group" tabIndex={-1} aria-label={spelled(file.path)}>
            <header>
              <Button
                look="quiet"
                icon={folded.value.has(fileKey(id, file.path)) ? "chevron" : "down"}
                label={`Fold or show ${spelled(file.path)}`}
                onClick={() => setFolded(fileKey(id, file.path), !folded.value.has(fileKey(id, file.path)))}
              />
              <h3>
                <button type="button" class="path-button" onClick={() => show({ kind: "file", path: file.path, line: null })}>
                  <Path path={file.path} />
                </button>
              </h3>
              <span class="amounts">
                <span class="plus">+{file.added}</span> <span class="minus">−{file.removed}</span>
              </span>
              {file.change !== "modified" && <span class="tag">{changeLabel(file.change)}</span>}
              <span class="file-acts">
                {!ofGit && <Button
                  disabled={file.edits.every((edit) => edit.taken_by !== null)}
                  onClick={() => void propose(`all changes of ${file.path}`, file.edits, file.path, true)}
                >
                  Take the file back<Spoken> {spelled(file.path)}</Spoken>
                </Button>}
              </span>
            </header>
            {!folded.value.has(fileKey(id, file.path)) && (
              <RecordedFileView
                id={id}
                file={file}
                split={split}
                lines={lines}
                keys={keys}
                fixed={ofGit}
                onLines={(edit, chunks) =>
                  void takeBackLines(edit.operation, file.path, chunks).then((taken) => taken !== null && done(`${count(chunks.length, "change")} of ${nameOf(edit)} in ${file.path}`))
                }
                onHere={(edit) => void propose(`everything after ${nameOf(edit)}`, edits.filter((other) => other.operation > edit.operation), null, true)}
              />
            )}
          </section>
        ))}
      </div>
    </>
  );
}

function requestsOf(edits: readonly RecordedEdit[]): readonly (readonly [number | null, string])[] {
  return [...new Map(edits.map((edit) => [edit.prompt, edit.words]))].sort(([one], [other]) => (one ?? Infinity) - (other ?? Infinity));
}

function inOrder(files: readonly RecordedFile[]): readonly RecordedFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return inTreeOrder([...byPath.keys()]).map((path) => byPath.get(path!)!);
}

/** The operations of some edits; narrowed to one file where they did more than is meant. */
function backOf(which: readonly RecordedEdit[], path: string | null, all: readonly RecordedEdit[]): Back | null {
  if (which.length === 0) return null;
  const operations = [...new Set(which.map((edit) => edit.operation))];
  const more = all.filter((edit) => operations.includes(edit.operation)).length > which.length;
  return { operations, paths: path !== null && more ? [path] : null };
}

export function nameOf(edit: RecordedEdit): string {
  return edit.told ? `${edit.tool} of ${clock(edit.time)}` : `a change of ${clock(edit.time)} whose call is not known`;
}

function titleOf(edits: readonly RecordedEdit[], { prompt, since }: Recorded): string {
  const times = edits.map((edit) => edit.time).sort();
  const who = edits[0]?.agent ?? "An agent";
  const when = since !== null ? ` since ${clock(since)}` : times[0] === undefined ? "" : `, ${clock(times[0])}`;
  return prompt === null ? `What ${who} did${when}` : `Request ${prompt} of ${who}${when}`;
}

function noteOf(told: readonly string[]): string {
  return `I took back some of what you did, on purpose; do not do it again unless I ask:\n${told.map((what) => `- ${what}`).join("\n")}`;
}

const MOST_OPEN = 8; // files that get back what they had; more are folded, so that the question and its answers are seen at once

function Becoming({ files }: { files: TakenBack["files"] }): JSX.Element | null {
  if (files.length === 0) return null;
  return (
    <ul>
      {files.map((file) => (
        <li key={file.path}>
          <Icon name="undo" /> <Path path={file.path} />{" "}
          <span class="amounts">
            <span class="plus">+{file.added}</span> <span class="minus">−{file.removed}</span>
          </span>{" "}
          {file.own === null ? (
            <span class="muted">as before</span>
          ) : (
            <span class="noted">
              other changes there stay: +{file.own.added} −{file.own.removed}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** What would become of each file, and what of others' own work stays; written only when that is agreed to. */
function Proposed({ proposal, onDone, onLeave }: { proposal: Proposal; onDone: (what: string) => void; onLeave: () => void }): JSX.Element {
  const { what, back, would } = proposal;
  const left = would.left.length;
  const merged = would.files.filter((file) => file.own !== null);
  const exact = would.files.filter((file) => file.own === null);
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    box.current?.scrollIntoView({ block: "nearest" });
    box.current?.querySelector<HTMLElement>(".button.primary")?.focus({ preventScroll: true });
  }, [proposal]);
  const agree = async (): Promise<void> => {
    if ((await takeBack(back, left > 0)) !== null) onDone(what);
  };
  return (
    <section
      ref={box}
      class="proposal"
      role="group"
      aria-label="Take back"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onLeave();
      }}
    >
      <p>
        <strong>
          Take back <Visible text={what} />?
        </strong>
      </p>
      {left > 0 && (
        <>
          <p>{left === 1 ? "One file stays as it is" : `${left} files stay as they are`}, and can be changed by hand:</p>
          <ul>
            {would.left.map((file) => (
              <li key={file.path} class="noted">
                <Said text={file.text} />
              </li>
            ))}
          </ul>
        </>
      )}
      <Becoming files={merged} />
      {exact.length > MOST_OPEN ? (
        <details>
          <summary>{count(exact.length, "file")} become as they were before</summary>
          <Becoming files={exact} />
        </details>
      ) : (
        <Becoming files={exact} />
      )}
      {would.files.length === 0 && <p class="muted">No file has to change.</p>}
      <div class="answers">
        <Button look="quiet" onClick={onLeave}>
          Leave it
        </Button>
        <Button look="primary" icon="undo" onClick={() => void agree()}>
          {left > 0 ? `Take ${count(would.files.length, "file")} back` : "Take back"}
        </Button>
      </div>
    </section>
  );
}

