import Koa, { type Context, type Next } from 'koa';
import { dashboard } from '#api/dashboard/dashboard.ts';
import { isDashboardPath } from '#api/dashboard/paths.ts';
import { isFramedPlainly } from './connections.ts';
import { docs } from './docs.ts';
import { compression, securityHeaders } from './headers.ts';
import { mount, type RequestState } from './mount.ts';
import { isOperation, operations } from './operations.ts';
import { ops } from '#api/ops/ops.ts';
import { isPagePath, pages } from '#api/pages/pages.ts';
import { problemOf, writeProblem } from './problem.ts';
import { routes } from '#api/routes/index.ts';
import type { ApiServices } from './services.ts';
import { invalidDetail, invalidRequest } from '#shared/interface/errors.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Config } from '#shared/settings/config.ts';

/** The HTTP application: every answer gets a Request-Id, a log line and a place in the metrics; errors become error bodies. */
export function createApp(services: ApiServices, isReady: () => boolean): Koa<RequestState> {
  const { trusted_proxies } = services.config;
  const app = new Koa<RequestState>({ proxy: trusted_proxies > 0, maxIpsCount: trusted_proxies });
  app.use(compression());
  app.use(securityHeaders(services.config));
  app.use((ctx, next) => trace(ctx, next, services, isReady));
  app.use(operations(services, isReady));
  app.use(ops(services));
  app.use(docs());
  app.use(dashboard(services.config));
  app.use(pages(services));
  mount(app, routes, services);
  // Koa reports connections here that broke while the response was being written.
  app.on('error', error => services.log.debug({ error }, 'answer not delivered'));
  return app;
}

/** Responds, as a span if requests are traced. The span names only the route: some paths carry a secret. */
function trace(ctx: Context, next: Next, services: ApiServices, isReady: () => boolean): Promise<void> {
  const request_id = newId('req');
  const run = () => answer(ctx, next, request_id, services, isReady);
  if (!services.tracing) return run();
  const { method, headers } = ctx.req;
  return services.tracing.request({ request_id, method: method ?? '', headers }, run, () => {
    const { route, caller } = ctx.state as RequestState;
    const attributes = { 'http.route': route, org_id: caller?.org_id };
    return { name: [method, route].filter(Boolean).join(' '), status: ctx.status, attributes };
  });
}

async function answer(
  ctx: Context,
  next: Next,
  request_id: string,
  { config, log, metrics }: ApiServices,
  isReady: () => boolean,
): Promise<void> {
  const start = performance.now();
  ctx.set('Request-Id', request_id);
  let path = '';
  try {
    path = readPath(ctx);
    if (!isRedirected(ctx, config)) await next();
  } catch (thrown) {
    const problem = problemOf(thrown);
    if (problem.status >= 500 && !problem.quiet)
      log.error({ error: thrown, request_id, route: ctx.state['route'] }, 'request failed');
    writeProblem(ctx, problem, request_id);
  }
  // A kept-alive connection would delay the stop.
  if (!isReady()) ctx.set('Connection', 'close');
  if (isOperation(path)) return;
  const { route = 'none', caller, waited = 0 } = ctx.state as RequestState;
  // The time that a request chose to wait says nothing about our speed.
  const ms = performance.now() - start - waited;
  metrics.httpDuration.observe({ method: ctx.method, route, status: ctx.status }, ms / 1000);
  // A poll without news is not worth a log line; the metrics count it.
  log[ctx.status === 304 ? 'debug' : 'info'](
    {
      request_id,
      method: ctx.method,
      route,
      status: ctx.status,
      ms: Math.round(ms),
      org_id: caller?.org_id,
      actor_id: caller?.actor_id,
      // Someone who tries keys and links is identified only by this.
      ip: ctx.status >= 400 && ctx.status < 500 ? ctx.ip : undefined,
    },
    'request',
  );
}

/** A trailing slash makes no difference: the API serves it, and pages redirect to the path without. */
function isRedirected(ctx: Context, { ops_credential }: Config): boolean {
  const path = ctx.path.slice(0, -1);
  if (!ctx.path.endsWith('/') || path === '' || path.endsWith('/')) return false;
  if (path.startsWith('/v1/') || isOperation(path)) ctx.path = path;
  const hasPage = path === '/docs' || isDashboardPath(path) || isPagePath(path) || (path === '/ops' && ops_credential);
  if (!hasPage) return false;
  ctx.status = 308;
  ctx.set({ Location: path + ctx.search, 'Cache-Control': 'no-store' });
  return true;
}

/** Checks that Node leaves to us: HTTP/1.1 requires exactly one Host (RFC 9112 §3.2); where a body ends is plain; `GET http://[/` has no path. */
function readPath(ctx: Context): string {
  if (ctx.req.httpVersion === '1.1' && ctx.req.headers.host === undefined)
    throw invalidDetail('header.host', 'required', 'An HTTP/1.1 request needs a Host header.');
  // Node keeps the first. A proxy in front may have used the second.
  if ((ctx.req.headersDistinct['host'] ?? []).length > 1)
    throw invalidDetail('header.host', 'repeated', 'A request has one Host header.');
  if (!isFramedPlainly(ctx.req))
    throw invalidDetail('header.transfer-encoding', 'unknown', 'Transfer-Encoding is chunked, or left out.');
  try {
    return ctx.path;
  } catch {
    throw invalidRequest('The request target is not a path such as /v1/events.');
  }
}
