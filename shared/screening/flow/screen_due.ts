import type { Db, Pool } from '#shared/platform/db.ts';
import type { Logger } from '#shared/platform/log.ts';
import type { ReadyList } from './loaded_lists.ts';
import { saveScreened, type SavedLook } from './save_screened.ts';
import { type PayeeRow, takeDuePayees } from './screened_payees.ts';
import { screenPayees } from './screen_payees.ts';
import { nothingTold, tellMatches, type ToldMatches } from './tell_matches.ts';
import type { Search } from '#shared/screening/search/search.ts';
import { listsOf, usedList } from '#shared/screening/store/screening_lists.ts';
import { loadPairs } from '#shared/screening/store/screening_pairs.ts';
import { readThreshold } from '#shared/screening/store/screening_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions, type Topic } from '#shared/interface/versions.ts';

export type ScreenedPart = ToldMatches & { payees: number; saved: readonly SavedLook[] };

type ScreenOptions = {
  limit: number;
  lists: readonly ReadyList[];
  search: Search;
  log: Logger;
  now: () => number;
  /** These payees fail repeatedly: record that, with the time of the next try. */
  pass_over?: true;
};

/**
 * Screens payees that are due in one transaction: claims them, searches for them, and stores the results. Other processes take other
 * payees. Null when `lists` are not the newest, since nothing may be cleared by older ones. The lists are compared after the payees were
 * claimed: any later load makes them due again.
 */
export const screenDue = (
  db: Pool,
  tenant: Tenant,
  { limit, lists, search, log, now, pass_over }: ScreenOptions,
): Promise<ScreenedPart | null> =>
  db.transaction(async tx => {
    const payees = await takeDuePayees(tx, tenant, limit, now());
    if (payees.length === 0) return { ...nothingTold, payees: 0, saved: [] };
    if (!(await areNewest(tx, tenant.org_id, lists))) return null;
    const done = await screenHeld(tx, tenant, payees, { lists, search, log, now, ...(pass_over && { pass_over }) });
    await moveVersions(tx, tenant, topicsOf(done));
    return { ...done, payees: payees.length };
  });

/** Screens payees whose rows the caller holds, and sends notifications. The caller moves the counters of `topicsOf`, last. */
export async function screenHeld(
  tx: Db,
  tenant: Tenant,
  payees: readonly PayeeRow[],
  { lists, search, log, now, pass_over, asked_by }: Omit<ScreenOptions, 'limit'> & { asked_by?: string | null },
): Promise<ToldMatches & { saved: SavedLook[] }> {
  const ids = payees.map(({ id }) => id);
  const [threshold, pairs] = [await readThreshold(tx, tenant), await loadPairs(tx, tenant, ids)];
  const looked = pass_over
    ? payees.map(payee => ({ payee, result: null }))
    : await screenPayees(payees, { lists, threshold, pairs, search, log });
  const saved = await saveScreened(tx, tenant, looked, {
    lists: lists.map(list => usedList(list, now())),
    threshold,
    pairs,
    created_by: asked_by ?? null,
    ...(asked_by !== undefined && { asked: true }),
    now: now(),
  });
  return { ...(await tellMatches(tx, tenant, saved, now())), saved };
}

/** The topics whose readers must read again. */
const topicsOf = ({ findings }: Pick<ToldMatches, 'findings'>): Topic[] => [
  'screenings',
  'payees',
  ...(findings > 0 ? (['alerts'] as const) : []),
];

/** Whether these are an organization's lists in their current versions. */
export async function areNewest(db: Db, org_id: string, lists: readonly ReadyList[]): Promise<boolean> {
  const rows = await listsOf(db, org_id);
  if (rows.length !== lists.length) return false;
  return rows.every(row =>
    lists.some(list => list.org_id === row.org_id && list.name === row.name && list.version === row.version),
  );
}
