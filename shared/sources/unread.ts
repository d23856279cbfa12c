import { z } from 'zod';
import { Id, newId } from '#shared/interface/ids.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { findCardNumber, holdsCardNumber } from '#shared/values/card_number.ts';
import { DAY, timestamp } from '#shared/values/time.ts';
import { readDelivery } from '#shared/verification/psp_webhook/delivery.ts';
import type { ReadingProblem } from './facts.ts';
import type { SignedWebhook } from './signed_webhook.ts';

/** How long an unread webhook is kept, in milliseconds. */
export const UNREAD_KEPT = 30 * DAY;
/** The most kept per source; the oldest are dropped. */
const MOST_KEPT = 1_000;
/** Bytes of the largest body that is kept: a larger one could not be evidence either. */
const MOST_BYTES = 65_536;
/** Characters of a body that a list shows. */
const MOST_SHOWN = 8_192;

const UnreadProblem = z.object({
  item: z.int().meta({ description: 'which of the notifications in one body, from 0' }),
  code: z.string().meta({ examples: ['no_agent'] }),
  message: z.string(),
  path: z.string().optional().meta({ description: 'where: in the body, or in the event that was made of it' }),
});

/** A signed webhook that could not be turned into events. */
export const UnreadWebhook = z
  .object({
    id: Id('unr'),
    source_id: Id('src'),
    received_at: Timestamp,
    tried_at: Timestamp.meta({ description: 'when it was last tried to read it' }),
    problems: z.array(UnreadProblem),
    body: z
      .string()
      .nullable()
      .meta({
        description: `its first ${MOST_SHOWN} characters; null where it was too large to keep (64 KB), or held a full card number`,
      }),
    body_bytes: z.int(),
  })
  .meta({ id: 'UnreadWebhook' });
export type UnreadWebhook = z.infer<typeof UnreadWebhook>;

type SourceOf = Tenant & { id: string };

const ofSource = ({ org_id, environment, id }: SourceOf) =>
  sql.fragment`org_id = ${org_id} and environment = ${environment} and source_id = ${id}`;

/** Keeps a webhook that could not be read; one with the same body is kept once. */
export async function keepUnread(db: Db, source: SourceOf, webhook: SignedWebhook, problems: ReadingProblem[]) {
  const { headers, delivery, body_hash, received_at, sent_at, notice } = webhook;
  const raw = delivery.raw ?? '';
  const bytes = Buffer.byteLength(raw);
  const at = timestamp(received_at);
  await db.query(sql.unsafe`
    insert into unread_webhooks (org_id, environment, source_id, id, body_hash, received_at, sent_at, notice, headers, body, body_bytes,
      problems, tried_at)
    values (${source.org_id}, ${source.environment}, ${source.id}, ${newId('unr', received_at)},
      ${sql.binary(Buffer.from(body_hash, 'hex'))}, ${at}, ${sent_at === null ? null : timestamp(sent_at)}, ${notice},
      ${JSON.stringify(headers)}::jsonb, ${bytes <= MOST_BYTES && mayKeep(webhook) ? raw : null}, ${bytes},
      ${problemsText(problems)}::jsonb, ${at})
    on conflict (org_id, environment, source_id, body_hash) do nothing`);
  await db.query(sql.unsafe`
    delete from unread_webhooks where ${ofSource(source)} and id <= (
      select id from unread_webhooks where ${ofSource(source)} order by id desc offset ${MOST_KEPT} limit 1)`);
}

/**
 * A body with a full card number is not kept, nor one that the database cannot hold. In an object the number is searched by member names;
 * in an array, a form, or ambiguous JSON it may be anywhere.
 */
function mayKeep({ delivery: { raw, payload } }: SignedWebhook): boolean {
  if (raw === null) return true;
  if (raw.includes('\0')) return false;
  if (payload.kind === 'object') return findCardNumber(payload.object) === null;
  // In a form a space is a plus or escaped, and in JSON anything may be escaped.
  return !holdsCardNumber(raw.replaceAll(/\+|%20|%2d|\\u0020|\\u002d/gi, ' '));
}

/** A message may quote the sender: parts the database cannot hold are replaced, and card numbers removed. */
const problemsText = (problems: ReadingProblem[]) =>
  JSON.stringify(problems.slice(0, 50), (_, value: unknown) => (typeof value === 'string' ? storable(value) : value));

const storable = (text: string): string =>
  holdsCardNumber(text) ? 'It holds a card number.' : text.toWellFormed().replaceAll('\0', '\ufffd');

/** The unread webhooks of a source, newest first. */
export async function listUnread(db: Db, source: SourceOf, page: PageRequest): Promise<Page<UnreadWebhook>> {
  const rows = await db.any(sql.type(UnreadWebhook)`
    select id, source_id, received_at, tried_at, problems, left(body, ${MOST_SHOWN}) as body, body_bytes
    from unread_webhooks
    where ${sql.and([ofSource(source), page.after !== null && sql.fragment`id < ${page.after}`])}
    order by id desc limit ${page.limit + 1}`);
  return pageOf(rows, page, ({ id }) => id);
}

/** Webhooks last tried up to this time, longest ago first; `webhook` is null if the body was not kept. */
export async function unreadTriedUpTo(db: Db, source: SourceOf, time: number, limit: number) {
  const rows = await db.any(sql.type(UnreadRow)`
    select id, encode(body_hash, 'hex') as body_hash, received_at, sent_at, notice, headers, body from unread_webhooks
    where ${ofSource(source)} and tried_at <= ${timestamp(time)}
    order by tried_at, id limit ${limit}`);
  return rows.map(({ id, headers, body, body_hash, received_at, sent_at, notice }) => {
    const delivery = body === null ? null : readDelivery({ headers, body });
    const times = { received_at: Date.parse(received_at), sent_at: sent_at === null ? null : Date.parse(sent_at) };
    return { id, webhook: delivery && { headers, delivery, body_hash, notice, ...times } };
  });
}

const UnreadRow = z.object({
  id: z.string(),
  body_hash: z.string(),
  received_at: z.string(),
  sent_at: z.string().nullable(),
  notice: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
});

/** Removes webhooks that were read, and records for the others why not, and that they were tried. */
export async function settleUnread(
  db: Db,
  source: SourceOf,
  tried: readonly { id: string; problems: ReadingProblem[] }[],
  time: number,
): Promise<void> {
  const read = tried.flatMap(({ id, problems }) => (problems.length === 0 ? id : []));
  const rows = tried.flatMap(({ id, problems }) =>
    problems.length > 0 ? { id, problems: problemsText(problems) } : [],
  );
  await db.query(sql.unsafe`
    delete from unread_webhooks where ${ofSource(source)} and id = any(${sql.array(read, 'text')})`);
  await db.query(sql.unsafe`
    update unread_webhooks as u set tried_at = ${timestamp(time)}, problems = r.problems
    from ${tableOf('r', rows, { id: 'text', problems: 'jsonb' })}
    where u.org_id = ${source.org_id} and u.environment = ${source.environment} and u.source_id = ${source.id} and u.id = r.id`);
}

/** How many were last tried up to this time: at most as many as are kept. */
export const countUnread = (db: Db, source: SourceOf, time: number): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::int as count from unread_webhooks where ${ofSource(source)} and tried_at <= ${timestamp(time)}`);
