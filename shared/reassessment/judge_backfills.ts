import type { Assessor } from '#shared/assessment/assessor.ts';
import { loadStoredVerdicts } from '#shared/assessment/stored_verdicts.ts';
import { type Failure, judgeRangeInTurns, type Role } from '#shared/detection/consumer/judge_range.ts';
import { readSpreads } from '#shared/detection/consumer/cursor.ts';
import { tellFindings } from '#shared/detection/consumer/tell_findings.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { loadLessons } from '#shared/detection/load/load_lessons.ts';
import { loadOpen } from '#shared/detection/load/load_open.ts';
import { loadRange } from '#shared/detection/load/load_range.ts';
import { MOST_STRAYS } from '#shared/detection/model/late.ts';
import { needsOf } from '#shared/detection/model/needs.ts';
import { readAlertBudget } from '#shared/detection/settings/alert_budget.ts';
import { activeDetectors } from '#shared/detection/settings/detector_settings.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { duePasses, movePasses } from '#shared/events/ranges/backfills.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { DAY } from '#shared/values/time.ts';
import { loadBackfilled, type Part } from './load_backfilled.ts';
import { withoutTold } from './without_told.ts';

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
  const due = await duePasses(tx, tenant, { most: most_agents, most_strays: MOST_STRAYS, seq }, now);
  if (due.length === 0) return null;
  const { parts, events, cache } = await loadBackfilled(tx, tenant, due, seq);
  await movePasses(tx, tenant, parts, { most_strays: MOST_STRAYS, now });
  if (events.length === 0) return { jobs: [], failures: [] };
  const active = await activeDetectors(tx, tenant, of_conduct);
  const spreads = await readSpreads(tx, tenant);
  const unknown = new Map(parts.map(({ agent_id, since }) => [agent_id, since]));
  const range = await loadRange(tx, tenant, events, 0, cache, needsOf(active), undefined, { cursor: seq, unknown });
  const roleOf = rolesOf(parts);
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

/** Ends the pass that is judged next, of which nothing can be made. Returns its agent. */
export async function passOverBackfill(tx: Db, tenant: Tenant, seq: number, now: number): Promise<string | null> {
  const [pass] = await duePasses(tx, tenant, { most: 1, most_strays: MOST_STRAYS, seq }, now);
  await movePasses(tx, tenant, pass ? [{ ...pass, rest: null }] : [], { most_strays: MOST_STRAYS, now });
  return pass?.agent_id ?? null;
}

/**
 * What is made of the events at hand. Those before the part are the record, and so is what came after the pass began, which is judged by itself; what came
 * late and what came a day before it are judged, since that was judged without it; and from what came with it, which taught nothing yet, is learned.
 */
function rolesOf(parts: readonly Part[]): (event: DetectionEvent) => Role {
  const passOf = new Map(parts.map(({ agent_id, pass }) => [agent_id, pass]));
  return ({ agent_id, chain_seq, occurred_at, received_at }) => {
    const pass = passOf.get(agent_id);
    if (!pass || chain_seq > pass.upto_seq || received_at < pass.began_at - DAY) return 'record';
    if (occurred_at < pass.from_at || (occurred_at === pass.from_at && chain_seq <= pass.after_seq)) return 'record';
    return received_at >= pass.began_at && occurred_at <= pass.until_at ? 'lesson' : 'judged';
  };
}
