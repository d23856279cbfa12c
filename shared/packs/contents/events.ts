import { hash } from 'node:crypto';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { statedOf } from '#shared/ledger/erasure_statement.ts';
import { leafHash } from '#shared/events/log/leaf.ts';
import { notTheLog } from '#shared/packs/build_failed.ts';
import { PackEvent } from '#shared/packs/pack_files.ts';
import { inChunks } from './chunks.ts';
import { eventsWithVerdicts } from '#shared/events/log/event_filters.ts';
import { erasureOf, eventColumns } from '#shared/events/log/events.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

const CHUNK = 500;

/**
 * The lines of `events.jsonl`: the events at these positions, ascending. Signed inputs are left out if they would show withheld evidence.
 * Throws `BuildFailed` for an event that does not match its leaf.
 */
export async function* readEvents(
  db: Db,
  { org_id, environment }: Tenant,
  chain_seqs: readonly number[],
  redact: readonly string[],
): AsyncGenerator<PackEvent> {
  for (const chunk of inChunks(chain_seqs, CHUNK)) {
    const events = await db.any(sql.type(PackEvent)`
      select ${eventColumns}, e.amount_usd_micro::text as amount_usd_micro, encode(e.event_digest, 'hex') as event_digest,
        encode(e.leaf_hash, 'hex') as leaf_hash, e.input::jsonb as input,
        ${erasureOf} as erasure,
        jsonb_build_object('id', a.id, 'external_id', a.external_id, 'name', a.name) as agent,
        jsonb_build_object('id', o.id, 'external_id', o.external_id, 'name', o.name) as owner,
        case when e.signed and not exists (
          select from evidence d
          where d.org_id = e.org_id and d.environment = e.environment and d.event_id = e.id
            and (d.value is null or d.kind = any(${sql.array(redact, 'text')}))
        ) then (
          select i.input from signed_inputs i
          where i.org_id = e.org_id and i.environment = e.environment and i.event_id = e.id) end as signed_input
      from ${eventsWithVerdicts}
      join agents a on a.org_id = e.org_id and a.environment = e.environment and a.id = e.agent_id
      join owners o on o.org_id = e.org_id and o.environment = e.environment and o.id = e.owner_id
      where e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = any(${sql.array(chunk, 'int8')})
      order by e.chain_seq`);
    for (const event of events) {
      needUnchanged(event);
      yield event;
    }
  }
}

/** Nothing is signed that differs from the log, or from what an erasure left of it. */
function needUnchanged({ chain_seq, received_at, input, erasure, event_digest, leaf_hash }: PackEvent): void {
  const isDigest =
    hash('sha256', canonicalJson(input)) === (erasure === null ? event_digest : statedOf(erasure)?.input_sha256);
  const leaf = leafHash({ seq: chain_seq, received_at, event_digest });
  if (!isDigest || leaf.toString('hex') !== leaf_hash) throw notTheLog(chain_seq);
}
