import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '#api/client/client.ts';
import { OversightError } from '#api/client/error.ts';
import type { Outcome, Status } from '#api/client/send_events.ts';
import { forbidden, keyEnvironmentMismatch, Problem, unauthorized, unavailable } from '#shared/interface/errors.ts';
import { counted } from '#shared/packs/report/words.ts';
import { SECOND } from '#shared/values/time.ts';
import type { Mapping } from './mapping.ts';
import { openInput } from './open_input.ts';
import { startProgress } from './progress.ts';
import { type Item, readEvents } from './read_events.ts';
import { openRejects } from './rejects.ts';
import { lockState, type StateLock } from './state_lock.ts';
import {
  describeTotals,
  identify,
  otherSending,
  readState,
  type IngestState,
  type Totals,
  writeState,
} from './state.ts';

export type Sending = {
  files: readonly string[];
  url: string;
  key: string;
  map: { mapping: Mapping; sha256: string } | undefined;
  /** The file with the progress of the sending; without one, it cannot be resumed. */
  state: string | undefined;
  rejects: string;
  quiet: boolean;
  stdin: Readable;
  stderr: NodeJS.WritableStream;
  /** `taking` ends the reading and the waiting for a service that is away or busy; `waiting` abandons work under way. */
  stop: { taking: AbortSignal; waiting: AbortSignal };
};

/** How long the service may go without a successful response. */
const PATIENCE = 15 * 60 * SECOND;
/** How often the state is saved. */
const SAVE_EVERY = SECOND;

/** Sums over all runs. `refused` is the number in this one; `was_finished`: an earlier run had left nothing to do. */
export type SendResult = { totals: Totals; seconds: number; refused: number; was_finished: boolean };

/**
 * Sends the events of files, continuing an earlier run, and collects the refused ones. Throws `unavailable` when it is stopped or the
 * service is away too long, the service's error about the key, `conflict` when the state belongs to another sending, and `invalid_request`
 * when a file cannot be read to its end; the state includes everything answered by then.
 */
export async function sendFiles(sending: Sending): Promise<SendResult> {
  const { state, quiet, stderr } = sending;
  const onWait = (message: string) => void (quiet || stderr.write(`${message}\n`));
  const lock = state === undefined ? null : await lockState(state, { onWait });
  return sendAll(sending, lock).finally(() => lock?.release());
}

async function sendAll(sending: Sending, lock: StateLock | null): Promise<SendResult> {
  const { files, url, key, map, stop, stderr, quiet } = sending;
  const started = performance.now();
  const identities = await Promise.all(files.map(identify));
  const ending = new AbortController();
  let onWait = (reason: string, _milliseconds: number): void => {
    if (!quiet) stderr.write(`  waiting for ${url}: ${reason}\n`);
  };
  const client = createClient({
    url,
    key,
    patience: PATIENCE,
    signal: AbortSignal.any([stop.waiting, ending.signal]),
    onWait: (...args) => onWait(...args),
    clock: { now: () => performance.now(), sleep: pauseUntil(stop.taking) },
  });
  const me = await client.call('GET /v1/me').catch((error: unknown) => fail(error, sending));
  const scopes = me.kind === 'key' ? me.scopes : [];
  if (!scopes.includes('events:write')) throw forbidden('The key does not have the scope events:write.');
  const log_origin = scopes.includes('events:read')
    ? (await client.call('GET /v1/log').catch((error: unknown) => fail(error, sending))).origin
    : null;
  const identified = files.map((name, index) => ({ name, identity: identities[index] ?? null }));
  const state = await readState(sending.state, {
    organization_id: me.organization.id,
    log_origin,
    map_sha256: map?.sha256 ?? null,
    files: identified,
  });
  const { totals, seconds: seconds_before } = state;
  // Whether a pipe brings the same again shows when it is read.
  if (state.finished && !identities.includes(null))
    return { totals, seconds: seconds_before, refused: 0, was_finished: true };

  const sizes = identities.map(identity => identity?.size ?? null);
  const total = sizes.includes(null) ? null : sum(sizes);
  const standing = () => ({ events: sum(Object.values(totals)), bytes: sum(sizes.slice(0, state.file)) + state.bytes });
  const rejects = openRejects(sending.rejects, files, state);
  let saved = 0;
  const save = async () => {
    if (sending.state === undefined) return;
    await lock?.check();
    await rejects.sync();
    state.seconds = seconds_before + Math.round(performance.now() - started) / SECOND;
    await writeState(sending.state, state);
    saved = performance.now();
  };
  await save();
  const progress = startProgress(stderr, total, standing(), { quiet });
  onWait = progress.wait;
  const pipes = createHash('sha256');
  let refused = 0;
  let was_finished = false;
  try {
    for await (const outcomes of client.send(readFiles(sending, state, pipes))) {
      // A run that was paused for long may have been taken for one that is gone.
      await lock?.check();
      const refusals = outcomes.filter(({ error }) => error);
      if (state.finished) {
        state.finished = false;
        await save();
      }
      await rejects.write(refusals);
      refused += refusals.length;
      noteAnswered(state, outcomes, pipes);
      progress.update(standing());
      if (performance.now() - saved >= SAVE_EVERY) await save();
    }
    stop.taking.throwIfAborted();
    was_finished = state.finished;
    state.finished = true;
  } catch (error) {
    fail(error, sending, totals);
  } finally {
    ending.abort();
    progress.stop();
    await save();
    await rejects.close();
  }
  return { totals, seconds: seconds_before + (performance.now() - started) / SECOND, refused, was_finished };
}

/** Pauses that end at once, and throw, when `stopping` does. */
const pauseUntil =
  (stopping: AbortSignal) =>
  (milliseconds: number, signal: AbortSignal = stopping): Promise<void> =>
    sleep(milliseconds, undefined, { signal: AbortSignal.any([stopping, signal]) });

const sum = (numbers: readonly (number | null)[]): number =>
  numbers.reduce((all: number, each) => all + (each ?? 0), 0);

const sums: Record<Status, keyof Totals> = {
  accepted: 'accepted',
  duplicate: 'duplicates',
  conflict: 'conflicts',
  rejected: 'rejected',
};

/** All of it is saved together, or none: the totals are those at the position. */
function noteAnswered(state: IngestState, outcomes: readonly Outcome<Item>[], pipes: Hash): void {
  const last = outcomes.at(-1)?.event;
  if (!last) return;
  if (last.file !== state.file) state.made_ids = false;
  state.made_ids ||= outcomes.some(({ event }) => event.file === last.file && event.has_made_id);
  for (const { event, status } of outcomes) {
    state.totals[sums[status]] += 1;
    if (isPipe(state, event.file)) addTo(pipes, event);
  }
  const pipes_sha256 = pipes.copy().digest('hex');
  Object.assign(state, { file: last.file, events: last.number, bytes: last.at, pipes_sha256, finished: false });
}

const isPipe = ({ files }: IngestState, file: number): boolean => files[file]?.identity === null;

const addTo = (digest: Hash, { json, source }: Item) => digest.update(`${json} ${JSON.stringify(source)}\n`);

/**
 * The unanswered events of the files, one file after the other. Pipes are read from the start: the answered events must come again, or it
 * throws `conflict`; `pipes` gets their digest. Ends early when told to stop.
 */
async function* readFiles(sending: Sending, state: IngestState, pipes: Hash): AsyncGenerator<Item[]> {
  const { files, map, stop, stdin } = sending;
  const { file: first, events: skip, made_ids: skips_made_ids, pipes_sha256 } = state;
  let isChecked = sending.state === undefined;
  const check = () => {
    if (!isChecked && pipes.copy().digest('hex') !== pipes_sha256)
      throw otherSending(
        `${sending.state}`,
        'is of other input: standard input does not bring the events that were answered, and then others',
      );
    isChecked = true;
  };
  try {
    for (const [file, path] of files.entries()) {
      if (file < first && !isPipe(state, file)) continue;
      const input = await openInput(path, stdin, stop.taking);
      const left_out =
        file === first && !isPipe(state, file) ? { skip, skips_made_ids } : { skip: 0, skips_made_ids: false };
      for await (const items of readEvents(input, { file, mapping: map?.mapping, ...left_out })) {
        if (stop.taking.aborted) return;
        const next = items.filter(({ number }) => file > first || (file === first && number > skip));
        for (const item of items.slice(0, items.length - next.length)) addTo(pipes, item);
        if (next.length > 0) check();
        yield next;
      }
    }
    check();
  } catch (error) {
    if (!stop.taking.aborted) throw error;
  }
}

/** Throws the error as a response: the service's own words about the key, with how to continue, and what was answered before. */
function fail(error: unknown, sending: Sending, totals?: Totals): never {
  const problem = problemOf(error, sending);
  const answered = totals ? sum(Object.values(totals)) : 0;
  if (!totals || !(problem instanceof Problem) || answered === 0) throw problem;
  const sofar = `So far ${counted(answered, 'event')} ${answered === 1 ? 'has' : 'have'} been answered`;
  throw new Problem(problem.code, `${problem.message} ${sofar}: ${describeTotals(totals)}.`);
}

function problemOf(error: unknown, { stop, state }: Sending): unknown {
  const howToGoOn =
    state === undefined
      ? 'To send all of it again stores nothing twice.'
      : 'The same command goes on from here, and stores nothing twice.';
  if (stop.taking.aborted) return unavailable(`Stopped. ${howToGoOn}`);
  if (!(error instanceof OversightError)) return error;
  const { message } = error;
  if (error.code === 'unauthorized') return unauthorized(message);
  if (error.code === 'key_environment_mismatch') return keyEnvironmentMismatch(message);
  if (error.code === 'forbidden') return forbidden(message);
  if (error.code === 'unavailable' || error.code === 'rate_limited') return unavailable(`${message} ${howToGoOn}`);
  return new Problem('unprocessable', message);
}
