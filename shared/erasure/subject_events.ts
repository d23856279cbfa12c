import type { FragmentSqlToken } from 'slonik';
import { decodeTime } from 'ulid';
import { z } from 'zod';
import { receivedWithin } from '#shared/events/log/event_blocks.ts';
import { holding } from '#shared/events/log/holding.ts';
import { notFound, orNotFound } from '#shared/interface/errors.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { MINUTE, timestamp } from '#shared/values/time.ts';
import { needNoneArchived, type ErasureSubject } from './erasures.ts';

/** The condition on events `e` for a subject other than a piece of evidence. */
export const eventsOf = (tenant: Tenant, { kind, id }: ErasureSubject): FragmentSqlToken => {
  if (kind === 'evidence') throw new Error('a piece of evidence has no events');
  return holding(`${kind}_id`, tenant, id);
};

/** The events of a subject, or of a piece of evidence, as a condition on rows `e`. Throws `not_found`. */
export async function eventsWith(db: Db, tenant: Tenant, subject: ErasureSubject): Promise<FragmentSqlToken> {
  const { org_id, environment } = tenant;
  if (subject.kind !== 'evidence') return sql.fragment`events e where ${eventsOf(tenant, subject)}`;
  const { chain_seq } = await findPiece(db, tenant, subject.id);
  return sql.fragment`events e where e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = ${chain_seq}`;
}

const tables = {
  agent: sql.fragment`agents`,
  owner: sql.fragment`owners`,
  payee: sql.fragment`payees`,
};

/** Throws `not_found` when the tenant has no such subject, `conflict` when events of it are in archives. */
export async function needSubject(db: Db, tenant: Tenant, subject: ErasureSubject): Promise<void> {
  const { org_id, environment } = tenant;
  const { kind, id } = subject;
  if (kind === 'evidence') return void (await findPiece(db, tenant, id));
  await needNoneArchived(db, tenant, subject);
  const isThere = await db.exists(
    kind === 'payment'
      ? sql.unsafe`select from events e where ${eventsOf(tenant, subject)} limit 1`
      : sql.unsafe`select from ${tables[kind]} where org_id = ${org_id} and environment = ${environment} and id = ${id}`,
  );
  if (!isThere) throw notFound(kind);
}

const Piece = z.object({ chain_seq: z.number(), event_id: z.string(), position: z.number(), is_there: z.boolean() });

/**
 * Finds a piece of evidence by its id, whose first half is the time of arrival: events from around that time are searched first, then all
 * others, in case the clock of the receiving process was off. Throws `not_found`.
 */
export async function findPiece(db: Db, tenant: Tenant, id: string) {
  const { org_id, environment } = tenant;
  const at = decodeTime(id.slice(-26));
  const window = receivedWithin(tenant, {
    received_from: timestamp(at - MINUTE),
    received_to: timestamp(at + 2 * MINUTE),
  });
  const find = (conditions: FragmentSqlToken[]) =>
    db.maybeOne(sql.type(Piece)`
    select e.chain_seq, v.event_id, v.position, v.value is not null as is_there
    from events e
    join evidence v on v.org_id = e.org_id and v.environment = e.environment and v.event_id = e.id
    where ${sql.and([sql.fragment`e.org_id = ${org_id} and e.environment = ${environment}`, ...conditions])}
      and e.evidence_count > 0 and v.id = ${id}
    limit 1`);
  return orNotFound('piece of evidence', (await find(window)) ?? (await find([])));
}
