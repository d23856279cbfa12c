import { z } from 'zod';
import { applyMandates } from '#shared/reassessment/apply_mandates.ts';
import type { Assessor } from '#shared/assessment/assessor.ts';
import type { AsOf } from '#shared/assessment/assess.ts';
import { assessAgain } from '#shared/reassessment/assess_again.ts';
import { loadMandates } from '#shared/assessment/mandate_set.ts';
import {
  beginRecheck,
  moveRecheck,
  nextRecheck,
  nextReevaluation,
  type RecheckRow,
} from '#shared/events/ranges/rechecks.ts';
import { judgeBackfills, MOST_AGENTS, passOverBackfill } from '#shared/reassessment/judge_backfills.ts';
import { type KeptBook, reevaluate } from '#shared/reassessment/reevaluate.ts';
import { tellChanges } from '#shared/reassessment/tell_changes.ts';
import { createAssessor } from '#shared/assessment/assessor.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { asError } from '#shared/interface/errors.ts';
import { liesInTheData } from '#shared/platform/lies_in_the_data.ts';
import { holding } from '#shared/events/log/holding.ts';
import { readEvents } from '#shared/events/ranges/load.ts';
import { lockCursor } from '#shared/detection/consumer/cursor.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';

/** How many events are assessed again in one transaction; live detection of the log waits for it. */
const EVENTS_AT_ONCE = 100;

/**
 * Works through the rechecks of a log and what is due of its back-fills, part by part, until none is left or until `stopping`. Each part advances its
 * row in the same transaction, so a job that is lost or arrives twice does no harm.
 */
export function createHandler(services: Services, stopping: AbortSignal) {
  const { db, queue, log, now } = services;
  const assessor = createAssessor(services);
  return async (tenant: Jobs['recheck']): Promise<void> => {
    let book: KeptBook | null = null;
    while (!stopping.aborted) {
      const moment = { now: now(), rates: await assessor.rates.current() };
      const done = await db.transaction(
        async (tx): Promise<{ jobs: Jobs['webhook'][]; kept: KeptBook | null } | null> => {
          const seq = await lockCursor(tx, tenant);
          const recheck = await nextRecheck(tx, tenant);
          if (recheck) return { jobs: await runRecheck(tx, tenant, recheck, seq, assessor, moment), kept: null };
          const request = await nextReevaluation(tx, tenant);
          return request && reevaluate(tx, tenant, request, { seq, kept: book }, moment);
        },
      );
      const jobs = done?.jobs ?? (await judgePast(services, tenant, assessor));
      // Detection skips a log that is locked.
      await queue.add('detect', [tenant]);
      if (!jobs) return;
      book = done?.kept ?? null;
      await queue.add('webhook', jobs);
      log.info({ org_id: tenant.org_id, webhooks: jobs.length }, 'events assessed again');
    }
  };
}

/**
 * Judges the next part of what is due of a log's back-fills. If that fails because of the data, that of one agent alone, which is passed over if it is at
 * fault; that is recorded as a failure. Returns the webhooks to send; null: nothing is due.
 */
async function judgePast(
  { db, log, metrics, now }: Services,
  tenant: Tenant,
  assessor: Assessor,
): Promise<Jobs['webhook'][] | null> {
  const { org_id } = tenant;
  const judge = async (tx: Db, seq: number, most_agents: number) => {
    const judged = await judgeBackfills(tx, tenant, seq, { assessor, now: now(), most_agents });
    for (const { detector } of judged?.failures ?? []) metrics.detectionFailures.inc({ detector });
    return judged && judged.jobs;
  };
  const orElse = async <T>(work: Promise<T>, otherwise: () => Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      log.error({ error, org_id }, 'back-fill not judged');
      if (!liesInTheData(asError(error))) throw error;
      return otherwise();
    });
  return orElse(
    db.transaction(async tx => judge(tx, await lockCursor(tx, tenant), MOST_AGENTS)),
    () =>
      db.transaction(async tx => {
        const seq = await lockCursor(tx, tenant);
        return orElse(
          tx.transaction(part => judge(part, seq, 1)),
          async () => {
            const agent_id = await passOverBackfill(tx, tenant, seq, now());
            log.error({ org_id, agent_id }, 'back-fill passed over');
            metrics.detectionFailures.inc({ detector: 'all' });
            return [];
          },
        );
      }),
  );
}

async function runRecheck(tx: Db, tenant: Tenant, stored: RecheckRow, seq: number, assessor: Assessor, moment: AsOf) {
  const begins = stored.after_seq === 0;
  const recheck = begins ? { ...stored, to_seq: seq } : stored;
  if (begins) await beginRecheck(tx, tenant, recheck.id, seq);
  const part = await eventsOf[recheck.kind](tx, tenant, recheck);
  const jobs =
    recheck.kind === 'mandate'
      ? await applyMandate(tx, tenant, recheck, part, moment)
      : await assessAgain(tx, tenant, part, assessor, moment);
  await moveRecheck(tx, tenant, recheck.id, part.length < EVENTS_AT_ONCE ? null : (part.at(-1) ?? null));
  return jobs;
}

const Seq = z.object({ chain_seq: z.number() });

/** An event may be verified by one piece of evidence and inconclusive by another. */
const inconclusiveEvents = (tx: Db, { org_id, environment }: Tenant, { after_seq, to_seq }: RecheckRow) =>
  tx.anyFirst(sql.type(Seq)`
    select distinct r.chain_seq from verification_runs r
    where r.org_id = ${org_id} and r.environment = ${environment} and r.result = 'inconclusive'
      and r.chain_seq > ${after_seq} and r.chain_seq <= ${to_seq}
      and not exists (
        select from verification_runs l
        where l.org_id = r.org_id and l.environment = r.environment and l.chain_seq = r.chain_seq and l.kind = r.kind
          and l.evidence_id is not distinct from r.evidence_id and l.number > r.number)
    order by r.chain_seq limit ${EVENTS_AT_ONCE}`);

const eventsOfAgent = (tx: Db, tenant: Tenant, { mandate_id, from_at, after_seq, to_seq }: RecheckRow) =>
  tx.anyFirst(sql.type(Seq)`
    select e.chain_seq from events e
    where e.occurred_at >= ${from_at}
      and ${holding(
        'agent_id',
        tenant,
        sql.fragment`(select m.agent_id from mandates m
        where m.org_id = ${tenant.org_id} and m.environment = ${tenant.environment} and m.id = ${mandate_id})`,
      )}
      and (e.mandate_id is null or e.mandate_id = ${mandate_id}) and e.chain_seq > ${after_seq} and e.chain_seq <= ${to_seq}
    order by e.chain_seq limit ${EVENTS_AT_ONCE}`);

const provenEvents = (tx: Db, { org_id, environment }: Tenant, { after_seq, to_seq }: RecheckRow) =>
  tx.anyFirst(sql.type(Seq)`
    select chain_seq from events
    where org_id = ${org_id} and environment = ${environment} and (evidence_count > 0 or signed)
      and chain_seq > ${after_seq} and chain_seq <= ${to_seq}
    order by chain_seq limit ${EVENTS_AT_ONCE}`);

const eventsOf = { keys: inconclusiveEvents, mandate: eventsOfAgent, evidence: provenEvents };

/** Evaluates an agent's earlier payments against a mandate that was created later but already in force then. */
async function applyMandate(
  tx: Db,
  tenant: Tenant,
  { mandate_id, from_at }: RecheckRow,
  chain_seqs: readonly number[],
  moment: AsOf,
) {
  if (mandate_id === null || from_at === null || chain_seqs.length === 0) return [];
  const mandates = await loadMandates(tx, tenant, {
    agent_ids: [],
    mandate_ids: [mandate_id],
    earliest: Date.parse(from_at),
  });
  const events = await readEvents(tx, tenant, chain_seqs);
  const held = events
    .filter(event => event.mandate_id === mandate_id || mandates.isActive(mandate_id, event.occurred_at))
    .map(({ agent_id, payment_id }) => ({ mandate_id, agent_id, payment_id }));
  return tellChanges(tx, tenant, await applyMandates(tx, tenant, held, mandates, moment), moment.now);
}
