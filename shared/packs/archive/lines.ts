import type { QuerySqlToken } from 'slonik';
import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';

/** The tables whose rows leave the database with an event, each with the condition of its rows `r` for an event `e`, and their order. */
const parts = {
  events: { of: sql.fragment`r.chain_seq = e.chain_seq`, order: sql.fragment`r.chain_seq` },
  evidence: { of: sql.fragment`r.event_id = e.id`, order: sql.fragment`r.position` },
  signed_inputs: { of: sql.fragment`r.event_id = e.id`, order: sql.fragment`r.event_id` },
  verification_runs: { of: sql.fragment`r.chain_seq = e.chain_seq`, order: sql.fragment`r.number, r.id` },
  mandate_evaluations: { of: sql.fragment`r.chain_seq = e.chain_seq`, order: sql.fragment`r.mandate_id, r.number` },
  event_verdicts: { of: sql.fragment`r.chain_seq = e.chain_seq`, order: sql.fragment`r.chain_seq` },
};
type Part = keyof typeof parts;
const partNames = Object.keys(parts) as Part[];

/** Events of up to 1 MB each that are read at once. */
const AT_ONCE = 20;

const Line = z.object({ line: z.string(), chain_seq: z.int() });

/**
 * The lines of `events.ndjson`, one per event in the order of the log: for each table of `parts` the rows of the event, as PostgreSQL
 * writes them in JSON.
 */
export async function* readLines(
  db: Db,
  { org_id, environment }: Tenant,
  from_seq: number,
  to_seq: number,
): AsyncGenerator<string> {
  const members = partNames.map(
    name => sql.fragment`${name}::text, (
      select coalesce(json_agg(to_jsonb(r) order by ${parts[name].order}), '[]') from ${sql.identifier([name])} r
      where r.org_id = ${org_id} and r.environment = ${environment} and ${parts[name].of})`,
  );
  for (let after = from_seq - 1; after < to_seq;) {
    const rows = await db.any(sql.type(Line)`
      select e.chain_seq, json_build_object(${sql.join(members, sql.fragment`, `)})::text as line from events e
      where e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq > ${after} and e.chain_seq <= ${to_seq}
      order by e.chain_seq limit ${AT_ONCE}`);
    if (rows.length === 0) return;
    for (const { line } of rows) yield `${line.replaceAll('\n', ' ')}\n`;
    after = rows.at(-1)?.chain_seq ?? to_seq;
  }
}

const Rows = z.array(z.record(z.string(), z.unknown()));
const Parts = z.record(z.string(), Rows);

/** The parts of an archived event that its leaf and name need; hashes in hex, and counts of the rest. */
export type ArchivedEvent = {
  chain_seq: number;
  id: string;
  received_at: string;
  input: string;
  event_digest: string;
  leaf_hash: string;
  runs: number;
  evaluations: number;
  evidence_values: number;
};

const Own = z.object({
  chain_seq: z.int(),
  id: z.string(),
  received_at: z.string(),
  input: z.string(),
  event_digest: z.string(),
  leaf_hash: z.string(),
});

/** Parses a line. Throws when it is invalid. */
export function readLine(line: string): ArchivedEvent {
  const rows = Parts.parse(JSON.parse(line));
  const { event_digest, leaf_hash, received_at, ...own } = Own.parse(rows['events']?.[0]);
  return {
    ...own,
    received_at: new Date(received_at).toISOString(),
    event_digest: event_digest.replace('\\x', ''),
    leaf_hash: leaf_hash.replace('\\x', ''),
    runs: rows['verification_runs']?.length ?? 0,
    evaluations: rows['mandate_evaluations']?.length ?? 0,
    evidence_values: rows['evidence']?.filter(({ value }) => value !== null).length ?? 0,
  };
}

/**
 * The database as if the tables of `parts` held only the rows of these lines, or (`beside`) also what they hold. Nothing is written: for
 * queries that begin with `select`. Newer columns are null.
 */
export function withLines(db: Db, { org_id, environment }: Tenant, lines: readonly string[], beside = false): Db {
  const tables = partNames.map(name => {
    const table = sql.identifier([name]);
    // With stored rows beside them, the database must use its indexes; without, lines are read once.
    const begin = beside
      ? sql.fragment`not materialized (select * from ${table} union all`
      : sql.fragment`materialized (`;
    return sql.fragment`${table} as ${begin}
      select r.* from archived_lines l cross join lateral jsonb_populate_recordset(null::${table}, l.line -> ${name}) r
      where r.org_id = ${org_id} and r.environment = ${environment})`;
  });
  // As one text: sending an array costs several times as much.
  const before = sql.fragment`with archived_lines as materialized (
      select line::jsonb from string_to_table(${lines.join('\n')}, chr(10)) line),
    ${sql.join(tables, sql.fragment`, `)}`;
  const over = <Q extends Pick<QuerySqlToken, 'sql' | 'values'>>(query: Q): Q => {
    const whole = sql.fragment`${before} ${{ ...before, sql: query.sql, values: query.values }}`;
    return { ...query, sql: whole.sql, values: whole.values };
  };
  return {
    ...db,
    any: query => db.any(over(query)),
    one: query => db.one(over(query)),
    oneFirst: query => db.oneFirst(over(query)),
    maybeOne: query => db.maybeOne(over(query)),
    maybeOneFirst: query => db.maybeOneFirst(over(query)),
  };
}

/** Restores the rows of these lines to their tables. The database parses the lines itself: no number goes through this process. */
export async function putBack(tx: Db, { org_id, environment }: Tenant, lines: readonly string[]): Promise<void> {
  const parts = lines.map(line => Parts.parse(JSON.parse(line)));
  for (const name of partNames) {
    // A newer column gets its default.
    const first = parts.flatMap(rows => rows[name] ?? [])[0];
    if (!first) continue;
    const columns = sql.join(
      Object.keys(first).map(column => sql.identifier([column])),
      sql.fragment`, `,
    );
    const table = sql.identifier([name]);
    await tx.query(sql.unsafe`
      insert into ${table} (${columns})
      select ${columns} from (
        select r.* from unnest(${sql.array([...lines], 'text')}) l
        cross join lateral jsonb_populate_recordset(null::${table}, l::jsonb -> ${name}) r) r
      where r.org_id = ${org_id} and r.environment = ${environment}`);
  }
}
