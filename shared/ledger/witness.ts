import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { byTenant } from '#shared/interface/by_tenant.ts';
import { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';
import { checkpointsAfter } from './checkpoints.ts';
import type { CheckpointWitness } from '#shared/settings/checkpoint_witness_setting.ts';
import { asError } from '#shared/interface/errors.ts';
import { createSender } from '#shared/webhooks/send.ts';
import { appendNote } from './witness_file.ts';

type Witness = {
  /** Sends checkpoints that it lacks, for every log in order of size. Those whose acknowledgment could not be stored are sent again. */
  tell(stopping: AbortSignal): Promise<void>;
};

type WitnessServices = Pick<Services, 'config' | 'db' | 'log' | 'metrics' | 'now'>;

/** Logs that are sent at once. */
const MOST_LOGS = 16;
/** Checkpoints of a log in one go. */
const MOST_CHECKPOINTS = 100;
/** Longer than one checkpoint can take: after this time another process may continue. */
const LEASE = 30 * SECOND;
const AGAIN = 10 * SECOND;

/** The witness of CHECKPOINT_WITNESS: a third party that keeps every checkpoint, so that nobody can rewrite them with the log. */
export function createWitness({ config, db, log, metrics, now }: WitnessServices): Witness {
  const witness = config.checkpoint_witness;
  if (!witness) return { tell: async () => {} };
  const send = createNoteSender(witness);

  async function tellLog({ org_id, environment, size }: Untold, stopping: AbortSignal): Promise<void> {
    const tenant = { org_id, environment };
    let witnessed = size;
    let fault: string | null = null;
    for (const checkpoint of await checkpointsAfter(db, tenant, size, MOST_CHECKPOINTS)) {
      fault = await unlessStopped(stopping, () => send(checkpoint.note));
      if (fault !== null) break;
      witnessed = checkpoint.size;
      await noteTold(db, tenant, witnessed, now() + LEASE);
    }
    const goesOn = stopping.aborted || (fault === null && witnessed > size);
    if (!goesOn) log.warn({ org_id, size: witnessed, fault }, 'checkpoint witness not told; it is tried again');
    await noteTold(db, tenant, witnessed, goesOn ? now() : now() + AGAIN);
  }

  return {
    async tell(stopping) {
      const since = await oldestUntold(db);
      metrics.witnessBehind.set(since === null ? 0 : Math.max(0, now() - Date.parse(since)) / SECOND);
      while (!stopping.aborted) {
        const waiting = await claimUntold(db, now());
        if (waiting.length === 0) return;
        await Promise.all(waiting.map(untold => tellLog(untold, stopping)));
      }
    },
  };
}

/** Stopping does not wait for an answer; a note under way is sent again. */
async function unlessStopped(stopping: AbortSignal, act: () => Promise<string | null>): Promise<string | null> {
  if (stopping.aborted) return STOPPING;
  const { promise, resolve } = Promise.withResolvers<string>();
  const stop = () => resolve(STOPPING);
  stopping.addEventListener('abort', stop);
  try {
    return await Promise.race([promise, act()]);
  } finally {
    stopping.removeEventListener('abort', stop);
  }
}

const STOPPING = 'the process stops';

const Untold = z.object({ org_id: z.string(), environment: z.string(), size: z.number() });
type Untold = z.infer<typeof Untold>;

/** Claims logs with checkpoints that the witness lacks and that no other process has claimed. */
async function claimUntold(db: Db, now: number): Promise<Untold[]> {
  const untold = await db.any(sql.type(Tenant)`
    select t.org_id, t.environment from log_trees t left join log_witnesses w using (org_id, environment)
    where t.checkpoint_size > coalesce(w.size, 0) and coalesce(w.next_at, '-infinity') <= ${timestamp(now)}
    order by w.next_at nulls first limit ${MOST_LOGS}`);
  return byTenant(untold, ({ org_id, environment }) =>
    db.any(sql.type(Untold)`
      insert into log_witnesses as w (org_id, environment, next_at) values (${org_id}, ${environment}, ${timestamp(now + LEASE)})
      on conflict (org_id, environment) do update set next_at = excluded.next_at where w.next_at <= ${timestamp(now)}
      returning org_id, environment, size`),
  );
}

const noteTold = (db: Db, { org_id, environment }: Tenant, size: number, next_at: number) =>
  db.query(sql.unsafe`
    update log_witnesses set size = greatest(size, ${size}), next_at = ${timestamp(next_at)}
    where org_id = ${org_id} and environment = ${environment}`);

/** The time of the oldest checkpoint that the witness lacks; null when it has all. */
const oldestUntold = (db: Db) =>
  db.oneFirst(sql.type(z.object({ since: z.string().nullable() }))`
    select min(c.created_at) as since from log_trees t left join log_witnesses w using (org_id, environment) cross join lateral (
      select created_at from log_checkpoints
      where org_id = t.org_id and environment = t.environment and size > coalesce(w.size, 0) order by size limit 1) c
    where t.checkpoint_size > coalesce(w.size, 0)`);

/** Hands a note to a witness; returns the reason of a failure, or null. Never throws, and never names the witness's address. */
type SendNote = (note: string) => Promise<string | null>;

/** Appends notes to the file, or posts each to the address as text. Any 2xx means accepted; redirects are not followed. */
const createNoteSender = (witness: CheckpointWitness): SendNote =>
  witness.file === undefined ? posting(new URL(witness.url)) : appending(witness.file);

/** The operator named the address, so it may be a private one. */
function posting(url: URL): SendNote {
  const send = createSender({ allow_private: true, https_only: false });
  const { username, password } = url;
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'user-agent': 'agent-payment-oversight',
    ...(username && { authorization: `Basic ${basic}` }),
  };
  const address = Object.assign(new URL(url), { username: '', password: '' }).href;
  return async note => {
    const { outcome, status, error } = await send(address, headers, Buffer.from(note));
    return outcome === 'delivered' ? null : (error ?? `it answered ${status}`);
  };
}

function appending(path: string): SendNote {
  return async note => {
    try {
      await appendNote(path, note);
      return null;
    } catch (thrown) {
      const error: Error & { code?: unknown } = asError(thrown);
      return `the file cannot be written (${String(error.code ?? error.name)})`;
    }
  };
}
