import { MOST_REFS } from './limits.ts';
import type { EventRefs } from './report.ts';
import { grouped } from './words.ts';

/** The events behind a number: the positions of the first ones, and how many there are. */
export type Refs = { first: number[]; count: number; last: number };

export const noRefs = (): Refs => ({ first: [], count: 0, last: 0 });

/** Adds an event. A repeated event is counted again, unless directly repeated. */
export function addRef(refs: Refs, chain_seq: number): void {
  if (chain_seq === refs.last) return;
  refs.last = chain_seq;
  refs.count += 1;
  keep(refs, chain_seq);
}

/** Adds the events behind another number; the two must have none in common. */
export function mergeRefs(refs: Refs, others: Refs): void {
  refs.count += others.count;
  for (const chain_seq of others.first) keep(refs, chain_seq);
}

function keep({ first }: Refs, chain_seq: number): void {
  if (first.length === MOST_REFS && chain_seq > (first.at(-1) ?? 0)) return;
  first.push(chain_seq);
  first.sort((a, b) => a - b);
  first.length = Math.min(first.length, MOST_REFS);
}

/** The first ones, and where to find the rest. */
export const refsText = ({ first, count }: Refs): EventRefs => ({
  seqs: [...first],
  more: count > first.length ? `and ${grouped(count - first.length)} more: events.jsonl` : '',
});

/** These events, ascending. */
export const refs = (chain_seqs: readonly number[]): EventRefs =>
  refsText({ first: chain_seqs.slice(0, MOST_REFS), count: chain_seqs.length, last: 0 });
