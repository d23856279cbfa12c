import { LRUCache } from 'lru-cache';
import { asError, Problem, unavailable } from '#shared/interface/errors.ts';
import type { Pool } from '#shared/platform/db.ts';
import { liesInTheData } from '#shared/platform/lies_in_the_data.ts';
import type { Logger } from '#shared/platform/log.ts';
import type { Queue } from '#shared/platform/queue.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { workTogether } from '#shared/platform/work_together.ts';
import type { Search } from '#shared/screening/search/search.ts';
import { readThreshold } from '#shared/screening/store/screening_settings.ts';
import type { Screening } from '#shared/screening/store/screenings.ts';
import { answerSighted, type Enquiry, sight, type Sighted, unknownList } from './enquire.ts';
import type { LoadedLists, ReadyList } from './loaded_lists.ts';

/** Answers questions about unregistered parties and stores the answers. */
export type Enquiries = {
  /**
   * Answers one, together with others of the same organization. Throws `no_lists`, `unavailable`, and `invalid_request` for an unknown
   * list.
   */
  one(tenant: Tenant, enquiry: Enquiry): Promise<Screening>;
  /**
   * Answers several of one request against the same lists; an Error stands in place of one that failed. Throws like `one`, for all of them.
   */
  several(
    tenant: Tenant,
    batch: { enquiries: readonly Enquiry[]; lists: readonly string[] | undefined },
  ): Promise<(Screening | Error)[]>;
};

type Parts = {
  environment: string;
  db: Pool;
  lists: LoadedLists;
  search: Search;
  queue: Queue;
  log: Logger;
  now: () => number;
};

type Ready = { lists: readonly ReadyList[]; usual_threshold: number };
type Answers = { lists: readonly ReadyList[]; answers: (Screening | Error)[] };

/** Organizations whose thresholds are remembered. */
const MOST_THRESHOLDS = 1_000;
/** Questions whose answers are stored in one statement. */
const MOST_TOGETHER = 100;
/** While the answers of one group are written, the next group is searched for. */
const AT_ONCE = 2;

export function createEnquiries({ environment, db, lists, search, queue, log, now }: Parts): Enquiries {
  const thresholds = new LRUCache<string, number>({ max: MOST_THRESHOLDS });
  const together = workTogether(
    async (org_id, enquiries: readonly Enquiry[]) => {
      const { lists: used_lists, answers } = await answer({ org_id, environment }, enquiries);
      const faults = enquiries.map(({ lists: names }) => unknownList(used_lists, names));
      return faults.map(fault => fault ?? answers.shift() ?? new Error('nothing was answered'));
    },
    { most: MOST_TOGETHER, at_once: AT_ONCE },
  );

  /**
   * Answers by the lists and the threshold of the organization's last question, which the statement that stores the answers checks; where it
   * refuses, by those in the database. Questions about a list that there is not are left out.
   */
  async function answer(tenant: Tenant, enquiries: readonly Enquiry[]): Promise<Answers> {
    const last = latest(tenant);
    const isAnswerable = last && enquiries.length > 0 && answerable(last.lists, enquiries).length === enquiries.length;
    const early = isAnswerable ? await sight(enquiries, { ...last, search }) : null;
    if (last && early) {
      try {
        return { lists: last.lists, answers: await store(tenant, early, last) };
      } catch (error) {
        if (!isRefused(error)) throw error;
      }
    }
    const ready = await prepare(tenant);
    const sighted =
      early && isSame(last, ready) ? early : await sight(answerable(ready.lists, enquiries), { ...ready, search });
    return { lists: ready.lists, answers: await keep(tenant, sighted, ready.lists) };
  }

  function latest({ org_id }: Tenant): Ready | null {
    const [latest_lists, usual_threshold] = [lists.latest(org_id), thresholds.get(org_id)];
    return latest_lists && usual_threshold !== undefined ? { lists: latest_lists, usual_threshold } : null;
  }

  async function prepare(tenant: Tenant): Promise<Ready> {
    const [ready, usual_threshold] = await Promise.all([readyLists(lists, tenant.org_id), readThreshold(db, tenant)]);
    thresholds.set(tenant.org_id, usual_threshold);
    return { lists: ready, usual_threshold };
  }

  async function store(
    tenant: Tenant,
    sighted: readonly Sighted[],
    by: { lists: readonly ReadyList[]; usual_threshold?: number },
  ): Promise<(Screening | Error)[]> {
    const { answers, jobs } = await answerSighted(db, tenant, sighted, { ...by, log, now, audited: true });
    if (jobs.length > 0) void queue.add('webhook', jobs);
    return answers;
  }

  /** Stores the answers. If one of them makes the joint statement fail, each is written alone. */
  async function keep(
    tenant: Tenant,
    sighted: readonly Sighted[],
    used_lists: readonly ReadyList[],
  ): Promise<(Screening | Error)[]> {
    try {
      return await store(tenant, sighted, { lists: used_lists });
    } catch (error) {
      if (sighted.length <= 1 || !isRefused(error)) throw error;
      const alone: (Screening | Error)[] = [];
      for (const each of sighted) {
        const answers = await keep(tenant, [each], used_lists).catch((thrown: unknown) => [asError(thrown)]);
        const [kept] = answers;
        if (kept instanceof Error) log.error({ error: kept, request_id: each.enquiry.request_id }, 'answer not kept');
        alone.push(...answers);
      }
      return alone;
    }
  }

  return {
    one: ({ org_id }, enquiry) => together(org_id, enquiry),
    async several(tenant, { enquiries, lists: names }) {
      const { lists: used_lists, answers } = await answer(tenant, enquiries);
      const fault = unknownList(used_lists, names);
      if (fault) throw fault;
      return answers;
    },
  };
}

/** Whether a search by one finds what a search by the other does. */
const isSame = (one: Ready | null, other: Ready): boolean =>
  one?.usual_threshold === other.usual_threshold &&
  one.lists.length === other.lists.length &&
  one.lists.every(({ index, name }, at) => index === other.lists[at]?.index && name === other.lists[at].name);

const answerable = (lists: readonly ReadyList[], enquiries: readonly Enquiry[]) =>
  enquiries.filter(({ lists: names }) => unknownList(lists, names) === null);

/** Whether the database does not take the answers, or one of them: not trouble that passes. */
const isRefused = (error: unknown) => !(error instanceof Problem) && liesInTheData(asError(error));

/** The lists in use. Throws `unavailable` while none can be used. */
export const readyLists = (lists: LoadedLists, org_id: string): Promise<ReadyList[]> =>
  lists.current(org_id).catch(() => {
    throw unavailable('The lists are being made ready. Ask again in a moment.');
  });
