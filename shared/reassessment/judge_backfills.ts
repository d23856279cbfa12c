import { z } from 'zod';
import type { Assessor } from '#shared/assessment/assessor.ts';
import { loadStoredVerdicts } from '#shared/assessment/stored_verdicts.ts';
import { judgeRangeInTurns } from '#shared/detection/consumer/judge_range.ts';
import { tellFindings } from '#shared/detection/consumer/tell_findings.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { createDetectionCache, type DetectionCache } from '#shared/detection/load/detection_cache.ts';
import { loadLessons } from '#shared/detection/load/load_lessons.ts';
import { loadOpen } from '#shared/detection/load/load_open.ts';
import { loadPayees } from '#shared/detection/load/load_payees.ts';
import { loadRange } from '#shared/detection/load/load_range.ts';
import type { EventFinding } from '#shared/detection/model/detector.ts';
import { emptyHistory } from '#shared/detection/model/history.ts';
import { MOST_STRAYS } from '#shared/detection/model/late.ts';
import { needsOf } from '#shared/detection/model/needs.ts';
import { noSpreads, Spreads } from '#shared/detection/model/spreads.ts';
import { readAlertBudget } from '#shared/detection/settings/alert_budget.ts';
import { activeDetectors } from '#shared/detection/settings/detector_settings.ts';
import { linking } from '#shared/events/log/holding.ts';
import { type DueBackfill, dueBackfills, endBackfills } from '#shared/events/ranges/backfills.ts';
import { type LoggedEvent, readEvents } from '#shared/events/ranges/load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { DAY } from '#shared/values/time.ts';

/** Agents judged in one transaction, and their events: of an agent that has more the latest. Live detection of the log waits for it. */
const MOST_AGENTS = 25;
const MOST_EVENTS = 20_000;
/** Of an agent that has more so many are its record only: what was before them is not known. */
const LEAST_BEFORE = MOST_EVENTS / 4;

/** Detectors that go by what else an agent has done: the others have told what they tell when an event came. */
const of_conduct = detectors.filter(({ of_payment_alone }) => !of_payment_alone);

/**
 * Judges agents whose past was filled in, in the order in which it happened, as if it had been watched: what came while that went on, and a day
 * before it, is told where no alert tells of it yet. Runs in a transaction that holds the log's cursor, which stands at `seq`. Returns the webhooks
 * to send; null: nothing is due.
 */
export async function judgeBackfills(
  tx: Db,
  tenant: Tenant,
  seq: number,
  assessor: Pick<Assessor, 'verifiers' | 'readTrust'>,
  now: number,
): Promise<Jobs['webhook'][] | null> {
  const due = await dueBackfills(tx, tenant, MOST_AGENTS, now);
  if (due.length === 0) return null;
  const strays = due.filter(({ events }) => events <= MOST_STRAYS);
  const { agents, events } = await eventsOf(
    tx,
    tenant,
    due.filter(({ events }) => events > MOST_STRAYS),
    seq,
  );
  await endBackfills(
    tx,
    tenant,
    [...strays, ...agents].map(({ agent_id }) => agent_id),
  );
  if (events.length === 0) return [];
  const active = await activeDetectors(tx, tenant, of_conduct);
  const { org_id, environment } = tenant;
  const stored = await tx.oneFirst(sql.type(z.object({ spreads: Spreads.nullable() }))`
    select spreads from detection_cursors where org_id = ${org_id} and environment = ${environment}`);
  const spreads = stored ?? noSpreads();
  const measures = {
    budget: await readAlertBudget(tx, tenant),
    spreads,
    lessons: { ...(await loadLessons(tx, tenant, events)), open: await loadOpen(tx, tenant, events) },
  };
  const range = await loadRange(tx, tenant, events, 0, nothingYet(tenant, agents), needsOf(active));
  // What other agents paid is known.
  const { states } = await loadPayees(tx, tenant, events, seq, createDetectionCache().payees);
  for (const [payee_id, { starts, first_paid_at }] of states)
    Object.assign(range.payees.states.get(payee_id) ?? {}, { starts, first_paid_at });
  const verdictOf = await loadStoredVerdicts(tx, tenant, events, assessor);
  const { findings } = await judgeRangeInTurns(events, { ...range, as_it_happened: true }, verdictOf, active, measures);
  const untold = await withoutTold(tx, tenant, findings, { agents, events });
  const { jobs } = await tellFindings(tx, tenant, untold, active, now);
  await tx.query(sql.unsafe`
    update detection_cursors set spreads = ${JSON.stringify(spreads)}::jsonb where org_id = ${org_id} and environment = ${environment}`);
  if (untold.length > 0) await moveVersions(tx, tenant, ['alerts']);
  return jobs;
}

/** These agents as they were before any of their events, all of which are at hand. */
function nothingYet(tenant: Tenant, agents: readonly DueBackfill[]): DetectionCache {
  const cache = createDetectionCache();
  cache.startAt(tenant, { seq: 0, repriced: 0 });
  const minutes_within = [{ from: -Infinity, to: Infinity }];
  for (const { agent_id } of agents)
    cache.histories.set(tenant, agent_id, {
      ...emptyHistory(),
      hours: [],
      minutes: new Map(),
      minutes_within,
      new_payees: [],
    });
  return cache;
}

/** An agent to judge, and from when on what it did is told: of one whose events are not all at hand a while after the first of them. */
type Judged = DueBackfill & { told_from: number };

const Places = z.object({ agent_id: z.string(), seqs: z.array(z.int()) });

/** The events of these agents as they occurred, of as many agents as may be judged at once. */
async function eventsOf(
  tx: Db,
  tenant: Tenant,
  due: readonly DueBackfill[],
  seq: number,
): Promise<{ agents: Judged[]; events: LoggedEvent[] }> {
  if (due.length === 0) return { agents: [], events: [] };
  const { org_id, environment } = tenant;
  const rows = await tx.any(sql.type(Places)`
    select a.agent_id, array(
      select e.chain_seq from events e
      where e.org_id = ${org_id} and e.environment = ${environment} and e.agent_id = a.agent_id and e.chain_seq <= ${seq}
      order by e.occurred_at desc, e.chain_seq desc limit ${MOST_EVENTS}) as seqs
    from ${tableOf('a', [...due], { agent_id: 'text' })}`);
  const places = new Map(rows.map(({ agent_id, seqs }) => [agent_id, seqs]));
  const seqsOf = ({ agent_id }: DueBackfill) => places.get(agent_id) ?? [];
  let room = MOST_EVENTS;
  const agents = due.filter((agent, index) => (room -= seqsOf(agent).length) >= 0 || index === 0);
  const events = await readEvents(tx, tenant, agents.flatMap(seqsOf));
  const times = new Map(events.map(({ chain_seq, occurred_at }) => [chain_seq, occurred_at]));
  return {
    agents: agents.map(agent => {
      const seqs = seqsOf(agent);
      const first = seqs.length < MOST_EVENTS ? undefined : seqs.at(-LEAST_BEFORE);
      return { ...agent, told_from: times.get(first ?? 0) ?? -Infinity };
    }),
    events: events.toSorted((a, b) => a.occurred_at - b.occurred_at || a.chain_seq - b.chain_seq),
  };
}

/** Those whose alerts are about one agent. */
const of_one = new Set(of_conduct.filter(({ whichever_agent }) => !whichever_agent).map(({ name }) => name));

/** What was found on events of the back-fills and of the day before they began, without what alerts on the same agent tell of. */
async function withoutTold(
  tx: Db,
  tenant: Tenant,
  findings: readonly EventFinding[],
  { agents, events }: { agents: readonly Judged[]; events: readonly LoggedEvent[] },
): Promise<EventFinding[]> {
  const judged = new Map(agents.map(agent => [agent.agent_id, agent]));
  const isAsked = ({ agent_id, occurred_at, received_at }: LoggedEvent) => {
    const agent = judged.get(agent_id);
    return agent !== undefined && received_at >= agent.began_at - DAY && occurred_at >= agent.told_from;
  };
  const asked = new Set(events.filter(isAsked).map(({ chain_seq }) => chain_seq));
  const found = findings.filter(({ event }) => asked.has(event.chain_seq));
  const rows = [...new Map(found.map(({ event: { id, agent_id } }) => [id, { id, agent_id }])).values()];
  if (rows.length === 0) return [];
  const { org_id, environment } = tenant;
  const told = new Set(
    await tx.anyFirst(sql.type(z.object({ id: z.string() }))`
      select r.id from ${tableOf('r', rows, { id: 'text', agent_id: 'text' })}
      where exists (
        select from alert_events n join alerts a on a.org_id = ${org_id} and a.environment = ${environment} and a.id = n.alert_id
        where ${linking(tenant, sql.fragment`r.id`)} and a.agent_id = r.agent_id
          and a.detector = any(${sql.array([...of_one], 'text')}))`),
  );
  return found.filter(({ detector, event }) => !of_one.has(detector) || !told.has(event.id));
}
