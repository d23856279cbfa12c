import { z } from 'zod';
import type { Assessor } from '#shared/assessment/assessor.ts';
import { loadStoredVerdicts } from '#shared/assessment/stored_verdicts.ts';
import { type Failure, judgeRangeInTurns, type Role } from '#shared/detection/consumer/judge_range.ts';
import { tellFindings } from '#shared/detection/consumer/tell_findings.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { loadLessons } from '#shared/detection/load/load_lessons.ts';
import { loadOpen } from '#shared/detection/load/load_open.ts';
import { loadRange } from '#shared/detection/load/load_range.ts';
import type { EventFinding } from '#shared/detection/model/detector.ts';
import { MOST_STRAYS } from '#shared/detection/model/late.ts';
import { needsOf } from '#shared/detection/model/needs.ts';
import { noSpreads, Spreads } from '#shared/detection/model/spreads.ts';
import { readAlertBudget } from '#shared/detection/settings/alert_budget.ts';
import { activeDetectors } from '#shared/detection/settings/detector_settings.ts';
import { linking } from '#shared/events/log/holding.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { dueBackfills, moveBackfills } from '#shared/events/ranges/backfills.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { DAY } from '#shared/values/time.ts';
import { type Judged, loadBackfilled } from './load_backfilled.ts';

/** Agents judged in one transaction. */
export const MOST_AGENTS = 25;

/** Detectors that go by what else an agent has done: the others have told what they tell when an event came. */
const of_conduct = detectors.filter(({ of_payment_alone }) => !of_payment_alone);

type Options = { assessor: Pick<Assessor, 'verifiers' | 'readTrust'>; now: number; most_agents: number };

/**
 * Judges the next part of what agents did whose past was filled in, in the order in which it happened: what came while that went on, and a day before it,
 * is told where no alert tells of it yet. Runs in a transaction that holds the log's cursor, which stands at `seq`. Returns the webhooks to send and
 * what detectors failed on; null: nothing is due.
 */
export async function judgeBackfills(
  tx: Db,
  tenant: Tenant,
  seq: number,
  { assessor, now, most_agents }: Options,
): Promise<{ jobs: Jobs['webhook'][]; failures: Failure[] } | null> {
  const { org_id, environment } = tenant;
  const due = await dueBackfills(tx, tenant, most_agents, now);
  if (due.length === 0) return null;
  const strays = due.filter(({ events }) => events <= MOST_STRAYS);
  const filled = due.filter(({ events }) => events > MOST_STRAYS);
  const { agents, events, cache } = await loadBackfilled(tx, tenant, filled, seq);
  await moveBackfills(tx, tenant, [...strays.map(each => ({ ...each, rest_from: null })), ...agents]);
  if (events.length === 0) return { jobs: [], failures: [] };
  const active = await activeDetectors(tx, tenant, of_conduct);
  const stored = await tx.oneFirst(sql.type(z.object({ spreads: Spreads.nullable() }))`
    select spreads from detection_cursors where org_id = ${org_id} and environment = ${environment}`);
  const spreads = stored ?? noSpreads();
  const unknown = new Map(agents.map(({ agent_id, since }) => [agent_id, since]));
  const range = await loadRange(tx, tenant, events, 0, cache, needsOf(active), undefined, { cursor: seq, unknown });
  const roleOf = rolesOf(agents);
  const { findings, failures } = await judgeRangeInTurns(
    events,
    { ...range, as_it_happened: true },
    await loadStoredVerdicts(tx, tenant, events, assessor),
    active,
    {
      budget: await readAlertBudget(tx, tenant),
      spreads,
      lessons: { ...(await loadLessons(tx, tenant, events)), open: await loadOpen(tx, tenant, events) },
      roleOf,
    },
  );
  const in_shadow = new Set(active.filter(({ setting }) => setting.shadow).map(({ detector }) => detector.name));
  const own = new Set(events.filter(event => roleOf(event) === 'lesson').map(({ chain_seq }) => chain_seq));
  // What is only counted is counted once.
  const countable = findings.filter(({ detector, event }) => own.has(event.chain_seq) || !in_shadow.has(detector));
  const untold = await withoutTold(tx, tenant, countable);
  const { jobs } = await tellFindings(tx, tenant, untold, active, now);
  await tx.query(sql.unsafe`
    update detection_cursors set spreads = ${JSON.stringify(spreads)}::jsonb where org_id = ${org_id} and environment = ${environment}`);
  if (untold.length > 0) await moveVersions(tx, tenant, ['alerts']);
  return { jobs, failures };
}

/** Ends the back-fill that is judged next, of which nothing can be made. Returns its agent. */
export async function passOverBackfill(tx: Db, tenant: Tenant, now: number): Promise<string | null> {
  const [agent] = await dueBackfills(tx, tenant, 1, now);
  await moveBackfills(tx, tenant, agent ? [{ ...agent, rest_from: null }] : []);
  return agent?.agent_id ?? null;
}

/**
 * What is made of the events at hand. Those before the back-fill are the record; it and what came a day before it are judged, since that was judged without
 * it; and from what came with it, which taught nothing yet, is learned.
 */
function rolesOf(agents: readonly Judged[]): (event: DetectionEvent) => Role {
  const judged = new Map(agents.map(agent => [agent.agent_id, agent]));
  return ({ agent_id, occurred_at, received_at }) => {
    const { from_at, until_at, began_at } = judged.get(agent_id) ?? nothing;
    if (occurred_at < from_at || received_at < began_at - DAY) return 'record';
    return received_at >= began_at && occurred_at <= until_at ? 'lesson' : 'judged';
  };
}

const nothing = { from_at: Infinity, until_at: Infinity, began_at: Infinity };

const Told = z.object({ place: z.number() });

/**
 * The findings of which no alert tells yet: one of the same detector that names the event; of conduct one of any that does, and is as strong. A stronger
 * one makes the alert graver, as it does where it is found at once.
 */
async function withoutTold(tx: Db, tenant: Tenant, findings: readonly EventFinding[]): Promise<EventFinding[]> {
  if (findings.length === 0) return [];
  const { org_id, environment } = tenant;
  const rows = findings.map(({ detector, event, finding }, place) => ({
    place,
    event_id: event.id,
    agent_id: event.agent_id,
    detector,
    score: finding.conduct_at === undefined ? null : finding.score,
  }));
  const told = await tx.any(sql.type(Told)`
    select r.place from ${tableOf('r', rows, { place: 'int8', event_id: 'text', agent_id: 'text', detector: 'text', score: 'numeric' })}
    where exists (
      select from alert_events n join alerts a on a.org_id = ${org_id} and a.environment = ${environment} and a.id = n.alert_id
      where ${linking(tenant, sql.fragment`r.event_id`)} and case
        when r.score is null then a.detector = r.detector
        else a.conduct_at is not null and a.agent_id = r.agent_id and a.score >= round(r.score, 1) end)`);
  const places = new Set(told.map(({ place }) => place));
  return findings.filter((_, place) => !places.has(place));
}
