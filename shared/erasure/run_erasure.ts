import { z } from 'zod';
import { recordAudit } from '#shared/interface/audit_log.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions, type Topic } from '#shared/interface/versions.ts';
import { currentSigningKey, type SigningKey } from '#shared/ledger/signing_keys.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';
import { emptyEvents, emptyPiece, namesOfSubject, nextEvents } from './empty_events.ts';
import { ErasureCounts, later } from './erasures.ts';
import { removeExports, removePacks } from './erase_files.ts';
import { addWords, eraseWords, forgetWords } from './erase_words.ts';
import { wordsOfKey } from './key_words.ts';
import { agentsOf, countNamed, eraseParties, partiesOf, wordsOf } from './parties.ts';

const Row = z.object({
  id: z.string(),
  subject: z.object({ kind: z.enum(['payment', 'agent', 'owner', 'payee', 'evidence']), id: z.string() }),
  ground: z.string(),
  requested_at: z.string(),
  requested_by: z.string().nullable(),
  stage: z.enum(['events', 'parties', 'words', 'packs', 'exports']),
  after: z.string(),
  events: z.number(),
  names: z.number(),
});
type Row = z.infer<typeof Row>;

/** The result of a step. `after`: where its stage continues; null when the stage is over. */
type Step = { after: string | null } & Partial<ErasureCounts>;

type Context = { tenant: Tenant; erasure: Row; key: SigningKey; now: number };

type ErasureServices = { config: Services['config']; db: Db; now: Services['now'] };

const stages: { name: Row['stage']; step: (tx: Db, context: Context) => Promise<Step> }[] = [
  { name: 'events', step: emptySome },
  { name: 'parties', step: emptyLastAndParties },
  { name: 'words', step: (tx, { tenant, erasure }) => eraseWords(tx, tenant, erasure) },
  { name: 'packs', step: (tx, { tenant, erasure, now }) => removePacks(tx, tenant, erasure, now) },
  { name: 'exports', step: removeAllExports },
];

/** The topics whose readers must reload after an erasure. */
export const erasureTopics = [
  'agents',
  'alerts',
  'audit_log',
  'cases',
  'erasures',
  'exports',
  'mandates',
  'owners',
  'packs',
  'payees',
  'saved_views',
  'screenings',
  'sources',
  'verdicts',
  'webhooks',
] as const satisfies Topic[];

/**
 * Performs the next step of an erasure in one transaction. Any process may repeat it until it returns that all is done; two at once wait
 * for each other.
 */
export const advanceErasure = (services: ErasureServices, tenant: Tenant, id: string): Promise<boolean> =>
  services.db.transaction(async tx => {
    const isDone = await takeStep({ ...services, db: tx }, tenant, id);
    await moveVersions(tx, tenant, erasureTopics);
    return isDone;
  });

/** Performs a whole erasure, or as much of it as there is time for until `stopping`. */
export async function runErasure(
  services: ErasureServices,
  tenant: Tenant,
  id: string,
  stopping?: AbortSignal,
): Promise<void> {
  while (!stopping?.aborted) if (await advanceErasure(services, tenant, id)) return;
}

/** Performs the first steps of an erasure within a transaction, as many as fit into a second. Returns whether all is done. */
export async function beginErasure(services: ErasureServices, tenant: Tenant, id: string): Promise<boolean> {
  const end = performance.now() + A_MOMENT;
  while (performance.now() < end) if (await takeStep(services, tenant, id)) return true;
  return false;
}

/** The longest that senders of events have to wait. */
const A_MOMENT = SECOND;

async function takeStep({ config, db, now }: ErasureServices, tenant: Tenant, id: string): Promise<boolean> {
  const { org_id, environment } = tenant;
  const here = sql.fragment`org_id = ${org_id} and environment = ${environment} and id = ${id}`;
  const key = await currentSigningKey({ config, db, now });
  const erasure = await db.maybeOne(sql.type(Row)`
    select id, jsonb_build_object('kind', subject_kind, 'id', subject_id) as subject, ground, requested_at, requested_by, stage, after, events, names
    from erasures where ${here} and state = 'running' for update`);
  if (!erasure) return true;
  const at = stages.findIndex(({ name }) => name === erasure.stage);
  const step = await stages[at]?.step(db, { tenant, erasure, key, now: now() });
  const next = step?.after === null ? stages[at + 1]?.name : erasure.stage;
  const { events = 0, evidence_values = 0, names = 0, packs = 0, saved_views = 0 } = step ?? {};
  // Events that arrived in the meantime.
  const after = step?.after ?? (next === 'parties' ? erasure.after : '');
  await db.query(sql.unsafe`
    update erasures set events = events + ${events}, evidence_values = evidence_values + ${evidence_values}, names = names + ${names},
      packs = packs + ${packs}, saved_views = saved_views + ${saved_views}, after = ${after}, stage = ${next ?? erasure.stage},
      state = ${next === undefined ? 'done' : 'running'}, next_at = ${next === undefined ? null : later(now())}::timestamptz,
      finished_at = ${next === undefined ? timestamp(now()) : null}::timestamptz
    where ${here}`);
  if (next === undefined) await forgetWords(db, tenant, id);
  if (next === undefined) await tellDone(db, tenant, id, now());
  return next === undefined;
}

async function emptySome(tx: Db, { tenant, erasure, key }: Context): Promise<Step> {
  const { subject, after } = erasure;
  if (subject.kind === 'evidence')
    return { after: null, evidence_values: await emptyPiece(tx, { tenant, erasure, key }, subject.id) };
  const { events, last } = await nextEvents(tx, tenant, subject, Number(after));
  await emptyEvents(tx, { tenant, erasure, key }, events);
  await addWords(tx, tenant, erasure.id, namesOfSubject(events, subject));
  return {
    after: last === null ? null : String(last),
    events: events.length,
    evidence_values: events.reduce((sum, { values }) => sum + values, 0),
  };
}

/** Removes the names of the parties, once no event has them any more; none can arrive in the meantime. */
async function emptyLastAndParties(tx: Db, context: Context): Promise<Step> {
  const { tenant, erasure } = context;
  const { org_id, environment } = tenant;
  const { kind, id } = erasure.subject;
  if (kind === 'evidence') return { after: null };
  // The log stays unlocked while all events of an owner's agents are read.
  const agents_seen = kind === 'owner' ? await agentsOf(tx, tenant, id) : undefined;
  await tx.query(sql.unsafe`
    select from event_logs where org_id = ${org_id} and environment = ${environment} for update`);
  const step = await emptySome(tx, context);
  if (step.after !== null) return step;
  const parties = await partiesOf(tx, tenant, erasure.subject, agents_seen);
  await addWords(tx, tenant, erasure.id, (await wordsOf(tx, tenant, parties)).flatMap(wordsOfKey));
  const names = await countNamed(tx, tenant, parties);
  await eraseParties(tx, tenant, parties);
  return { ...step, names };
}

async function removeAllExports(tx: Db, { tenant, erasure, now }: Context): Promise<Step> {
  const isAny = erasure.subject.kind !== 'evidence' && erasure.events + erasure.names > 0;
  const packs = isAny ? await removeExports(tx, tenant, erasure.id, now) : 0;
  return { after: null, packs };
}

async function tellDone(tx: Db, tenant: Tenant, id: string, now: number): Promise<void> {
  const { org_id, environment } = tenant;
  const after = await tx.one(sql.type(ErasureCounts)`
    select events, evidence_values, names, packs, saved_views from erasures
    where org_id = ${org_id} and environment = ${environment} and id = ${id}`);
  const entry = { action: 'erasure.done' as const, target_id: id, after };
  await recordAudit(tx, tenant, { actor_id: null, request_id: null }, [entry], now);
}
