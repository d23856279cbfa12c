import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';
import { MINUTE, SECOND, timestamp } from '#shared/values/time.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { checkpointText, openCheckpoint } from './checkpoint_text.ts';
import { type Checkpoint, insertCheckpoint, latestCheckpoint } from './checkpoints.ts';
import { growTree } from './grow.ts';
import { LogFault } from './tiles.ts';
import { provesGrowth } from './merkle.ts';
import { createProver, type Prover } from './proofs.ts';
import { signNote } from './signed_note.ts';
import { currentSigningKey, publicKeys, type SigningKey } from './signing_keys.ts';
import type { Tree } from './tree_store.ts';

type PublishServices = Pick<Services, 'config' | 'db' | 'metrics' | 'log' | 'now'>;

/** How often a busy log gets a checkpoint. */
const EVERY = 10 * SECOND;
/** When a log that could not be signed is tried again. */
const AGAIN = MINUTE;

/**
 * Signs the current state of a log, unless it has not grown since its last checkpoint; with `at_least`, unless that covers this many
 * events. Returns the newest checkpoint. Null when there is nothing to sign, or when it must not be signed: before signing, the tree is
 * proven to continue the last checkpoint, and a log that no longer does is left as it is, counted and reported in the process's log.
 */
export async function publishCheckpoint(
  services: PublishServices,
  tenant: Tenant,
  { at_least = Infinity }: { at_least?: number } = {},
): Promise<Checkpoint | null> {
  const { config, db, metrics, log, now } = services;
  const origin = originOf(config.log_host, tenant);
  try {
    const latest = at_least < Infinity ? await latestCheckpoint(db, tenant) : null;
    if (latest && latest.size >= at_least) return latest;
    const key = await currentSigningKey(services);
    for (;;) {
      const signed = await db.transaction(async tx => {
        const { tree, is_whole } = await growTree(tx, tenant, origin);
        return is_whole ? await sign(tx, tenant, tree, { key, services }) : 'growing';
      });
      if (signed === 'growing') continue;
      if (signed?.isNew) log.info({ org_id: tenant.org_id, size: signed.checkpoint.size }, 'checkpoint signed');
      return signed?.checkpoint ?? null;
    }
  } catch (error) {
    if (!(error instanceof LogFault)) throw error;
    metrics.logFaults.inc();
    log.error({ error, ...tenant }, 'the log is not what was signed: it is not signed any further');
    await postpone(db, tenant, origin, now() + AGAIN);
    return null;
  }
}

/** The name of a new tree's log; an existing tree has its own. */
export const originOf = (log_host: string, { org_id, environment }: Tenant) => `${log_host}/${org_id}/${environment}`;

type Signing = { key: SigningKey; services: PublishServices };

/** Signs a tree that is held and has every leaf of its log; null where it has none. */
async function sign(tx: Db, tenant: Tenant, tree: Tree, { key, services: { config, now: clock } }: Signing) {
  const latest = await latestCheckpoint(tx, tenant);
  if (tree.checkpoint_size !== (latest?.size ?? 0))
    throw new LogFault('The newest checkpoint is not the one that was signed last.');
  if (latest?.size === tree.size) return { checkpoint: latest, isNew: false };
  if (tree.size === 0) return null;
  const prover = createProver(tx, tenant, tree.size);
  const root = await prover.root();
  if (latest) await needContinuation(tx, tree, latest, { prover, root, config });
  const { origin: name, size } = tree;
  const now = clock();
  const note = signNote(checkpointText({ origin: name, size, root }), { ...key, name });
  const checkpoint = { size, root_hash: root.toString('hex'), note, created_at: timestamp(now) };
  await insertCheckpoint(tx, tenant, checkpoint, key.kid);
  await tx.query(sql.unsafe`
    update log_trees set checkpoint_size = ${size}, next_at = ${timestamp(now + EVERY)}
    where org_id = ${tenant.org_id} and environment = ${tenant.environment}`);
  await moveVersions(tx, tenant, ['log_checkpoints']);
  return { checkpoint, isNew: true };
}

/** Throws `LogFault` unless the last checkpoint is genuine and the tree continues it. */
async function needContinuation(
  tx: Db,
  tree: Tree,
  latest: Checkpoint,
  { prover, root, config }: { prover: Prover; root: Buffer; config: Services['config'] },
): Promise<void> {
  const { keys } = await publicKeys({ config, db: tx });
  const signed = openCheckpoint(latest, tree.origin, keys);
  if (!signed) throw new LogFault(`The checkpoint of ${latest.size} leaves is not one that this deployment signed.`);
  const growth = { from: latest.size, to: tree.size, from_root: signed.root, to_root: root };
  if (latest.size > tree.size || !provesGrowth(growth, await prover.consistency(latest.size)))
    throw new LogFault(`The tree of ${tree.size} leaves does not begin with what was signed at ${latest.size}.`);
}

const postpone = (db: Db, { org_id, environment }: Tenant, origin: string, until: number) =>
  db.query(sql.unsafe`
    insert into log_trees (org_id, environment, origin, next_at) values (${org_id}, ${environment}, ${origin}, ${timestamp(until)})
    on conflict (org_id, environment) do update set next_at = excluded.next_at`);
