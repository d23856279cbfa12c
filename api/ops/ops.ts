import type { Context, Middleware, Next } from 'koa';
import { refuseMethod } from '#api/methods.ts';
import { identifyOperator } from './credential.ts';
import { overview } from './overview.ts';
import { opsPage, opsScript, opsStyle } from './page.ts';
import { replayPreview, retryPreview } from './preview.ts';
import { pauseAct, replayAct, retryAct } from './retry.ts';
import { pagePolicy as plainPolicy } from '#api/pages/page.ts';
import { needSameOrigin } from '#api/same_origin.ts';
import type { ApiServices } from '#api/services.ts';
import { forbidden } from '#shared/interface/errors.ts';

/**
 * `/ops`, the operators' view: queues, workers, failed jobs, and bull-board at `/ops/queues`. It exists only with OPS_CREDENTIAL, and
 * requires it; changes need OPS_READ_ONLY=false and a request of the same origin, and each is recorded before it is made.
 */
export function ops(services: ApiServices): Middleware {
  const { config } = services;
  const { ops_credential } = config;
  if (!ops_credential) return (_ctx, next) => next();
  let opened: Promise<(ctx: Context, operator: string) => Promise<void>> | undefined;
  /** bull-board takes a quarter of the API's start-up, and a connection per queue: it is loaded on demand. */
  const showBoard = async (ctx: Context, operator: string) => {
    opened ??= import('./board.ts').then(({ board }) => board(services));
    return (await opened)(ctx, operator);
  };
  return async (ctx: Context, next: Next) => {
    if (ctx.path !== '/ops' && !ctx.path.startsWith('/ops/')) return next();
    ctx.state['route'] = routeOf(ctx.path);
    ctx['compress'] = false;
    ctx.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex', 'Content-Security-Policy': pagePolicy });
    const operator = await identifyOperator(ctx, ops_credential, services);
    if (!isSafe(ctx.method)) {
      needSameOrigin(ctx.req, config.base_url);
      if (config.ops_read_only) throw forbidden('This view is read-only. Set OPS_READ_ONLY=false to allow changes.');
    }
    await serve(ctx, operator);
  };

  async function serve(ctx: Context, operator: string): Promise<void> {
    if (isBoard(ctx.path)) return showBoard(ctx, operator);
    const [, kind, job_id] = /^\/ops\/retry\/([a-z_]+)(?:\/([\w.-]{1,200}))?$/.exec(ctx.path) ?? [];
    if (kind) {
      if (isRead(ctx.method)) return show(ctx, await retryPreview(kind, job_id, services));
      if (ctx.method !== 'POST') return refuseMethod(ctx, ['GET', 'HEAD', 'POST']);
      return retryAct(ctx, { operator, kind, job_id }, services);
    }
    const [, org_id, endpoint_id] = /^\/ops\/replay\/(org_\w{26})\/(whe_\w{26})$/.exec(ctx.path) ?? [];
    if (org_id && endpoint_id) {
      if (isRead(ctx.method)) return show(ctx, await replayPreview(org_id, endpoint_id, services));
      if (ctx.method !== 'POST') return refuseMethod(ctx, ['GET', 'HEAD', 'POST']);
      return replayAct(ctx, { operator, org_id, endpoint_id }, services);
    }
    const [, act, queue] = /^\/ops\/(pause|resume)\/([a-z_]+)$/.exec(ctx.path) ?? [];
    if (queue && (act === 'pause' || act === 'resume')) {
      if (ctx.method !== 'POST') return refuseMethod(ctx, ['POST']);
      return pauseAct(ctx, { operator, act, kind: queue }, services);
    }
    const isPage = ['/ops', '/ops/style.css', '/ops/live.js'].includes(ctx.path);
    if (!isPage || !isSafe(ctx.method)) return refuseMethod(ctx, isPage ? ['GET', 'HEAD'] : []);
    if (ctx.path === '/ops') return show(ctx, opsPage(config, await overview(services)));
    ctx.type = ctx.path === '/ops/live.js' ? 'js' : 'css';
    ctx.body = await (ctx.path === '/ops/live.js' ? opsScript : opsStyle);
  }
}

function show(ctx: Context, page: string): void {
  ctx.type = 'html';
  ctx.body = page;
}

/** Our one script may run, and make requests to us. */
const pagePolicy = `${plainPolicy}; script-src 'self'; connect-src 'self'`;

const isRead = (method: string) => method === 'GET' || method === 'HEAD';

const isBoard = (path: string) => path === '/ops/queues' || path.startsWith('/ops/queues/');

const isSafe = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

/** The name of a path in the log and the metrics, without any external part. */
function routeOf(path: string): string {
  if (isBoard(path)) return '/ops/queues';
  if (path.startsWith('/ops/replay/')) return '/ops/replay/{endpoint}';
  if (path.startsWith('/ops/pause/') || path.startsWith('/ops/resume/')) return '/ops/pause/{kind}';
  return path.startsWith('/ops/retry/') ? '/ops/retry/{kind}' : '/ops';
}
