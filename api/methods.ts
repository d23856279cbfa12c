import type { Context } from 'koa';
import { Problem } from '#shared/interface/errors.ts';

/**
 * Responds to a method that a path does not have: OPTIONS lists the methods, anything else throws `method_not_allowed` with Allow (RFC 9110
 * §15.5.6), or `not_found` for an unknown path.
 */
export function refuseMethod(ctx: Context, methods: readonly string[]): void {
  if (methods.length === 0)
    throw new Problem(
      'not_found',
      ctx.accepts('json', 'html') === 'html'
        ? 'Check the address, or search for the record in the dashboard.'
        : 'There is nothing at this path. GET /v1/openapi.json lists what there is.',
    );
  const allow = [...new Set([...methods, 'OPTIONS'])].toSorted().join(', ');
  if (ctx.method !== 'OPTIONS') {
    throw new Problem('method_not_allowed', `This path answers ${allow}.`, { headers: { Allow: allow } });
  }
  ctx.status = 204;
  ctx.set('Allow', allow);
}
