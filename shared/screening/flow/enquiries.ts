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
      const tenant = { org_id, environment };
      const { ready, sighted } = await sightNow(tenant, enquiries);
      const faults = enquiries.map(({ lists: names }) => unknownList(ready.lists, names));
      const answers = await keep(tenant, sighted, ready);
      return faults.map(fault => fault ?? answers.shift() ?? new Error('nothing was answered'));
    },
    { most: MOST_TOGETHER, at_once: AT_ONCE },
  );

  async function prepare(tenant: Tenant): Promise<Ready> {
    const [ready, usual_threshold] = await Promise.all([readyLists(lists, tenant.org_id), readThreshold(db, tenant)]);
    thresholds.set(tenant.org_id, usual_threshold);
    return { lists: ready, usual_threshold };
  }

  /**
   * Searches with the lists and the threshold that the organization had at its last question, while the database is asked for those it has;
   * again with these where they are others. Questions about a list that there is not are left out.
   */
  async function sightNow(
    tenant: Tenant,
    enquiries: readonly Enquiry[],
  ): Promise<{ ready: Ready; sighted: Sighted[] }> {
    const sightBy = (by: Ready) =>
      sight(
        enquiries.filter(({ lists: names }) => unknownList(by.lists, names) === null),
        { ...by, search },
      );
    const before = latest(tenant);
    const early = before && sightBy(before);
    early?.catch(() => {});
    const ready = await prepare(tenant);
    return { ready, sighted: await (early && isSame(before, ready) ? early : sightBy(ready)) };
  }

  function latest({ org_id }: Tenant): Ready | null {
    const [latest_lists, usual_threshold] = [lists.latest(org_id), thresholds.get(org_id)];
    return latest_lists && usual_threshold !== undefined ? { lists: latest_lists, usual_threshold } : null;
  }

  /** Stores the answers. If one of them makes the joint statement fail, each is written alone. */
  async function keep(tenant: Tenant, sighted: readonly Sighted[], ready: Ready): Promise<(Screening | Error)[]> {
    try {
      const { answers, jobs } = await answerSighted(db, tenant, sighted, { ...ready, log, now, audited: true });
      if (jobs.length > 0) void queue.add('webhook', jobs);
      return answers;
    } catch (error) {
      if (sighted.length <= 1 || error instanceof Problem || !liesInTheData(asError(error))) throw error;
      const alone: (Screening | Error)[] = [];
      for (const each of sighted) {
        const answers = await keep(tenant, [each], ready).catch((thrown: unknown) => [asError(thrown)]);
        const [answer] = answers;
        if (answer instanceof Error)
          log.error({ error: answer, request_id: each.enquiry.request_id }, 'answer not kept');
        alone.push(...answers);
      }
      return alone;
    }
  }

  return {
    one: ({ org_id }, enquiry) => together(org_id, enquiry),
    async several(tenant, { enquiries, lists: names }) {
      const { ready, sighted } = await sightNow(tenant, enquiries);
      const fault = unknownList(ready.lists, names);
      if (fault) throw fault;
      return keep(tenant, sighted, ready);
    },
  };
}

const isSame = (one: Ready | null, other: Ready): boolean =>
  one?.usual_threshold === other.usual_threshold &&
  one.lists.length === other.lists.length &&
  one.lists.every(({ index, name }, at) => index === other.lists[at]?.index && name === other.lists[at].name);

/** The lists in use. Throws `unavailable` while none can be used. */
export const readyLists = (lists: LoadedLists, org_id: string): Promise<ReadyList[]> =>
  lists.current(org_id).catch(() => {
    throw unavailable('The lists are being made ready. Ask again in a moment.');
  });
