import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { firstIdAt, type IdPrefix } from '#shared/interface/ids.ts';
import { SESSION_LIFE } from '#shared/people/sessions.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { DAY } from '#shared/values/time.ts';
import { evidence } from './evidence.ts';
import { Candidate, type RetentionPage, type RetentionLook, type Retained, type Terms } from './retained.ts';

/** Why records of a compliance decision are kept. Sources: 31 CFR 1010.430(d), Regulation (EU) 2024/1624 article 77, 31 CFR 501.601. */
const LAW = 'laws against money laundering ask for five years; US sanctions rules for ten (3653 days)';

/** The kinds of records with a retention of their own. */
export const retainedKinds = [
  'deliveries',
  'findings',
  'screenings',
  'evidence',
  'audit',
  'sessions',
  'events',
] as const;
export type RetainedKind = (typeof retainedKinds)[number];

/** Events leave the log in stretches, through archives (`archive_events.ts`); all others are removed in place. */
export type RemovedKind = Exclude<RetainedKind, 'events'>;

export const retained: Record<RemovedKind, Retained> = {
  deliveries: {
    fewest_days: 7,
    why: 'an endpoint that was down for some days can be sent what it missed',
    most_days: null,
    topics: [],
    look: (db, { org_id, environment }, look) =>
      lookById(
        db,
        'whd',
        look,
        bound => sql.fragment`
        select id as key, created_at as at, state = 'pending' or coalesce(finished_at >= ${look.before}, false) as needed,
          array(select value from jsonb_each_text(body::jsonb -> 'data') where value is not null) as about
        from webhook_deliveries where org_id = ${org_id} and environment = ${environment} and ${bound}`,
      ),
    remove: (tx, { org_id, environment }, keys, before) =>
      tx.oneFirst(sql.type(Removed)`
        with gone as (
          delete from webhook_deliveries
          where org_id = ${org_id} and environment = ${environment} and id = any(${ids(keys)}) and state <> 'pending'
            and coalesce(finished_at < ${before}, true)
          returning id),
        attempts as (
          delete from webhook_attempts
          where org_id = ${org_id} and environment = ${environment} and delivery_id in (select id from gone))
        select count(*) as removed from gone`),
  },

  findings: {
    fewest_days: 90,
    why: 'the quality of a detector is shown over 90 days',
    most_days: null,
    topics: ['alerts'],
    look: (db, { org_id, environment }, look) =>
      lookById(
        db,
        'shf',
        look,
        bound => sql.fragment`
        select id as key, created_at as at, last_at >= ${look.before} as needed, array[event_id] as about
        from shadow_findings where org_id = ${org_id} and environment = ${environment} and ${bound}`,
      ),
    remove: async (tx, { org_id, environment }, keys, before) => {
      const { rowCount } = await tx.query(sql.unsafe`
        delete from shadow_findings
        where org_id = ${org_id} and environment = ${environment} and id = any(${ids(keys)}) and last_at < ${before}`);
      return rowCount;
    },
  },

  screenings: {
    fewest_days: 1826,
    why: LAW,
    most_days: null,
    topics: ['screenings'],
    // A payee's latest screening gives its state, and decisions are stored on the screening they were made in.
    look: (db, { org_id, environment }, look) =>
      lookById(
        db,
        'scr',
        look,
        bound => sql.fragment`
        select s.id as key, s.created_at as at, array[s.id] as about, s.state = 'potential_match' or s.updated_at >= ${look.before}
          or exists (
            select from payee_screenings p
            where p.org_id = s.org_id and p.environment = s.environment and p.payee_id = s.payee_id and p.screening_id = s.id)
          or exists (
            select from screening_pairs d
            where d.org_id = s.org_id and d.environment = s.environment and d.payee_id = s.payee_id and d.screening_id = s.id)
          as needed
        from screenings s where s.org_id = ${org_id} and s.environment = ${environment} and ${bound}`,
      ),
    remove: (tx, { org_id, environment }, keys) =>
      tx.oneFirst(sql.type(Removed)`select remove_screenings(${org_id}, ${environment}, ${ids(keys)}) as removed`),
  },

  evidence,

  audit: {
    fewest_days: 1826,
    why: LAW,
    most_days: null,
    topics: ['audit_log'],
    look: (db, { org_id, environment }, look) =>
      lookById(
        db,
        'aud',
        look,
        bound => sql.fragment`
        select id as key, at, false as needed, array_remove(array[target_id], null) as about
        from audit_log where org_id = ${org_id} and environment = ${environment} and ${bound}`,
      ),
    remove: (tx, { org_id, environment }, keys) =>
      tx.oneFirst(sql.type(Removed)`select remove_audit_entries(${org_id}, ${environment}, ${ids(keys)}) as removed`),
  },

  sessions: {
    fewest_days: 1,
    why: 'people sign in again after that, at the latest',
    most_days: SESSION_LIFE / DAY,
    topics: [],
    look: (db, { org_id }, look) =>
      lookById(
        db,
        'ses',
        look,
        bound => sql.fragment`
        select id as key, created_at as at, false as needed, '{}'::text[] as about from sessions where org_id = ${org_id} and ${bound}`,
      ),
    remove: async (tx, { org_id }, keys) => {
      const { rowCount } = await tx.query(sql.unsafe`
        delete from sessions where org_id = ${org_id} and id = any(${ids(keys)})`);
      return rowCount;
    },
  },
};

const Removed = z.object({ removed: z.int() });

const eventTerms: Terms = {
  fewest_days: 1826,
  why: LAW,
  most_days: null,
};

/** The limits of each kind's retention. */
export const termsOf = (kind: RetainedKind): Terms => (kind === 'events' ? eventTerms : retained[kind]);

const ids = (keys: readonly string[]) => sql.array([...keys], 'text');

/** Reads along the ids, which contain the time of creation. */
async function lookById(
  db: Db,
  prefix: IdPrefix,
  { after, before, limit }: RetentionPage,
  select: (bound: FragmentSqlToken) => FragmentSqlToken,
): Promise<RetentionLook> {
  const bound = sql.fragment`id > ${after} and id < ${firstIdAt(prefix, Date.parse(before))}`;
  const candidates = await db.any(sql.type(Candidate)`${select(bound)} order by id limit ${limit}`);
  return { candidates, next: candidates.length < limit ? null : (candidates.at(-1)?.key ?? null) };
}
