import type { Config } from '#shared/settings/config.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { LogStatement } from '#shared/ledger/checkpoint_text.ts';
import { type GrowingTree, growTreeFrom } from '#shared/ledger/growing_tree.ts';
import { HASH_BYTES } from '#shared/ledger/merkle.ts';
import { createArchiveCheck } from '#shared/ledger/archive_statement.ts';
import { createStatementReader, type StatementReader } from '#shared/ledger/erasure_statement.ts';
import { publicKeys } from '#shared/ledger/signing_keys.ts';
import { endOf } from '#shared/ledger/tiles.ts';
import { readStatements } from '#shared/ledger/witness_file.ts';
import { readStoredCheckpoints } from './check_checkpoint.ts';
import { readErasures } from './check_erasure.ts';
import { checkEvents, type Flaw } from './check_events.ts';
import { checkArchives } from './check_archives.ts';
import { checkEdge, checkFullTiles, checkLeaves, readLeaves } from './check_tiles.ts';
import { checkWitness } from './check_witness.ts';
import { boundsFlaw, type LogState, readLogState } from './log_state.ts';
import { createRootCheck, type RootCheck } from './root_check.ts';
import { z } from 'zod';

/**
 * `size` of the log, how many events were found sound, how many of these on the word of their archives, how many were erased, and the first thing that is not as it was. `statements`: how many the witness has of
 * this log; null where none was asked, or nothing was left to ask it.
 */
type Verified = {
  size: number;
  checked: number;
  archived: number;
  erased: number;
  flaw: Flaw | null;
  statements: number | null;
};

export type VerifyServices = { config: Pick<Config, 'secret_key' | 'log_signing_key'>; db: Db };

/** Events read at once: other work of this process waits for them, about 30 ms. */
const EVENTS_AT_ONCE = 500;

/**
 * Reads a whole log again and recomputes it: each event with its evidence, the tree over them, and the root at every checkpoint, whose
 * signature must be valid. For archived events it takes the leaf of the tree and compares it with the signed statement on the archive;
 * `checkArchive` reads the archives themselves. Its memory is bounded, and events that arrive meanwhile are ignored. `witness` is a file of
 * checkpoints kept by a third party; statements on a longer log are skipped if it `may_have_grown` since, such as after a backup; throws
 * the file system's error when it cannot be read.
 */
export async function verifyLog(
  { config, db }: VerifyServices,
  tenant: Tenant,
  { witness, may_have_grown = false }: { witness?: string | undefined; may_have_grown?: boolean } = {},
): Promise<Verified> {
  const state = await readLogState(db, tenant);
  const { keys } = await publicKeys({ config, db });
  const checkpoints = readStoredCheckpoints(db, tenant, state.last_checkpoint);
  const signed = await createRootCheck(checkpoints, state.origin ?? '', keys);
  const outside = boundsFlaw(state);
  const isEarlier = outside !== null && outside.seq !== null && outside.seq < 1;
  const readStatement = createStatementReader(tenant, keys);
  const { checked, erased, flaw } = isEarlier
    ? { checked: 0, erased: 0, flaw: outside }
    : await verifyEvents(db, tenant, { state, signed, readStatement });
  const first_flaw =
    flaw ??
    outside ??
    (await checkArchives(db, tenant, state, { from: 1, to: state.size }, createArchiveCheck(tenant, keys))) ??
    (await checkStrays(db, tenant));
  const sums = { size: state.size, checked, archived: Math.min(checked, state.archived_seq), erased };
  if (first_flaw || witness === undefined) return { ...sums, flaw: first_flaw, statements: null };
  const statements = readStatements(witness, tenant);
  const about = may_have_grown ? upTo(statements, state.size) : statements;
  return { ...sums, ...(await checkWitness(db, tenant, about)) };
}

async function* upTo(statements: AsyncIterable<LogStatement>, most: number): AsyncGenerator<LogStatement> {
  for await (const statement of statements) if (statement.size <= most) yield statement;
}

type Reading = { state: LogState; signed: RootCheck; readStatement: StatementReader };

async function verifyEvents(db: Db, tenant: Tenant, { state, signed, readStatement }: Reading) {
  const { size, tree_size } = state;
  const tree = growTreeFrom(0, Buffer.alloc(0));
  let erased = 0;
  for (let from = 1, to = 0; from <= size; from = to + 1) {
    to = endOfPart(state, from, size);
    const { leaves, flaw, ...part } = await checkPart(db, tenant, state, { from, to }, readStatement);
    erased += part.erased;
    const unlike = await checkLeaves(db, tenant, { from, leaves, tree_size });
    // Events after a flaw are not checked: they build on it.
    const sound = unlike?.seq ? leaves.subarray(0, (unlike.seq - from) * HASH_BYTES) : leaves;
    const first_flaw = (await growAndCheck(db, tenant, { tree, state, signed, leaves: sound })) ?? unlike ?? flaw;
    if (first_flaw) return { checked: tree.size, erased, flaw: first_flaw };
  }
  return { checked: size, erased, flaw: null };
}

/** The last event, up to `last`, of a part from `from` on: its events are either all archived, or none. */
export const endOfPart = ({ archived_seq }: Pick<LogState, 'archived_seq'>, from: number, last: number): number =>
  Math.min(from <= archived_seq ? archived_seq : last, last, from + EVENTS_AT_ONCE - 1);

/** Checks a part: for archived events that the tree has a leaf and each erasure is signed, all others against their stored data. */
export async function checkPart(
  db: Db,
  tenant: Tenant,
  { archived_seq, tree_size }: Pick<LogState, 'archived_seq' | 'tree_size'>,
  { from, to }: { from: number; to: number },
  readStatement: StatementReader,
): Promise<{ leaves: Buffer; erased: number; flaw: Flaw | null }> {
  if (from > archived_seq) return checkEvents(db, tenant, { from, to }, readStatement);
  const { leaves, flaw } = await readLeaves(db, tenant, { from, to, tree_size });
  const erasures = await readErasures(db, tenant, { from, to }, readStatement);
  const [unsigned] = [...erasures].flatMap(([seq, erasure]) => (erasure === null ? [seq] : []));
  if (unsigned === undefined) return { leaves, erased: erasures.size, flaw };
  const reason = `Event ${unsigned} is in an archive, and its erasure is not one that this deployment signed.`;
  return { leaves, erased: erasures.size, flaw: flaw ?? { seq: unsigned, reason } };
}

type Growing = { tree: GrowingTree; state: LogState; signed: RootCheck; leaves: Buffer };

/** Adds leaves, and compares the tree with the stored one at every checkpoint, full tile, and at its end. */
async function growAndCheck(db: Db, tenant: Tenant, { tree, state, signed, leaves }: Growing): Promise<Flaw | null> {
  const { tree_size, edge } = state;
  for (let at = 0; at < leaves.length; at += HASH_BYTES) {
    tree.add(leaves, at);
    const unsigned = tree.size === signed.size ? await signed.check(tree.root()) : null;
    const unlike = tree.size === tree_size ? checkEdge(tree_size, tree.edge(), edge ?? Buffer.alloc(0)) : null;
    if (unsigned ?? unlike) return unsigned ?? unlike;
  }
  // Leaf tiles were compared leaf by leaf.
  const full = tree.takeFull().filter(tile => tile.level > 0 && endOf(tile) <= tree_size);
  return checkFullTiles(db, tenant, { computed: full, tree_size });
}

/** Searches for evidence and signed inputs of events that are not in the log. */
async function checkStrays(db: Db, tenant: Tenant): Promise<Flaw | null> {
  for (const [table, name] of [
    ['evidence', 'evidence'],
    ['signed_inputs', 'what a signature covers'],
  ] as const) {
    const event_id = await firstStray(db, tenant, table);
    if (event_id !== null)
      return { seq: null, reason: `There is ${name} of an event ${event_id}, which is not in the log.` };
  }
  return null;
}

const AT_ONCE = 10_000;
const Part = z.object({ stray: z.string().nullable(), last: z.string().nullable() });

/** In short statements. An event and its parts become visible at the same moment. */
async function firstStray(db: Db, { org_id, environment }: Tenant, table: 'evidence' | 'signed_inputs') {
  for (let after = ''; ;) {
    const { stray, last } = await db.one(sql.type(Part)`
      select min(r.event_id) filter (where e.id is null) as stray, max(r.event_id) as last
      from (
        select event_id from ${sql.identifier([table])}
        where org_id = ${org_id} and environment = ${environment} and event_id > ${after} order by event_id limit ${AT_ONCE}) r
      left join events e on e.org_id = ${org_id} and e.environment = ${environment} and e.id = r.event_id`);
    if (stray !== null || last === null) return stray;
    after = last;
  }
}
