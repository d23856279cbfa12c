import { hash } from 'node:crypto';
import { derivedId } from '#shared/interface/ids.ts';
import { parseRfc3339 } from '#shared/values/rfc3339.ts';

/** Bits of the filter: 32 MB, so that of ten million texts fewer than one in ten thousand is wrongly believed to be a repetition. */
const FILTER_BITS = 2 ** 28;
const COUNTERS = 2 ** 20;

/**
 * Makes ids for the events of a file that have none. The same file has the same ids whenever it is read, so that sending it again stores
 * nothing twice. An id is made of the time of the event and the SHA-256 of its text, wherever in the file that stands; of texts that
 * are alike, each further one has a number with it. Memory is bounded: a text that is wrongly believed to be a repetition has a number
 * too, and an id of its own all the same.
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

/** `evt_` and a ULID: the time of the event, where it can be read, and its digest. */
function idOf(occurred_at: unknown, digest: Buffer): string {
  const time = typeof occurred_at === 'string' ? parseRfc3339(occurred_at) : null;
  return derivedId('evt', time?.ok ? time.value : 0, digest);
}
