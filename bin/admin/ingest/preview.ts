import type { Readable } from 'node:stream';
import type { Refusal } from '#api/client/send_events.ts';
import { normalizeEvent } from '#shared/events/input/event_normalize.ts';
import { Mistyped } from '#bin/admin/program.ts';
import { DAY } from '#shared/values/time.ts';
import type { Mapping } from './mapping.ts';
import { openInput } from './open_input.ts';
import { type Item, readEvents } from './read_events.ts';

/** The event that a row or line would be sent as; `error` says why it would be refused. */
export type Previewed = { file: string; line: number; event: unknown; error?: Refusal };

const MOST = 1_000;

/** The number given to `--preview`. Throws Mistyped. */
export function readMost(text: string): number {
  const most = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : NaN;
  if (most <= MOST) return most;
  throw new Mistyped('/preview', 'invalid_value', `--preview takes a whole number from 1 to ${MOST}.`);
}

/**
 * The first events of files, and whether they are valid; nothing is sent, and no key is needed. The service checks more: whether a source
 * exists, and how old an event may be. Throws `invalid_request` when a file cannot be read that far.
 */
export async function previewFiles(
  { files, mapping, stdin }: { files: readonly string[]; mapping: Mapping | undefined; stdin: Readable },
  most: number,
): Promise<Previewed[]> {
  const shown: Previewed[] = [];
  const stopping = new AbortController();
  try {
    for (const [file, path] of files.entries()) {
      if (shown.length >= most) break;
      const input = await openInput(path, stdin, stopping.signal);
      for await (const items of readEvents(input, { file, mapping, skip: 0, skips_made_ids: false })) {
        shown.push(...items.slice(0, most - shown.length).map(item => preview(item, path)));
        if (shown.length >= most) break;
      }
    }
  } finally {
    stopping.abort();
  }
  return shown;
}

function preview({ line, json, refused, source }: Item, file: string): Previewed {
  if (refused) {
    const text = source && ('row' in source ? source.row : source.text);
    return { file, line, event: text === undefined ? null : JSON.parse(text), error: refused };
  }
  let event: unknown;
  try {
    event = JSON.parse(json);
  } catch {
    return { file, line, event: json, error: { code: 'malformed_json', message: 'It is not JSON.' } };
  }
  const checked = normalizeEvent(event, { now: Date.now(), max_age_days: OLDEST, rates: { rateFor: () => null } });
  if (checked.ok) return { file, line, event };
  const [first] = checked.issues;
  const error = { code: 'invalid_request', message: first?.message ?? 'It is no event.', details: checked.issues };
  return { file, line, event, error };
}

/** An age that no service accepts; its limit is a setting of its own. */
const OLDEST = Math.floor(Number.MAX_SAFE_INTEGER / DAY);
