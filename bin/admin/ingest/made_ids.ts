import { hash } from 'node:crypto';
import { derivedId } from '#shared/interface/ids.ts';
import { parseRfc3339 } from '#shared/values/rfc3339.ts';

/** Bits of the filter: 32 MB, so that of ten million texts fewer than one in ten thousand is wrongly taken for a repetition. */
const FILTER_BITS = 2 ** 28;
const COUNTERS = 2 ** 20;

/**
 * Creates ids for events of a file that have none. The same file always gets the same ids, so that sending it again stores nothing twice.
 * An id is made from the time of the event and the SHA-256 of its text, wherever it is in the file; each repetition of a text adds a
 * number. Memory is bounded: a text wrongly taken for a repetition gets a number too, and still an id of its own.
 */
export function createIdMaker(): (text: string, occurred_at: unknown) => string {
  let filter: Uint32Array | undefined;
  let counters: Uint32Array | undefined;
  return (text, occurred_at) => {
    filter ??= new Uint32Array(FILTER_BITS / 32);
    const digest = hash('sha256', text, 'buffer');
    let isNew = false;
    for (let at = 12; at < 28; at += 4) {
      const bit = digest.readUInt32LE(at) % FILTER_BITS;
      const [word, mask] = [bit >>> 5, 1 << (bit & 31)];
      if (((filter[word] ?? 0) & mask) === 0) isNew = true;
      filter[word] = (filter[word] ?? 0) | mask;
    }
    if (isNew) return idOf(occurred_at, digest);
    counters ??= new Uint32Array(COUNTERS);
    const counter = digest.readUInt32LE(28) % COUNTERS;
    const number = (counters[counter] = (counters[counter] ?? 0) + 1);
    return idOf(occurred_at, hash('sha256', `${text}\n${number}`, 'buffer'));
  };
}

/** `evt_` and a ULID: the time of the event, if readable, and its digest. */
function idOf(occurred_at: unknown, digest: Buffer): string {
  const time = typeof occurred_at === 'string' ? parseRfc3339(occurred_at) : null;
  return derivedId('evt', time?.ok ? time.value : 0, digest);
}
