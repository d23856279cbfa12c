import type { ScreenedPayee } from '#shared/detection/model/payees.ts';
import { fictionalList } from '#shared/screening/lists/fictional.ts';
import { readList } from '#shared/screening/lists/read_list.ts';
import { parsePayeeKey } from '#shared/values/payee_key.ts';
import { createIndexBuilder } from '#shared/screening/matcher/list_index.ts';
import { keysOfPayeeKey } from '#shared/screening/matcher/query.ts';
import { type LoadedList, screen } from '#shared/screening/matcher/screen.ts';
import type { EventInput } from '#shared/events/input/event_input.ts';

const THRESHOLD = 0.85;

/**
 * Screens the payees of a world against the list of made-up names, without a database; answers with what is held against each that matches,
 * by its key.
 */
export async function screenWorld(inputs: readonly EventInput[]): Promise<ReadonlyMap<string, ScreenedPayee>> {
  const list = await readFictional();
  const found = new Map<string, ScreenedPayee>();
  for (const { key, name = null, type, country } of new Map(inputs.map(toPayee)).values()) {
    const query = {
      name,
      aliases: [],
      type: type === 'individual' ? ('person' as const) : null,
      countries: country === undefined ? [] : [country],
      birth_date: null,
      keys: keysOfPayeeKey(key),
    };
    const [match] = screen([list], query, { threshold: THRESHOLD, limit: 1 }).matches;
    if (match) found.set(key, { state: 'potential_match', score: match.score.toFixed(4), match: match.matched_name });
  }
  return found;
}

/** Its key in canonical form, as a log has it. */
function toPayee({ payment: { payee } }: EventInput) {
  const parsed = parsePayeeKey(payee.key);
  const key = parsed.ok ? parsed.value : payee.key;
  return [key, { ...payee, key }] as const;
}

async function readFictional(): Promise<LoadedList> {
  const { name, format, path } = fictionalList;
  const builder = createIndexBuilder();
  for await (const entry of readList(format, path).entries) builder.add(entry, JSON.stringify(entry));
  return { name, version: 1, index: builder.finish() };
}
