import { packNumbers } from './text_table.ts';

/** Lists of numbers, one for each of a range of numbers from 0 up: list n lies between two offsets. */
export type Postings = { values: Uint32Array; offsets: Uint32Array };

export function packPostings(lists: readonly (readonly number[])[]): Postings {
  const offsets = new Uint32Array(lists.length + 1);
  for (let index = 0; index < lists.length; index += 1)
    offsets[index + 1] = (offsets[index] ?? 0) + (lists[index]?.length ?? 0);
  const values = new Uint32Array(offsets[lists.length] ?? 0);
  for (let index = 0; index < lists.length; index += 1) values.set(lists[index] ?? [], offsets[index]);
  return { values: packNumbers(values), offsets: packNumbers(offsets) };
}

/** One list. */
export const postingsAt = ({ values, offsets }: Postings, index: number): Uint32Array =>
  values.subarray(offsets[index], offsets[index + 1]);
