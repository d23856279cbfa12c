import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { byWeight } from './chunks.ts';
import { PackEvidence } from '#shared/packs/pack_files.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** The position of an event with evidence, and its number of pieces. */
export type WithEvidence = readonly [chain_seq: number, pieces: number];

/** Pieces read at once: of 64 KB at most, these are 13 MB. */
const CHUNK = 200;

const Stored = PackEvidence.omit({ value: true, withheld: true }).extend({
  is_object: z.boolean(),
  value: z.string().nullable(),
});

/** The lines of `evidence.jsonl`: the evidence of these events, in their order. Values of the kinds in `redact` are never read. */
export async function* readEvidence(
  db: Db,
  { org_id, environment }: Tenant,
  events: Iterable<WithEvidence>,
  redact: readonly string[],
): AsyncGenerator<PackEvidence> {
  for (const chunk of byWeight(events, ([, pieces]) => pieces, CHUNK)) {
    const chain_seqs = chunk.map(([chain_seq]) => chain_seq);
    const rows = await db.any(sql.type(Stored)`
      select d.event_id, e.chain_seq, d.position, d.id, d.kind, d.media_type, d.encoding, d.label, encode(d.sha256, 'hex') as sha256,
        d.is_object, case when d.kind <> all(${sql.array(redact, 'text')}) then d.value end as value
      from events e
      join evidence d on d.org_id = e.org_id and d.environment = e.environment and d.event_id = e.id
      where e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = any(${sql.array(chain_seqs, 'int8')})
      order by e.chain_seq, d.position`);
    for (const { is_object, value, ...item } of rows)
      yield {
        ...item,
        value: value !== null && is_object ? (JSON.parse(value) as unknown) : value,
        withheld: value !== null ? null : redact.includes(item.kind) ? 'redacted' : 'erased',
      };
  }
}
