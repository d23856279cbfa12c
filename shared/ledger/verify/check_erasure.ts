import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { ErasureStatement, StatementReader } from '#shared/ledger/erasure_statement.ts';
import { type Db, sql } from '#shared/platform/db.ts';

const StatementRow = z.object({
  chain_seq: z.number(),
  statement: z.string(),
  id: z.string(),
  ground: z.string().nullable(),
  requested_by: z.string().nullable(),
  requested_at: z.string().nullable(),
});

/** The statement on the latest erasure of each event in a range; null when no key of this deployment signed it. */
export async function readErasures(
  db: Db,
  { org_id, environment }: Tenant,
  { from, to }: { from: number; to: number },
  readStatement: StatementReader,
): Promise<Map<number, ErasureStatement | null>> {
  const rows = await db.any(sql.type(StatementRow)`
    select distinct on (x.chain_seq) x.chain_seq, x.statement, x.erasure_id as id, r.ground, r.requested_by, r.requested_at
    from erased_events x
    left join erasures r on r.org_id = x.org_id and r.environment = x.environment and r.id = x.erasure_id
    where x.org_id = ${org_id} and x.environment = ${environment} and x.chain_seq >= ${from} and x.chain_seq <= ${to}
    order by x.chain_seq, x.number desc`);
  return new Map(
    rows.map(({ chain_seq, statement, ground, requested_at, ...erasure }) => {
      const stated =
        ground !== null && requested_at !== null
          ? readStatement(statement, { ...erasure, ground, requested_at })
          : null;
      return [chain_seq, stated?.chain_seq === chain_seq ? stated : null];
    }),
  );
}
