import { createHash, randomUUID } from 'node:crypto';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { z } from 'zod';
import { asError, conflict, invalidRequest } from '#shared/interface/errors.ts';
import { counted } from '#shared/packs/report/words.ts';

export const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');

const Totals = z.object({ accepted: z.int(), duplicates: z.int(), conflicts: z.int(), rejected: z.int() });
export type Totals = z.infer<typeof Totals>;

/** Totals in words, such as `1,200 accepted, 3 rejected`. */
export function describeTotals({ accepted, duplicates, conflicts, rejected }: Totals): string {
  const count = (number: number) => number.toLocaleString('en-US');
  const parts = [
    `${count(accepted)} accepted`,
    duplicates > 0 && `${count(duplicates)} stored before`,
    conflicts > 0 && `${count(conflicts)} in conflict with another event of that id`,
    rejected > 0 && `${count(rejected)} rejected`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** What identifies a file. */
const Identity = z.object({ size: z.int(), modified_at: z.number(), head_sha256: z.string() });
type Identity = z.infer<typeof Identity>;

/**
 * The progress of a sending: of the file at `file`, `events` events in `bytes` bytes have been answered, and all files before it;
 * `made_ids`: whether any of these events had no id; `pipes_sha256`: the digest of those that came from pipes. `sending` marks its lines in
 * the file of refused events. Sums cover all runs.
 */
const IngestState = z.object({
  version: z.literal(1),
  sending: z.string().default(randomUUID),
  organization_id: z.string(),
  /** The name of the target log; null when the key may not read it. */
  log_origin: z.string().nullable().default(null),
  map_sha256: z.string().nullable(),
  files: z.array(z.object({ name: z.string(), identity: Identity.nullable() })),
  file: z.int(),
  events: z.int(),
  bytes: z.int(),
  made_ids: z.boolean(),
  pipes_sha256: z.string().default(sha256('')),
  totals: Totals,
  seconds: z.number(),
  finished: z.boolean(),
});
export type IngestState = z.infer<typeof IngestState>;

/** How much of a file's beginning identifies it. */
const HEAD_BYTES = 65_536;

/** The identity of a file; null for a pipe, which can be read only once. Throws `invalid_request` when it cannot be read. */
export async function identify(path: string): Promise<Identity | null> {
  if (path === '-') return null;
  try {
    const { size, mtimeMs, isFile } = await stat(path).then(stats => Object.assign(stats, { isFile: stats.isFile() }));
    if (!isFile) return null;
    const file = await open(path);
    const { bytesRead, buffer } = await file
      .read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
      .finally(() => file.close());
    return { size, modified_at: mtimeMs, head_sha256: sha256(buffer.subarray(0, bytesRead)) };
  } catch (error) {
    throw invalidRequest(`${path} cannot be read: ${asError(error).message}.`);
  }
}

type Beginning = Pick<IngestState, 'organization_id' | 'log_origin' | 'map_sha256' | 'files'>;

/** The state in a file, or a new one. Throws `conflict` when it belongs to another sending. */
export async function readState(path: string | undefined, beginning: Beginning): Promise<IngestState> {
  const totals = { accepted: 0, duplicates: 0, conflicts: 0, rejected: 0 };
  const place = { file: 0, events: 0, bytes: 0, made_ids: false, pipes_sha256: sha256('') };
  const fresh = {
    version: 1 as const,
    sending: randomUUID(),
    ...beginning,
    ...place,
    totals,
    seconds: 0,
    finished: false,
  };
  if (path === undefined) return fresh;
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw invalidRequest(`The state ${path} cannot be read: ${error.message}.`);
  });
  if (text === null) return fresh;
  const state = parseState(text);
  if (!state) throw otherSending(path, 'is not a state of this command, or one of a former version');
  const fault = differenceOf(state, beginning);
  if (fault) throw otherSending(path, fault);
  return state;
}

/** The error about a state that belongs to another sending; `fault` continues after its name. */
export const otherSending = (path: string, fault: string) =>
  conflict(
    `The state ${path} ${fault}. Remove it to send everything from the start, or name another with --state; what was stored there before answers duplicate.`,
  );

/** Saves the state atomically, so that a power failure leaves a complete one. */
export async function writeState(path: string, state: IngestState): Promise<void> {
  const beside = `${path}.part`;
  try {
    const file = await open(beside, 'w');
    await file.writeFile(`${JSON.stringify(state)}\n`);
    await file.sync().finally(() => file.close());
    await rename(beside, path);
  } catch (error) {
    throw invalidRequest(
      `The state ${path} cannot be written: ${asError(error).message}. --state names another place.`,
    );
  }
}

function parseState(text: string): IngestState | null {
  try {
    return IngestState.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function differenceOf(
  state: IngestState,
  { organization_id, log_origin, map_sha256, files }: Beginning,
): string | null {
  if (state.organization_id !== organization_id) return 'is of a sending to another organization';
  // If the key could not read the log, then or now, the organization identifies the target.
  if (state.log_origin !== null && log_origin !== null && state.log_origin !== log_origin)
    return `is of a sending to another server, whose log is ${state.log_origin}, not ${log_origin}`;
  if (state.map_sha256 !== map_sha256) return 'is of a sending with another mapping';
  if (state.files.length !== files.length)
    return `is of a sending of ${counted(state.files.length, 'file')}, not ${files.length}`;
  for (const [index, { name, identity }] of files.entries()) {
    const before = state.files[index]?.identity ?? null;
    if (JSON.stringify(before) !== JSON.stringify(identity))
      return `is of another file than ${name} is now (its size, its time or its beginning differ)`;
  }
  return null;
}
