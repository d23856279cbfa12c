import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { KoaAdapter } from '@bull-board/koa';
import type { Context } from 'koa';
import { refuseMethod } from '#api/methods.ts';
import { type BoardAct, readBoardAct } from './board_acts.ts';
import { recorded } from './recorded.ts';
import { ofQueue, retryRecorded } from './retry.ts';
import type { ApiServices } from '#api/services.ts';
import { withDeadline } from '#shared/platform/deadline.ts';
import { conflict, forbidden, notFound, orNotFound } from '#shared/interface/errors.ts';
import type { JobKind } from '#shared/platform/jobs.ts';
import { jobKindNames } from '#shared/running/work/kinds/index.ts';
import { MOST_RETRIED } from '#shared/running/work/retry_failed.ts';
import { SECOND } from '#shared/values/time.ts';

const PATH = '/ops/queues';
/** All changes are below this path. */
const CHANGES = `${PATH}/api/queues/`;
const POLL = 10 * SECOND;
const LOOK_DEADLINE = 8 * SECOND;
const ACT_DEADLINE = 60 * SECOND;

/**
 * bull-board for the queues, on either engine. It has no credentials, audit log or cross-site protection of its own: the caller of this
 * function provides them, and this file. Its page loads nothing from other hosts.
 */
export function board(services: ApiServices): (ctx: Context, operator: string) => Promise<void> {
  const { config, queue } = services;
  const server = new KoaAdapter();
  server.setBasePath(PATH);
  createBullBoard({
    queues: jobKindNames.map(kind => new BullMQAdapter(queue.board(kind), { readOnlyMode: config.ops_read_only })),
    serverAdapter: server,
    options: {
      uiConfig: {
        boardTitle: 'Queues',
        hideDocsLink: true,
        // Both would poll the engine for what /ops shows from the database.
        showWorkers: false,
        hideRedisDetails: true,
        pollingInterval: { showSetting: false, forceInterval: POLL / SECOND },
        miscLinks: [{ text: 'Operations', url: '/ops' }],
      },
    },
  });
  const serve = server.registerPlugin();
  const next = async () => {};

  return async (ctx, operator) => {
    ctx.set('Content-Security-Policy', policy);
    if (!isReadable(ctx.path)) throw notFound('page');
    if (ctx.path.startsWith(`${PATH}/static/`)) ctx.set('Cache-Control', 'private, max-age=3600');
    if (ctx.method === 'GET' || ctx.method === 'HEAD') {
      await inTime(serve(ctx, next), LOOK_DEADLINE);
      if (ctx.type === 'text/html' && typeof ctx.body === 'string') ctx.body = withoutForeign(ctx.body);
      return;
    }
    if (!['PUT', 'POST', 'PATCH'].includes(ctx.method)) {
      refuseMethod(ctx, ['GET', 'HEAD', 'PUT']);
      return;
    }
    const request = ctx.path.startsWith(CHANGES) ? readBoardAct(ctx.path.slice(CHANGES.length)) : null;
    if (!request) throw forbidden('Not available here: work is recorded in the database, not in jobs.');
    // No offered act has a body, and its parser would fail on one that is not JSON.
    ctx['disableBodyParser'] = true;
    await act(ctx, operator, request);
  };

  /** Handles acts here that change rows too, and leaves the others to bull-board. */
  async function act(ctx: Context, operator: string, request: BoardAct): Promise<void> {
    const { act, kind, states } = request;
    if (act === 'retry failed' && kind !== null) {
      const done = await retryRecorded(ctx, { operator, kind, job_id: request.job_id }, services);
      if (request.job_id === undefined) ctx.body = done;
      else ctx.status = 204;
      return;
    }
    const listed = kind !== null && states.length > 0 ? await ofQueue(queue.ids(kind, states, MOST_RETRIED)) : [];
    const job_ids = request.job_id === undefined ? listed : [request.job_id];
    if (act === 'promote' && kind !== null && request.job_id !== undefined) await needDelayed(kind, request.job_id);
    await recorded(ctx, { operator, act, queue: kind, job_ids }, services, async () =>
      inTime(serve(ctx, next), ACT_DEADLINE),
    );
  }

  async function needDelayed(kind: JobKind, id: string): Promise<void> {
    const job = orNotFound('job', await ofQueue(withDeadline(queue.board(kind).getJob(id), LOOK_DEADLINE)));
    if (!(await ofQueue(withDeadline(job.isDelayed(), LOOK_DEADLINE)))) throw conflict('This job is not delayed.');
  }
}

/** Whether a path can be decoded and stored as text: anything else would be a fault for the engine. */
function isReadable(path: string): boolean {
  try {
    return !decodeURIComponent(path).includes('\0');
  } catch {
    return false;
  }
}

/** BullMQ waits forever for an engine that was never there. Throws `unavailable`. */
const inTime = (work: Promise<void>, milliseconds: number) => ofQueue(withDeadline(work, milliseconds));

/** Its page without another host's fonts, and without inline styles, which only matter while it loads. */
const withoutForeign = (html: string) =>
  html
    .replaceAll(/<link\b[^>]*\bhref="https?:[^>]*>/g, '')
    .replace(/<div id="root">[\s\S]*?(?=\n<script defer)/, '<div id="root"></div>');

// Only its own scripts and styles. The editor of jobs, which is not offered, is the only part that would create styles.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";
