import { createHash } from 'node:crypto';
import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { type Db, concatenated, sql } from '#shared/platform/db.ts';
import { auditInsert } from '#shared/interface/audit_log.ts';
import { invalidDetail, Problem, unavailable } from '#shared/interface/errors.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Logger } from '#shared/platform/log.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { versionsMove } from '#shared/interface/versions.ts';
import type { ReadyList } from './loaded_lists.ts';
import { withConfirmed } from './confirmed_matches.ts';
import { decideOutcome, type FoundMatch } from './outcome.ts';
import { foundIn, soughtOf } from './screen_payees.ts';
import type { Searched } from '#shared/screening/search/look.ts';
import type { Search } from '#shared/screening/search/search.ts';
import { entryNamesOf, pairKey } from '#shared/screening/store/screening_entries.ts';
import { type KeptMatch, matchesInsert, shownMatch } from '#shared/screening/store/screening_matches.ts';
import { areListsOf, usedList } from '#shared/screening/store/screening_lists.ts';
import { isThreshold } from '#shared/screening/store/screening_settings.ts';
import type { Pair } from '#shared/screening/store/screening_pairs.ts';
import { type Subject, subjectNames } from '#shared/screening/store/screening_query.ts';
import { screeningsInsert } from '#shared/screening/store/screening_writes.ts';
import type { Screening } from '#shared/screening/store/screenings.ts';
import { timestamp } from '#shared/values/time.ts';
import { prepareDeliveries } from '#shared/webhooks/webhook_deliveries.ts';

/** A question about a party, which changes nothing about a payee. */
export type Enquiry = {
  subject: Subject;
  /** The names of the lists to search; all of them by default. */
  lists: readonly string[] | undefined;
  threshold: number | undefined;
  limit: number;
  /** Who asks, and in which request. */
  actor_id: string | null;
  request_id: string | null;
  /** The registered payee that the question is about, with people's decisions on it and its confirmed matches. */
  about?: { payee_id: string; pairs: ReadonlyMap<string, Pair>; confirmed: readonly FoundMatch[] };
};

type Surroundings = {
  lists: readonly ReadyList[];
  /** The organization's threshold, for questions without one of their own. */
  usual_threshold: number;
  search: Search;
  log: Logger;
  now: () => number;
  /** Writes the audit log and the counters too; for callers outside a transaction that does so. */
  audited: boolean;
};

/** The answers in the order of the questions, an Error for one that failed, and the jobs to queue after the commit. */
type Answered = { answers: (Screening | Error)[]; jobs: Jobs['webhook'][] };

/** A question and its results. */
export type Sighted = { enquiry: Enquiry & { threshold: number }; searched: Searched };

/** Searches for the parties of these enquiries, without the database. The lists include the ones asked for: see `unknownList`. */
export async function sight(
  enquiries: readonly Enquiry[],
  { lists, usual_threshold, search }: Pick<Surroundings, 'lists' | 'usual_threshold' | 'search'>,
): Promise<Sighted[]> {
  const searches = enquiries.map(enquiry => ({ ...enquiry, threshold: enquiry.threshold ?? usual_threshold }));
  const results = await search.find(
    lists,
    searches.map(({ subject, lists: names, threshold, limit, about }) => ({
      ...soughtOf(subject, { threshold, limit, pairs: about?.pairs }),
      ...(names && { lists: names }),
    })),
  );
  return searches.map((enquiry, at) => ({
    enquiry,
    searched: results[at] ?? { failed: 'nothing was answered', too_much: false },
  }));
}

/**
 * Stores the results as screenings, all in one statement, with a webhook for each potential match, and returns them. With `usual_threshold` the
 * statement throws, and stores nothing, where the organization has another by now, or other lists.
 */
export async function answerSighted(
  db: Db,
  tenant: Tenant,
  sighted: readonly Sighted[],
  {
    lists,
    log,
    now,
    audited,
    usual_threshold,
  }: Pick<Surroundings, 'lists' | 'log' | 'now' | 'audited'> & { usual_threshold?: number },
): Promise<Answered> {
  const results = sighted.map(({ searched }) => ('failed' in searched ? searched : foundIn(lists, searched)));
  const entryNames = await entryNamesOf(
    db,
    results.flatMap(each => ('failed' in each ? [] : each.matches)),
  );
  const at = now();
  const answers = sighted.map(({ enquiry }, index): NewRecord | Error => {
    const result = results[index];
    if (result && !('failed' in result)) return keep(enquiry, result, { lists, entryNames, now: at });
    log.error({ error: result?.failed, request_id: enquiry.request_id }, 'nobody looked for');
    if (result?.too_much)
      return unavailable('The search for this payee took too long. Ask with fewer or shorter names and aliases.');
    return new Problem('internal', 'The search failed on our side. The request id finds it in the log.');
  });
  const new_screenings = answers.flatMap(answer => (answer instanceof Error ? [] : answer));
  const condition =
    usual_threshold === undefined
      ? null
      : sql.fragment`${areListsOf(tenant.org_id, lists)} and ${isThreshold(tenant, usual_threshold)}`;
  const jobs = await write(db, tenant, new_screenings, { audited, now: at, condition });
  return { answers: answers.map(answer => (answer instanceof Error ? answer : shown(answer))), jobs };
}

/** Answers questions of one organization: `sight`, then `answerSighted`. In a transaction it holds the connection while it searches. */
export const enquire = async (
  db: Db,
  tenant: Tenant,
  enquiries: readonly Enquiry[],
  surroundings: Surroundings,
): Promise<Answered> => {
  const { lists, log, now, audited } = surroundings;
  return answerSighted(db, tenant, await sight(enquiries, surroundings), { lists, log, now, audited });
};

/** The error when there are no lists, or none of a requested name; null otherwise. */
export function unknownList(lists: readonly ReadyList[], names: readonly string[] = []): Problem | null {
  if (lists.length === 0)
    return new Problem('no_lists', 'No list has been loaded, so that there is nothing to screen against.');
  const unknown = names.findIndex(name => !lists.some(list => list.name === name));
  if (unknown < 0) return null;
  return invalidDetail(
    `/lists/${unknown}`,
    'not_found',
    `There is no list of that name; there are ${lists.map(({ name }) => name).join(', ')}.`,
  );
}

/** A screening to be written: its public record, and its matches in full. */
type NewRecord = { screening: Omit<Screening, 'matches'>; matches: KeptMatch[]; request_id: string | null };

function keep(
  { subject, lists: names, threshold, limit, actor_id, request_id, about }: Enquiry & { threshold: number },
  { matches: candidates, allowed_by }: ReturnType<typeof foundIn>,
  { lists, entryNames, now }: { lists: readonly ReadyList[]; entryNames: ReadonlyMap<string, string>; now: number },
): NewRecord {
  const used = names ? lists.filter(({ name }) => names.includes(name)) : lists;
  const confirmed = about?.confirmed.filter(({ list_org, list }) =>
    used.some(({ org_id, name }) => org_id === list_org && name === list),
  );
  const matches = withConfirmed(
    candidates.map(match => ({ ...match, entry_names: entryNames.get(pairKey(match)) ?? '' })),
    confirmed,
  ).slice(0, limit);
  const pairs = about?.pairs ?? new Map<string, Pair>();
  const outcome = decideOutcome({ subject, matches, names: subjectNames(subject), pairs, latest: null, now });
  const screening = {
    id: newId('scr', now),
    state: outcome.state,
    payee_id: about?.payee_id ?? null,
    query: subject,
    score: outcome.score,
    threshold,
    allowed_by,
    lists: used.map(list => usedList(list, now)),
    error: null,
    created_at: timestamp(now),
    created_by: actor_id,
    updated_at: timestamp(now),
    reviewed_at: null,
    reviewed_by: null,
    decision: null,
    reason: null,
  };
  return { screening, matches: outcome.matches, request_id };
}

const shown = ({ screening, matches }: NewRecord): Screening => ({ ...screening, matches: matches.map(shownMatch) });

/** What the audit log says of a screening on demand. */
export const auditOf = ({ id, state, payee_id, score }: Omit<Screening, 'matches'>) => ({
  action: 'screening.created' as const,
  target_id: id,
  after: { state, payee_id, score },
});

const Nothing = z.object({});

/** Writes screenings in one statement, on this condition. Returns the jobs to queue after the commit. */
async function write(
  db: Db,
  tenant: Tenant,
  new_screenings: readonly NewRecord[],
  { audited, now, condition }: { audited: boolean; now: number; condition: FragmentSqlToken | null },
): Promise<Jobs['webhook'][]> {
  if (new_screenings.length === 0) return [];
  const potential = new_screenings.filter(({ screening }) => screening.state === 'potential_match');
  const notices = potential.map(({ screening: { id } }) => ({
    type: 'screening.potential_match' as const,
    data: { screening_id: id, event_id: null },
  }));
  const { insert, jobs } = await prepareDeliveries(db, tenant, notices, now);
  // Usually one group: people ask with the same key, threshold and lists.
  const alike = Map.groupBy(new_screenings, ({ screening: { created_by, threshold, lists } }) =>
    JSON.stringify([created_by, threshold, lists]),
  );
  const inserts = [...alike.values()].flatMap(group => {
    const [first] = group;
    if (!first) return [];
    const rows = group.map(({ screening: { query, ...row } }) => ({ ...row, subject: query }));
    return [screeningsInsert(tenant, rows, { ...first.screening, now })];
  });
  const entries = new_screenings.map(({ screening, request_id }) => ({
    ...auditOf(screening),
    actor_id: screening.created_by,
    request_id,
  }));
  const parts = [
    ...inserts,
    matchesInsert(
      tenant,
      new_screenings.map(({ screening: { id }, matches }) => ({ id, matches })),
    ),
    insert,
    ...(audited ? [auditInsert(tenant, entries, now), versionsMove([tenant], ['screenings', 'audit_log'])] : []),
  ].filter(part => part !== null);
  const statement = joined(parts, condition);
  // Of one group there are few texts. Parsing and planning cost more than writing one screening.
  const isUsual = inserts.length === 1;
  const query = isUsual ? sql.prepared(`keep_${digestOf(statement.sql)}`, Nothing)`` : sql.unsafe``;
  await db.query({ ...query, sql: statement.sql, values: statement.values });
  return jobs;
}

/** Several inserts as one statement, which does nothing but throw where the condition does not hold. */
const joined = (parts: readonly FragmentSqlToken[], condition: FragmentSqlToken | null): FragmentSqlToken =>
  concatenated([
    'with ',
    ...parts.flatMap((part, at) => [`${at === 0 ? '' : ', '}part_${at} as (`, part, ')']),
    ' select ',
    ...(condition ? ['must_hold(', condition, ')'] : []),
  ]);

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
