import type { Context, Middleware, Next } from 'koa';
import { refuseMethod } from './methods.ts';
import { describeSkew } from '#shared/platform/clock.ts';
import { stateOfDatabase } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';

const paths = new Set(['/livez', '/readyz', '/metrics']);

/** Paths for machines that run the service; they need no credential and are not logged. */
export const isOperation = (path: string) => paths.has(path);

/**
 * `/livez`: the process responds. `/readyz`: it accepts requests, which needs the database but not the queue; 503 while it shuts down. It
 * reports a wrong clock, which does no harm. `/metrics`: Prometheus text, on this port only in a sandbox without METRICS_PORT.
 */
export function operations(
  { config, probe, metrics, skew }: Pick<Services, 'config' | 'probe' | 'metrics' | 'skew'>,
  isReady: () => boolean,
): Middleware {
  const publicMetrics = config.environment === 'sandbox' && config.metrics_port === undefined;
  return async (ctx: Context, next: Next) => {
    if (!isOperation(ctx.path) || (ctx.path === '/metrics' && !publicMetrics)) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      refuseMethod(ctx, ['GET', 'HEAD']);
      return;
    }
    if (ctx.path === '/livez') ctx.body = { status: 'ok' };
    else if (ctx.path === '/readyz') {
      const database = await stateOfDatabase(probe);
      const status = isReady() ? database : 'shutting down';
      ctx.status = status === 'ok' ? 200 : 503;
      const clock = describeSkew(skew());
      ctx.body = { status, ...(clock && { clock }) };
    } else {
      ctx.type = metrics.registry.contentType;
      ctx.body = await metrics.text();
    }
    ctx.set('Cache-Control', 'no-store');
  };
}
