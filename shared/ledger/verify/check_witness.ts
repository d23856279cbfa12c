import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { LogStatement } from '#shared/ledger/checkpoint_text.ts';
import { createSubtrees } from '#shared/ledger/subtrees.ts';
import { findTree } from '#shared/ledger/tree_store.ts';
import type { Flaw } from './check_events.ts';

/**
 * Compares a witness's statements with a log whose events, tree and checkpoints agree: each must have the root of the log at its size, and
 * the log's name. A statement beyond the log's end, or with another root or name, means that the log was rolled back or rewritten. Returns
 * how many statements there were up to the first of these.
 */
export async function checkWitness(
  db: Db,
  tenant: Tenant,
  statements: AsyncIterable<LogStatement>,
): Promise<{ statements: number; flaw: Flaw | null }> {
  const subtrees = createSubtrees(db, tenant);
  let [agreed, count] = [0, 0];
  for await (const portion of inParts(statements)) {
    // Read after the statements, so that the tree includes everything that the witness has seen.
    const tree = await findTree(db, tenant);
    const length = tree?.size ?? 0;
    const signed = await signedRoots(db, tenant, portion);
    for (const { origin, size, root } of portion) {
      count += 1;
      const signed_root =
        signed.get(size) ?? (size > 0 && size <= length && (await subtrees.rootsOf([{ from: 0, to: size }]))[0]);
      if (size > length || origin !== tree?.origin || (signed_root && !signed_root.equals(root)))
        return { statements: count, flaw: { seq: Math.min(agreed, length) + 1, reason: rolledBack(size) } };
      agreed = Math.max(agreed, size);
    }
  }
  return { statements: count, flaw: null };
}

const rolledBack = (size: number) =>
  `The witness was told of another log of ${size} events: this one was rolled back or written anew.`;

const AT_ONCE = 1_000;

async function* inParts(statements: AsyncIterable<LogStatement>): AsyncGenerator<LogStatement[]> {
  let part: LogStatement[] = [];
  for await (const statement of statements) {
    part.push(statement);
    if (part.length < AT_ONCE) continue;
    yield part;
    part = [];
  }
  yield part;
}

const Root = z.object({ size: z.number(), root_hash: z.instanceof(Buffer) });

async function signedRoots(db: Db, { org_id, environment }: Tenant, statements: readonly LogStatement[]) {
  const sizes = sql.array([...new Set(statements.map(({ size }) => size))], 'int8');
  const rows = await db.any(sql.type(Root)`
    select size, root_hash from log_checkpoints
    where org_id = ${org_id} and environment = ${environment} and size = any(${sizes})`);
  return new Map(rows.map(({ size, root_hash }) => [size, root_hash]));
}
