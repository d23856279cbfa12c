import type { Context, Middleware, Next } from 'koa';
import { sql } from '#shared/db.ts';
import type { Services } from '#shared/services.ts';

const paths = new Set(['/livez', '/readyz', '/metrics']);

/** Paths for the machines that run the service; they need no credential and are not logged. */
export const isOperation = (path: string) => paths.has(path);

const READY_WITHIN = 1_000;

/**
 * `/livez`: the process answers. `/readyz`: it takes requests, which needs the database and not the queue; 503 while it shuts down.
 * `/metrics`: Prometheus text, on this port only in a sandbox without METRICS_PORT.
 */
export function operations({ config, db, metrics }: Services, isReady: () => boolean): Middleware {
  const publicMetrics = config.environment === 'sandbox' && config.metrics_port === undefined;
  return async (ctx: Context, next: Next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === '/livez') ctx.body = { status: 'ok' };
    else if (ctx.path === '/readyz') {
      const database = await answersInTime(db.query(sql.unsafe`select 1`));
      const ready = isReady() && database;
      ctx.status = ready ? 200 : 503;
      ctx.body = { status: ready ? 'ok' : isReady() ? 'no database' : 'shutting down' };
    } else if (ctx.path === '/metrics' && publicMetrics) {
      ctx.type = metrics.registry.contentType;
      ctx.body = await metrics.registry.metrics();
    } else return next();
    ctx.set('Cache-Control', 'no-store');
  };
}

async function answersInTime(query: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, READY_WITHIN, false);
  query.then(
    () => resolve(true),
    () => resolve(false),
  );
  return promise.finally(() => clearTimeout(timer));
}
