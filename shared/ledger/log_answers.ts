import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { invalidDetail, notYetPublished, orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { Checkpoint, checkpointAt, latestCheckpoint } from './checkpoints.ts';
import { leafHash, leafText } from '#shared/events/log/leaf.ts';
import type { ProverOf } from './proofs.ts';
import { originOf } from './publish.ts';
import {
  FailedVerification,
  LastVerification,
  readFailedVerification,
  readLastVerification,
} from '#shared/ledger/verify/noted.ts';

const Hashes = z.array(z.string()).meta({ description: 'SHA-256 each, in lower-case hex' });

export const Log = z
  .object({
    origin: z.string().meta({ description: 'the name of the log in its checkpoints' }),
    size: z.int().meta({ description: 'how many events it has: the last `chain_seq`' }),
    analyzed_seq: z.int().meta({ description: 'up to here detection went through it' }),
    archived_seq: z.int().meta({
      description: 'up to here events have left the lists for archives: each can still be read and proven by its id',
    }),
    checkpoint: Checkpoint.nullable().meta({ description: 'the newest; null before the first was signed' }),
    last_verified: LastVerification.nullable().meta({
      description: 'the latest verification over the API; null before the first',
    }),
    last_failed: FailedVerification.nullable().meta({
      description: 'the latest that failed, until the same events, or more, are found intact; null: there is none',
    }),
  })
  .meta({ id: 'Log' });
export type Log = z.infer<typeof Log>;

export const InclusionProof = z
  .object({
    event_id: Id('evt'),
    chain_seq: z.int(),
    leaf_index: z.int().meta({ description: '`chain_seq` − 1' }),
    leaf: z
      .string()
      .meta({ description: 'the bytes of the leaf: RFC 8785 text of position, arrival and digest of the event' }),
    leaf_hash: z.string().meta({ description: 'SHA-256 over 0x00 and the leaf' }),
    tree_size: z.int(),
    hashes: Hashes.meta({ description: 'the audit path from the leaf upward (RFC 6962 §2.1.1), in lower-case hex' }),
    checkpoint: Checkpoint.meta({ description: 'what the path leads to' }),
  })
  .meta({ id: 'InclusionProof' });
export type InclusionProof = z.infer<typeof InclusionProof>;

export const ConsistencyProof = z
  .object({
    from: z.int(),
    to: z.int(),
    hashes: Hashes.meta({ description: 'RFC 6962 §2.1.2, in lower-case hex; none from 0, or from a size to itself' }),
  })
  .meta({ id: 'ConsistencyProof' });
export type ConsistencyProof = z.infer<typeof ConsistencyProof>;

const State = z.object({
  size: z.number(),
  analyzed_seq: z.number(),
  archived_seq: z.number(),
  origin: z.string().nullable(),
});

/** The state of a log. One that was never opened is empty; `log_host` is the host it will be named after. */
export async function readLog(db: Db, tenant: Tenant, log_host: string): Promise<Log> {
  const here = sql.fragment`org_id = ${tenant.org_id} and environment = ${tenant.environment}`;
  const { size, analyzed_seq, archived_seq, origin } = await db.one(sql.type(State)`
    select coalesce((select size from event_logs where ${here}), 0) as size,
      coalesce((select seq from detection_cursors where ${here}), 0) as analyzed_seq,
      coalesce((select archived_seq from event_logs where ${here}), 0) as archived_seq,
      (select origin from log_trees where ${here}) as origin`);
  const checkpoint = await latestCheckpoint(db, tenant);
  const last_verified = await readLastVerification(db, tenant);
  const last_failed = await readFailedVerification(db, tenant);
  return {
    origin: origin ?? originOf(log_host, tenant),
    size,
    analyzed_seq,
    archived_seq,
    checkpoint,
    last_verified,
    last_failed,
  };
}

/** The dependencies of proofs. */
type Proving = { db: Db; proverOf: ProverOf };

const Logged = z.object({
  chain_seq: z.number(),
  received_at: z.string(),
  event_digest: z.string(),
});

/**
 * Proves that an event is in the log, archived or not, under the checkpoint of this size or the newest. Throws `not_found`,
 * `not_yet_published` when the event came after the newest checkpoint, `invalid_request` when there is no checkpoint of that size or the
 * event came after it.
 */
export async function proveEvent(
  { db, proverOf }: Proving,
  tenant: Tenant,
  event_id: string,
  size?: number,
): Promise<InclusionProof> {
  const here = sql.fragment`org_id = ${tenant.org_id} and environment = ${tenant.environment} and id = ${event_id}`;
  const event = orNotFound(
    'event',
    await db.maybeOne(sql.type(Logged)`
    select chain_seq, received_at, encode(event_digest, 'hex') as event_digest from events where ${here}
    union all
    select chain_seq, received_at, encode(event_digest, 'hex') from archived_events where ${here}`),
  );
  const { chain_seq, received_at, event_digest } = event;
  const leaf = { seq: chain_seq, received_at, event_digest };
  const checkpoint = size === undefined ? await latestCheckpoint(db, tenant) : await checkpointAt(db, tenant, size);
  if (size !== undefined && !checkpoint)
    throw invalidDetail(
      'query.size',
      'no_checkpoint',
      `There is no checkpoint of ${size} events; GET /v1/log/checkpoints lists those there are.`,
    );
  if (size !== undefined && chain_seq > size)
    throw invalidDetail(
      'query.size',
      'too_small',
      `This event is number ${chain_seq} of the log; size must be that or more.`,
    );
  if (!checkpoint || chain_seq > checkpoint.size)
    throw notYetPublished('No checkpoint covers this event yet; one is signed within seconds. Ask again.');
  const path = await proverOf(tenant, checkpoint.size).path(chain_seq - 1);
  return {
    event_id,
    chain_seq,
    leaf_index: chain_seq - 1,
    leaf: leafText(leaf),
    leaf_hash: leafHash(leaf).toString('hex'),
    tree_size: checkpoint.size,
    hashes: path.map(hash => hash.toString('hex')),
    checkpoint,
  };
}

/** Proves that the log of `to` events begins with the log of `from` events. Throws `invalid_request` for sizes without a checkpoint. */
export async function proveConsistency(
  { db, proverOf }: Proving,
  tenant: Tenant,
  from: number,
  to: number,
): Promise<ConsistencyProof> {
  const published = (await latestCheckpoint(db, tenant))?.size ?? 0;
  if (to > published)
    throw invalidDetail('query.to', 'too_big', `to must be at most ${published}, the size of the newest checkpoint.`);
  if (from > to) throw invalidDetail('query.from', 'too_big', 'from must be at most to.');
  const hashes = await proverOf(tenant, to).consistency(from);
  return { from, to, hashes: hashes.map(hash => hash.toString('hex')) };
}
