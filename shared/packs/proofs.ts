import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Checkpoint } from '#shared/ledger/checkpoints.ts';
import { rootOfPath } from '#shared/ledger/merkle.ts';
import { createProver } from '#shared/ledger/proofs.ts';
import { notTheLog } from './build_failed.ts';
import { inChunks } from '#shared/packs/contents/chunks.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

const CHUNK = 1_000;
const Leaf = z.object({ event_id: z.string(), chain_seq: z.int(), leaf_hash: z.string() });

/**
 * The lines of `log/proofs.jsonl`: the audit path (RFC 6962 §2.1.1) of each of these events, whose positions ascend, in the tree of a
 * checkpoint. Throws `BuildFailed` for one that does not lead to its root.
 */
export async function* readProofs(
  db: Db,
  tenant: Tenant,
  { size, root_hash }: Pick<Checkpoint, 'size' | 'root_hash'>,
  chain_seqs: readonly number[],
): AsyncGenerator<string> {
  const { org_id, environment } = tenant;
  const prover = createProver(db, tenant, size);
  for (const chunk of inChunks(chain_seqs, CHUNK)) {
    const leaves = await db.any(sql.type(Leaf)`
      select id as event_id, chain_seq, encode(leaf_hash, 'hex') as leaf_hash from events
      where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${sql.array(chunk, 'int8')})
      order by chain_seq`);
    for (const { event_id, chain_seq, leaf_hash } of leaves) {
      const leaf_index = chain_seq - 1;
      const path = await prover.path(leaf_index);
      const reached = rootOfPath(leaf_index, size, Buffer.from(leaf_hash, 'hex'), path);
      if (reached?.toString('hex') !== root_hash) throw notTheLog(chain_seq);
      const hashes = path.map(hash => hash.toString('hex'));
      yield `${JSON.stringify({ event_id, chain_seq, leaf_index, leaf_hash, hashes })}\n`;
    }
  }
}
