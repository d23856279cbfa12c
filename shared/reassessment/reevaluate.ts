import { z } from 'zod';
import type { AsOf } from '#shared/assessment/assess.ts';
import { type BookEntry, loadBooks } from '#shared/assessment/books.ts';
import { keepFirstCrossings, markExhausted } from '#shared/assessment/budget_marks.ts';
import { loadCurrent } from '#shared/assessment/current.ts';
import { crossings } from '#shared/assessment/judge_plan.ts';
import { withApprovals } from '#shared/assessment/approvals.ts';
import { loadReports } from '#shared/assessment/load_reports.ts';
import { loadMandates } from '#shared/assessment/mandate_set.ts';
import { positionOf, standsAfter } from '#shared/assessment/paid.ts';
import { loadPaid, paidKey } from '#shared/assessment/paid_store.ts';
import { moveReevaluation, type ReevaluationRow } from '#shared/events/ranges/rechecks.ts';
import { brokenThen, type Placed } from './broken_then.ts';
import { type CostsOverTime, readCostsOverTime } from './costs_over_time.ts';
import { periodSubject } from '#shared/detection/detectors/mandate_breach.ts';
import { saveEvaluated } from './save_evaluated.ts';
import { takeBackBreaches } from './take_back.ts';
import { type Changed, tellChanges } from './tell_changes.ts';
import { type MandateVerdict, type NamedMandate, noVerdict } from '#shared/assessment/verdict.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { holding } from '#shared/events/log/holding.ts';
import { type LoggedEvent, Milliseconds, readEvents } from '#shared/events/ranges/load.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { evaluate } from '#shared/mandates/evaluate.ts';
import type { EvaluationResult } from '#shared/mandates/evaluation.ts';
import { horizon, looksBack } from '#shared/mandates/reach.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

const MOST_AT_ONCE = 500;

/**
 * The book of a mandate, and what payments cost before, as they were when the log's cursor stood at `seq`: good for the next part, unless the log has
 * gone on.
 */
export type KeptBook = { mandate_id: string; seq: number; entry: BookEntry; costs: CostsOverTime | null };

/**
 * Evaluates the next of a mandate's later payments again, by what is known now. Only where a result flips there is a new row; a breach
 * raises its alert, and the alert of what no longer is one gets a comment. Runs in a transaction that holds the log's cursor, which
 * stands at `seq`.
 */
export async function reevaluate(
  tx: Db,
  tenant: Tenant,
  request: ReevaluationRow,
  { seq, kept }: { seq: number; kept: KeptBook | null },
  { now, rates }: AsOf,
): Promise<{ jobs: Jobs['webhook'][]; kept: KeptBook | null }> {
  const { mandate_id } = request;
  const part = await nextPart(tx, tenant, request);
  const last = part.at(-1);
  if (!last) {
    await moveReevaluation(tx, tenant, mandate_id, null);
    return { jobs: [], kept: null };
  }
  const events = await readEvents(
    tx,
    tenant,
    part.map(row => row.chain_seq),
  );
  // A payment may stand elsewhere now, and may have been evaluated again since.
  const paid = await loadPaid(tx, tenant, [...new Set(events.map(event => event.payment_id))]);
  const mandates = await loadMandates(tx, tenant, {
    agent_ids: [],
    mandate_ids: [mandate_id],
    earliest: Math.min(
      Date.parse(request.from_at),
      ...events.map(({ occurred_at }) => occurred_at),
      ...[...paid.values()].flatMap(entry => entry.paid.paid?.at ?? []),
    ),
  });
  const reports = await withApprovals(tx, tenant, await loadReports(tx, tenant, events), mandates, seq);
  const current = await loadCurrent(tx, tenant, [...reports.keys()]);
  const places = part.flatMap(({ chain_seq, at }) => {
    const event = reports.get(chain_seq);
    if (!event || event.erased) return [];
    const isOwn = mandates.versionAt(mandate_id, at)?.agent_id === event.agent_id;
    const payment = isOwn ? paid.get(paidKey(mandate_id, event.payment_id))?.paid : undefined;
    const position = positionOf({ at: event.occurred_at, seq: chain_seq }, payment ?? null);
    const mandate = mandates.versionAt(mandate_id, position.at);
    if (!mandate) return [];
    const place = { at: event.occurred_at, seq: chain_seq };
    const stood_later = standsAfter(payment ?? null, position);
    return [{ chain_seq, event, place, position, former_at: at, mandate, stood_later }];
  });
  const from = horizonOf(places);
  const isKept =
    kept?.mandate_id === mandate_id &&
    kept.seq === seq &&
    kept.entry.book_version === mandates.bookVersion(mandate_id) &&
    kept.entry.rates === rates &&
    (kept.entry.from === null || (from !== null && kept.entry.from <= from));
  const entry = isKept
    ? kept.entry
    : (await loadBooks(tx, tenant, [{ mandate_id, from, since: from }], mandates, rates)).entry(mandate_id);

  const resultsOf = (chain_seq: number) => current.get(chain_seq)?.results ?? new Map<string, EvaluationResult>();
  const flipped = new Map<number, MandateVerdict[]>();
  const crossing = new Map<number, MandateVerdict[]>();
  const judged = places.map(place => {
    const { event, position, mandate, stood_later } = place;
    return { ...place, now: evaluate(mandate, event, { position, meter: entry.book, rates, stood_later }) };
  });
  const open = judged.filter(
    ({ now: { result }, ...place }) => result !== 'breach' && looksBack(place.mandate.constraints),
  );
  const costs = await costsBefore(tx, tenant, { mandate_id, seq }, open, isKept ? kept.costs : null);
  const broken = brokenThen(open, entry, costs?.payments ?? []);
  const eventOf = new Map(events.map(event => [event.chain_seq, event]));
  const broke: { event: LoggedEvent; left: string[]; verdict: MandateVerdict }[] = [];
  for (const { chain_seq, position, mandate, former_at, now: known_now } of judged) {
    const evaluation = broken.get(chain_seq) ?? known_now;
    const verdict = { ...evaluation, mandate, position, crossed: evaluation.budgets.flatMap(crossings) };
    const former = resultsOf(chain_seq).get(mandate_id);
    const isFlipped = evaluation.result !== former;
    if (isFlipped) flipped.set(chain_seq, [verdict]);
    const event = eventOf.get(chain_seq);
    const left = periodsLeft(mandate, former_at, position.at);
    if (event && former === 'breach' && (isFlipped || left.length > 0)) broke.push({ event, left, verdict });
    // A breach that is known is not told again.
    if (verdict.crossed.length > 0 && (isFlipped || evaluation.result !== 'breach')) crossing.set(chain_seq, [verdict]);
  }
  await keepFirstCrossings(tx, tenant, crossing);
  const changed = await saveEvaluated(tx, tenant, events, flipped, now);
  const crossed = events.flatMap((event): Changed[] => {
    const [verdict] = flipped.has(event.chain_seq) ? [] : (crossing.get(event.chain_seq) ?? []);
    return verdict?.crossed.length ? [{ event, verdict: { ...noVerdict, evaluations: [verdict] } }] : [];
  });
  const taken = await takeBackBreaches(tx, tenant, mandate_id, broke, now);
  const moved = broke
    .filter(({ event, verdict }) => verdict.result === 'breach' && taken.has(event.payment_id))
    .map(({ event, verdict }) => ({ event, verdict: { ...noVerdict, evaluations: [verdict] } }));
  await markExhausted(tx, tenant, new Set([mandate_id]), mandates, { entry: () => entry });
  const done = part.length < MOST_AT_ONCE;
  await moveReevaluation(tx, tenant, mandate_id, done ? null : { at: timestamp(last.at), seq: last.chain_seq });
  const jobs = await tellChanges(tx, tenant, [...changed, ...crossed, ...moved], now);
  return { jobs, kept: { mandate_id, seq, entry, costs } };
}

/** The subjects of the alerts about a mandate's periods in which a payment stood, and stands no longer. */
function periodsLeft({ id, constraints }: NamedMandate, former_at: number, at: number): string[] {
  if (former_at === at) return [];
  return constraints.flatMap(constraint => {
    const left = periodSubject(id, constraint, former_at);
    return left === null || left === periodSubject(id, constraint, at) ? [] : [left];
  });
}

/** What other payments cost that these may have been held against, since the first of these happened; as it was kept where there are none. */
async function costsBefore(
  tx: Db,
  tenant: Tenant,
  { mandate_id, seq }: { mandate_id: string; seq: number },
  events: readonly Placed[],
  kept: CostsOverTime | null,
): Promise<CostsOverTime | null> {
  const agent_id = events[0]?.mandate.agent_id;
  if (agent_id === undefined) return kept;
  const span = {
    from: horizonOf(events),
    until: Math.max(...events.map(({ position }) => position.at)),
    since: Math.min(...events.map(({ position }) => position.at)),
  };
  return readCostsOverTime(tx, tenant, { mandate_id, agent_id, seq }, span, kept);
}

type Horizon = Pick<Placed, 'mandate' | 'position'>;

const horizonAt = ({ mandate, position }: Horizon) => horizon(mandate.constraints, position.at, mandate.anchor);

/** The first moment whose payments these are held against; null: all there are. */
const horizonOf = (places: readonly Horizon[]) => earliestOf(places.map(horizonAt));

/** Null reaches back furthest. */
const earliestOf = (times: readonly (number | null)[]): number | null =>
  times.reduce((least, time) => (least === null || time === null ? null : Math.min(least, time)), Infinity);

const Part = z.object({ chain_seq: z.number(), at: Milliseconds });

/**
 * What was evaluated of the mandate in the time that is asked for, after where this has got to, in order. A payment that stands there by
 * now may have been evaluated where it stood before.
 */
const nextPart = (
  tx: Db,
  { org_id, environment }: Tenant,
  { mandate_id, from_at, until_at, after_at, after_seq }: ReevaluationRow,
) =>
  tx.any(sql.type(Part)`
    with evaluated as (
      select distinct m.position_at as at, m.chain_seq from mandate_evaluations m
      where m.org_id = ${org_id} and m.environment = ${environment} and m.mandate_id = ${mandate_id} and m.position_at < ${until_at}
        and (m.position_at, m.chain_seq) > (${after_at ?? from_at}, ${after_seq ?? 0})
      order by m.position_at, m.chain_seq limit ${MOST_AT_ONCE}
    ), payments as (
      select p.org_id, p.environment, p.mandate_id, p.payment_id, p.paid_at from mandate_payments p
      where p.org_id = ${org_id} and p.environment = ${environment} and p.mandate_id = ${mandate_id} and p.moved
        and p.paid_at >= ${after_at ?? from_at} and p.paid_at < ${until_at}
      order by p.paid_at fetch first ${MOST_AT_ONCE} rows with ties
    ), moved as (
      select distinct p.paid_at as at, e.chain_seq from payments p
      join events e on ${holding('payment_id', { org_id, environment }, sql.fragment`p.payment_id`)}
      join mandate_evaluations m on m.org_id = p.org_id and m.environment = p.environment and m.chain_seq = e.chain_seq
        and m.mandate_id = p.mandate_id
      where (p.paid_at, e.chain_seq) > (${after_at ?? from_at}, ${after_seq ?? 0})
    )
    select at, chain_seq from evaluated union select at, chain_seq from moved
    order by at, chain_seq limit ${MOST_AT_ONCE}`);
