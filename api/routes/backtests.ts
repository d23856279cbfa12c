import { z } from 'zod';
import { route } from '#api/route.ts';
import { detectorParams } from './detectors.ts';
import { orNotFound } from '#shared/interface/errors.ts';
import { detectorNames } from '#shared/detection/detectors/index.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import {
  Backtest,
  BacktestDetail,
  createBacktest,
  findBacktest,
  listBacktests,
  NewBacktest,
} from '#shared/detection/backtest/backtests.ts';

export const backtests = [
  route({
    method: 'post',
    path: '/v1/detectors/{name}/backtest',
    operation_id: 'createBacktest',
    tag: 'Detectors',
    summary: 'Run a back-test of a detector',
    description: `A worker goes through the events of that time, as far as they were analyzed, and counts what would have been alerts; it
raises none. Each event is judged by what was known when it came, but by the verdicts and screenings that hold now; \`severity_floor\` is
not applied. At most 1,000,000 events are gone through, and five back-tests of an organization may be unfinished. One can be read for 90
days.`,
    access: { session: 'configure' },
    changes: ['backtests'],
    params: detectorParams,
    body: NewBacktest,
    errors: {
      '409': 'Five back-tests are unfinished, or the Idempotency-Key is in use',
      '422': 'The time is none or too long, or the Idempotency-Key was used for another request',
    },
    responses: [[202, 'The back-test, queued', BacktestDetail]],
    handle: async ({ params, body, caller, audit, afterCommit }, { db, queue, now }) => {
      const backtest = await createBacktest(db, caller, params.name, body, caller.actor_id, now());
      const { id, detector, from, to } = backtest;
      audit({ action: 'backtest.created', target_id: id, after: { detector, from, to, params: backtest.params } });
      const { org_id, environment } = caller;
      afterCommit(() => queue.add('backtest', [{ org_id, environment, backtest_id: id }]));
      return backtest;
    },
  }),

  route({
    method: 'get',
    path: '/v1/backtests',
    operation_id: 'listBacktests',
    tag: 'Detectors',
    summary: 'List back-tests, newest first',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: ['backtests'] },
    query: z.strictObject({ detector: z.enum(detectorNames).optional(), ...pageQuery }),
    responses: [[200, 'A page of back-tests', PageOf(Backtest).meta({ id: 'BacktestPage' })]],
    handle: ({ query, caller }, { db, config }) =>
      listBacktests(db, caller, query, pageRequest(config.secret_key, 'backtests', caller, query)),
  }),

  route({
    method: 'get',
    path: '/v1/backtests/{id}',
    operation_id: 'getBacktest',
    tag: 'Detectors',
    summary: 'Read one back-test with its findings',
    access: { scopes: ['alerts:read'], session: 'read' },
    version: { of: ['backtests'] },
    params: z.object({ id: Id('bkt') }),
    responses: [[200, 'The back-test', BacktestDetail]],
    handle: async ({ params, caller }, { db }) => orNotFound('back-test', await findBacktest(db, caller, params.id)),
  }),
];
