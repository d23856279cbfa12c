import type { Client } from 'pg';

type Stretch = { org_id: string; environment: string; block: string };

/** Blocks looked at in one transaction: some 20,000 events, during which ingest of their log waits where the last block is among them. */
const AT_ONCE = 10;

/**
 * Notes the amounts of blocks of the log (`event_blocks`) that were there before these were noted, while others read and write. Goes on where it
 * was interrupted. Until a block is noted, lists of some amounts look at all of its events.
 */
export async function fillBlocks(client: Client): Promise<void> {
  let after: Stretch = { org_id: '', environment: '', block: '-1' };
  for (;;) {
    const { rows } = await client.query<Stretch>(
      `select org_id, environment, block from event_blocks
       where smallest is null and (org_id, environment, block) > ($1, $2, $3::int8) order by org_id, environment, block limit $4`,
      [after.org_id, after.environment, after.block, AT_ONCE],
    );
    const [first] = rows;
    if (!first) return;
    const part = rows.filter(row => row.org_id === first.org_id && row.environment === first.environment);
    await fill(client, part, first);
    after = part.at(-1) ?? first;
  }
}

/** Nobody adds events to these blocks meanwhile. */
async function fill(client: Client, part: readonly Stretch[], { org_id, environment }: Stretch): Promise<void> {
  const blocks = [org_id, environment, part.map(({ block }) => block)];
  await client.query('begin');
  try {
    await client.query(
      `select from event_blocks where org_id = $1 and environment = $2 and block = any($3::int8[]) order by block for update`,
      blocks,
    );
    // A statement of its own sees what whoever held the locks has left.
    await client.query(
      `update event_blocks b set smallest = found.smallest, largest = found.largest
       from unnest($3::int8[]) as given (block) cross join lateral (
         select case when bool_or(e.is_open) then '-infinity' else coalesce(min(e.amount_usd_micro), 'infinity') end as smallest,
           case when bool_or(e.is_open) then 'infinity' else coalesce(max(e.amount_usd_micro), '-infinity') end as largest
         from (
           select amount_usd_micro, amount_usd_micro is null and (input::jsonb #>> '{payment,amount,currency}') is not null as is_open
           from events
           where org_id = $1 and environment = $2 and chain_seq >= given.block * 2048 and chain_seq < (given.block + 1) * 2048) e) found
       where b.org_id = $1 and b.environment = $2 and b.block = given.block and b.smallest is null`,
      blocks,
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
