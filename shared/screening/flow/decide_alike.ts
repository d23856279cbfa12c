import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { decisionOn, standing } from './outcome.ts';
import { pairKey } from '#shared/screening/store/screening_entries.ts';
import { decideMatches, matchesOf } from '#shared/screening/store/screening_matches.ts';
import type { DecidedPair } from '#shared/screening/store/screening_pairs.ts';
import { Subject, subjectNames } from '#shared/screening/store/screening_query.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** A screening and its state after a decision. */
export type DecidedAlike = { id: string; after: ReturnType<typeof standing> };

const Open = z.object({ id: z.string(), query: Subject });

/**
 * Applies a decision on a payee's screening to its other screenings that are still to be reviewed, as a new screening of the payee would.
 * Returns those that it changed. The caller holds the payee.
 */
export async function decideAlike(
  tx: Db,
  tenant: Tenant,
  { payee_id, screening_id }: { payee_id: string; screening_id: string },
  pairs: readonly DecidedPair[],
  now: number,
): Promise<DecidedAlike[]> {
  const { org_id, environment } = tenant;
  const decided_pairs = new Map(pairs.map(pair => [pairKey(pair), pair]));
  const open = await tx.any(sql.type(Open)`
    select id, query from screenings
    where org_id = ${org_id} and environment = ${environment} and payee_id = ${payee_id} and state = 'potential_match'
      and id <> ${screening_id}
    order by id for update`);
  const matches = await matchesOf(
    tx,
    tenant,
    open.map(({ id }) => id),
  );
  const changed = open.flatMap(({ id, query }) => {
    const names = subjectNames(query);
    const before = [...(matches.get(id)?.values() ?? [])];
    const after = before.map(match => ({
      ...match,
      decision: match.decision ?? decisionOn(match, decided_pairs.get(pairKey(match)), names),
    }));
    const moved = after.filter((match, index) => match.decision !== before[index]?.decision);
    return moved.length > 0 ? [{ id, after: standing(after), moved }] : [];
  });
  if (changed.length === 0) return [];
  await decideMatches(
    tx,
    tenant,
    changed.flatMap(({ moved }) => moved),
  );
  const rows = changed.map(({ id, after }) => [id, after.state, after.score]);
  await tx.query(sql.unsafe`
    update screenings s set state = r.state, score = r.score, updated_at = ${timestamp(now)}
    from ${sql.unnest(rows, ['text', 'text', 'numeric'])} as r (id, state, score)
    where s.org_id = ${org_id} and s.environment = ${environment} and s.id = r.id`);
  return changed.map(({ id, after }) => ({ id, after }));
}
