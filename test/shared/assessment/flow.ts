import type { ExecutionContext } from 'ava';
import { asOwnerOf } from '#test/helpers/owner.ts';
import { z } from 'zod';
import { createAssessor } from '#shared/assessment/assessor.ts';
import { sql } from '#shared/platform/db.ts';
import { createDetectionCache } from '#shared/detection/load/detection_cache.ts';
import { analyzeRange } from '#shared/detection/consumer/range.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { newId } from '#shared/interface/ids.ts';
import { HOUR } from '#shared/values/time.ts';
import { event, type EventOptions } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';
import { createHandler as createRecheckHandler } from '#workers/handlers/recheck.ts';

/** When the payments of these tests are made: a Friday at noon; the service's clock shows six hours later. */
export const noon = Date.parse('2026-11-20T12:00:00.000Z');

type Json = Record<string, unknown>;

type FlowOptions = {
  settings?: Record<string, string>;
  start?: number;
  thresholds?: boolean;
  own_database?: boolean | undefined;
};

/** A service with an agent that has mandates, and someone who may configure it. */
export async function flow(
  t: ExecutionContext,
  { settings = {}, start = noon + 6 * HOUR, thresholds = false, own_database }: FlowOptions = {},
) {
  let time = start;
  const here = await world(t, { settings, now: () => time, thresholds, own_database });
  const { as, services, tenant, db } = here;
  const admin = await here.person('admin');
  const agent_id = newId('agt');
  const owner_id = newId('own');
  const cache = createDetectionCache();

  /** A payment of the agent, by its id, at a moment from noon on. */
  const pay = ({ at = 0, more = {}, ...options }: EventOptions = {}) =>
    event({
      at: noon + at,
      ...options,
      more: { agent_id, owner_id, agent: undefined, owner: undefined, ...more },
    });

  return {
    ...here,
    admin,
    agent_id,
    owner_id,
    pay,
    moveTo: (moment: number) => (time = moment),
    async mandate(constraints: Json[], more: Json = {}) {
      const { status, body } = await admin.post('/v1/mandates', {
        agent_id,
        owner_id,
        name: 'Supplies',
        constraints,
        ...more,
      });
      t.is(status, 201, JSON.stringify(body));
      return body;
    },
    /** Sends events in one batch, all of which are accepted. */
    async send(events: readonly object[]) {
      for (let start = 0; start < events.length; start += 1_000) {
        const part = events.slice(start, start + 1_000);
        const { body } = await as.post('/v1/events', { events: part });
        t.is(body.accepted, part.length, JSON.stringify(body).slice(0, 1_000));
      }
    },
    /** What a worker does with a recheck job: everything that is to be looked at again, to the end or until `stopping`. */
    recheck: (stopping = new AbortController().signal) => createRecheckHandler(services, stopping)(tenant),
    /** One part of that: the worker is told to stop when it tells the queue of it. */
    async recheckOnce() {
      const stopping = new AbortController();
      const queue = { ...services.queue, add: async () => stopping.abort() };
      await createRecheckHandler({ ...services, queue }, stopping.signal)(tenant);
    },
    /** Takes at most `limit` events through detection, as a process that has just started. */
    analyzeFresh: (limit: number) =>
      analyzeRange(db, tenant, {
        limit,
        detectors,
        cache: createDetectionCache(),
        assessor: createAssessor(services),
        now: () => time,
      }),
    /** Takes at most `limit` events through detection, as the process that did before. */
    analyzeOnce: (limit: number) =>
      analyzeRange(db, tenant, { limit, detectors, cache, assessor: here.assessor, now: () => time }),
    /** Passes over what is new, so that no verdict comes of it. */
    analyzePast: () =>
      analyzeRange(db, tenant, {
        limit: 1_000,
        detectors,
        cache: createDetectionCache(),
        assessor: createAssessor(services),
        now: () => time,
        pass_over: true,
      }),
    detail: async (id: string) => (await as.get(`/v1/events/${id}`)).body,
    /** How the events came out by their mandates, in the order given: `compliant`, or `breach` with the codes. */
    async results(events: readonly { id: string }[]) {
      const list: (string | null)[] = [];
      for (const { id } of events) {
        const { mandate_evaluation, mandate_evaluations } = (await as.get(`/v1/events/${id}`)).body;
        const codes = mandate_evaluations
          .flatMap(({ constraints }: { constraints: { code?: string }[] }) => constraints)
          .flatMap(({ code }: { code?: string }) => code ?? []);
        list.push(mandate_evaluation && [mandate_evaluation.result, ...new Set(codes)].join(' '));
      }
      return list;
    },
    async alerts(query: string) {
      const { body } = await as.get(`/v1/alerts?limit=200&${query}`);
      return body.data.toReversed();
    },
    /** The organization's rows in a table. */
    count: (from: string) =>
      db.oneFirst(sql.type(z.object({ count: z.number() }))`
        select count(*)::int8 as count from ${sql.identifier([from])} where org_id = ${tenant.org_id}`),
    /** Runs statements as the owner of the database. */
    asOwner: (...statements: string[]) => asOwnerOf(here.database, ...statements),
    /** Another organization, with a client of its own. */
    async rival() {
      const of = { org_id: (await here.organization('Rival')).id, environment: tenant.environment };
      return { of, as: here.client((await here.key(of.org_id)).key) };
    },
    /** Detection that is cut off when all is judged, as it moves the cursor; by the process of `analyze`. */
    async analyzeFailing() {
      let looks = 0;
      return analyzeRange(db, tenant, {
        limit: 1_000,
        detectors,
        cache,
        assessor: here.assessor,
        now: () => {
          looks += 1;
          if (looks > 2) throw new Error('the power went');
          return time;
        },
      });
    },
  };
}

export type Flow = Awaited<ReturnType<typeof flow>>;

/** $`dollars` in `interval`. */
export const budget = (dollars: number, interval = 'daily', more: Json = {}) => ({
  type: 'payment.budget',
  max: String(dollars * 100),
  currency: 'USD',
  interval,
  ...more,
});
