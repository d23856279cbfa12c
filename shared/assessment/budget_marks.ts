import { z } from 'zod';
import type { BookEntry, Books } from './books.ts';
import type { MandateSet } from './mandate_set.ts';
import type { Crossing, MandateVerdict, NamedMandate } from './verdict.ts';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { Constraint } from '#shared/mandates/constraints.ts';
import type { Meter } from '#shared/mandates/evaluation.ts';
import { AT_LAST } from '#shared/mandates/rule.ts';
import { createScale, unitOf } from '#shared/mandates/scale.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

type Verdicts = ReadonlyMap<number, MandateVerdict[]>;

/** Removes from `verdicts` the budget thresholds that were already crossed in their period, and stores the others. */
export async function keepFirstCrossings(tx: Db, { org_id, environment }: Tenant, verdicts: Verdicts): Promise<void> {
  const crossed = [...verdicts].flatMap(([chain_seq, list]) =>
    list.flatMap(verdict => verdict.crossed.map(crossing => ({ chain_seq, verdict, crossing }))),
  );
  if (crossed.length === 0) return;
  const firsts = new Map<string, (typeof crossed)[number]>();
  for (const entry of crossed) {
    const key = keyOf(entry.verdict, entry.crossing).join('\n');
    if (!firsts.has(key)) firsts.set(key, entry);
  }
  const rows = [...firsts.values()].map(({ chain_seq, verdict, crossing }) => [...keyOf(verdict, crossing), chain_seq]);
  const noted = await tx.any(sql.type(Mark)`
    insert into budget_marks (org_id, environment, mandate_id, budget, period, percent, chain_seq)
    select ${org_id}, ${environment}, r.* from ${sql.unnest(rows, ['text', 'text', 'text', 'int2', 'int8'])} as r
    on conflict do nothing
    returning mandate_id, budget, period, percent`);
  const isNew = new Set(noted.map(mark => [mark.mandate_id, mark.budget, mark.period, mark.percent].join('\n')));
  for (const entry of crossed) {
    const key = keyOf(entry.verdict, entry.crossing).join('\n');
    if (isNew.has(key) && firsts.get(key) === entry) continue;
    entry.verdict.crossed = entry.verdict.crossed.filter(crossing => crossing !== entry.crossing);
  }
}

const Mark = z.object({ mandate_id: z.string(), budget: z.string(), period: z.string(), percent: z.number() });

/** A budget is identified by its terms: other terms are another budget. */
const keyOf = ({ mandate }: MandateVerdict, { constraint, period, percent }: Crossing): (string | number)[] => [
  mandate.id,
  canonicalJson(mandate.constraints[constraint] ?? {}),
  period,
  percent,
];

/** Marks mandates as exhausted, or as active again, by what was paid under them. Returns whether any changed. */
export async function markExhausted(
  tx: Db,
  { org_id, environment }: Tenant,
  mandate_ids: ReadonlySet<string>,
  mandates: MandateSet,
  books: Books,
): Promise<boolean> {
  const rows = [...mandate_ids].flatMap(id => {
    const latest = mandates.versionsFrom(id, Infinity)[0];
    const exhausted = latest ? isUsedUp(latest, books.entry(id)) : null;
    if (exhausted === null || exhausted === mandates.isExhausted(id)) return [];
    return [exhausted ? [id, 'exhausted', 'active'] : [id, 'active', 'exhausted']];
  });
  if (rows.length === 0) return false;
  const { rowCount } = await tx.query(sql.unsafe`
    update mandates m set state = r.state
    from ${sql.unnest(rows, ['text', 'text', 'text'])} as r (id, state, former)
    where m.org_id = ${org_id} and m.environment = ${environment} and m.id = r.id and m.state = r.former`);
  return rowCount > 0;
}

const RECURRENCE = 'payment.agent_recurrence';

/** Whether nothing is left of a budget, or of a number of payments, for the whole of the mandate; null where the book does not tell. */
function isUsedUp({ constraints }: NamedMandate, { book, from }: BookEntry): boolean | null {
  const limits = constraints.flatMap(constraint => limitOf(constraint) ?? []);
  if (limits.length === 0) return false;
  return from === null ? limits.some(isReached => isReached(book)) : null;
}

/** Returns a test of whether a book reaches a limit on the whole mandate; null for constraints that set no such limit. */
function limitOf(stored: { type: string; interval?: unknown }): ((book: Meter) => boolean) | null {
  // Parsing costs more than the rest of a range, and few are of these types.
  const lasts = stored.type === 'payment.budget' ? stored.interval === 'per_mandate' : stored.type === RECURRENCE;
  const constraint = lasts ? Constraint.safeParse(stored).data : undefined;
  if (constraint?.type === 'payment.budget' && constraint.interval === 'per_mandate') {
    const scale = createScale(unitOf(constraint));
    return book => book.before(scale.unit, null, AT_LAST).value >= scale.units(constraint.max);
  }
  if (constraint?.type === RECURRENCE && constraint.max_occurrences) {
    const most = constraint.max_occurrences;
    return book => book.before({ currency: 'USD' }, null, AT_LAST).payments >= most;
  }
  return null;
}
