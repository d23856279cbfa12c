import { type LoadedList, screen } from '#shared/screening/matcher/screen.ts';
import type { KeyCase } from './cases.ts';

/** Whether the right entry, or none, is found by an identifier. */
export const searchKeys = (
  lists: readonly LoadedList[],
  cases: readonly KeyCase[],
): { case: KeyCase; right: boolean }[] =>
  cases.map(each => {
    const { key, key_type = null } = each.query;
    const keys = [{ type: key_type, value: key }];
    const query = { name: null, aliases: [], type: null, countries: [], birth_date: null, keys };
    const found = screen(lists, query, { threshold: 0.85, limit: 100 }).matches.map(
      match => `${match.list}:${match.entry_id}`,
    );
    const { expect, also_ok = [] } = each;
    return {
      case: each,
      right: expect === null ? found.length === 0 : [expect, ...also_ok].some(id => found.includes(id)),
    };
  });
