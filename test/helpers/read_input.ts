import { Readable } from 'node:stream';
import type { Mapping } from '#bin/admin/ingest/mapping.ts';
import { openInput } from '#bin/admin/ingest/open_input.ts';
import { type Item, readEvents } from '#bin/admin/ingest/read_events.ts';

type Options = { mapping?: Mapping; skip?: number; skips_made_ids?: boolean; piece?: number };

/** The events of an input that comes in pieces of so many bytes, and what it broke off with. */
export async function readInput(
  input: string | Buffer,
  options: Options = {},
): Promise<{ items: Item[]; broke: string | null }> {
  const { mapping, skip = 0, skips_made_ids = false, piece = 7 } = options;
  const bytes = Buffer.from(input);
  function* pieces() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  }
  const items: Item[] = [];
  try {
    const stdin = Readable.from(pieces());
    const opened = await openInput('-', stdin, new AbortController().signal);
    for await (const some of readEvents(opened, { file: 0, mapping, skip, skips_made_ids })) items.push(...some);
    return { items, broke: null };
  } catch (error) {
    return { items, broke: error instanceof Error ? error.message : '' };
  }
}
