import type { Context, Middleware, Next } from 'koa';
import { refuseMethod } from '#api/methods.ts';
import { identifyOperator } from './credential.ts';
import { overview } from './overview.ts';
import { opsPage, opsStyle } from './page.ts';
import { replayAct, retryAct } from './retry.ts';
import { pagePolicy } from '#api/pages/page.ts';
import { needSameOrigin } from '#api/same_origin.ts';
import type { ApiServices } from '#api/services.ts';
import { forbidden } from '#shared/interface/errors.ts';

/**
 * `/ops`, the operators' view: queues, workers, failed jobs, and bull-board at `/ops/queues`. It is there where OPS_CREDENTIAL is set, and
 * asks for it; changes need OPS_READ_ONLY=false and a request of the same origin, and each is written down before it is made.
 */
export function ops(services: ApiServices): Middleware {
  const { config } = services;
  const { ops_credential } = config;
  if (!ops_credential) return (_ctx, next) => next();
  let opened: Promise<(ctx: Context, operator: string) => Promise<void>> | undefined;
  /** bull-board takes a quarter of the API's start to load, and a connection a queue: for whoever looks at it. */
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
      if (ctx.method !== 'POST') return refuseMethod(ctx, ['POST']);
      return retryAct(ctx, { operator, kind, job_id }, services);
    }
    const [, org_id, endpoint_id] = /^\/ops\/replay\/(org_\w{26})\/(whe_\w{26})$/.exec(ctx.path) ?? [];
    if (org_id && endpoint_id) {
      if (ctx.method !== 'POST') return refuseMethod(ctx, ['POST']);
      return replayAct(ctx, { operator, org_id, endpoint_id }, services);
    }
    const known = ctx.path === '/ops' || ctx.path === '/ops/style.css';
    if (!known || !isSafe(ctx.method)) return refuseMethod(ctx, known ? ['GET', 'HEAD'] : []);
    ctx.type = ctx.path === '/ops' ? 'html' : 'css';
    ctx.body = ctx.path === '/ops' ? opsPage(config, await overview(services)) : await opsStyle;
  }
}

const isBoard = (path: string) => path === '/ops/queues' || path.startsWith('/ops/queues/');

const isSafe = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

/** What the log and the metrics call a path: no part of it that comes from outside. */
function routeOf(path: string): string {
  if (isBoard(path)) return '/ops/queues';
  if (path.startsWith('/ops/replay/')) return '/ops/replay/{endpoint}';
  return path.startsWith('/ops/retry/') ? '/ops/retry/{kind}' : '/ops';
}
