import Router from '@koa/router';
import type { Context } from 'koa';
import type { z } from 'zod';
import type { KeyCaller } from '#api/caller.ts';
import { readJsonBody } from '#api/json_body.ts';
import { isReply, type Route } from '#api/route.ts';
import type { ApiServices } from '#api/services.ts';
import { forbidden, invalidDetail, invalidRequest, notFound, Problem } from '#shared/errors.ts';
import { validate } from '#shared/issues.ts';

/** What a request's log line and metrics say of it besides its status. */
export type RequestState = { route?: string; caller?: KeyCaller };

/**
 * Turns routes into a router. Every request takes the same way: who calls, may they, what do they send, the handler, the answer.
 * A path of no route is 404, a method its path does not have is 405 with Allow.
 */
export function mount(routes: Route[], services: ApiServices): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  for (const route of routes) {
    router.register(route.path.replaceAll(/\{(\w+)\}/g, ':$1'), [route.method], (ctx: Context) =>
      serve(route, ctx, services),
    );
  }
  return router;
}

/** Answers 404 or 405 to what no route took, and OPTIONS to what one would take. */
export function unrouted(router: Router<RequestState>, ctx: Context): void {
  const methods = new Set(router.match(ctx.path, 'TRACE').path.flatMap(layer => layer.methods));
  if (methods.size === 0)
    throw new Problem('not_found', 'There is nothing at this path. GET /v1/openapi.json lists what there is.');
  const allow = [...methods, 'OPTIONS'].toSorted().join(', ');
  if (ctx.method !== 'OPTIONS') {
    throw new Problem('method_not_allowed', `This path answers ${allow}.`, { headers: { Allow: allow } });
  }
  ctx.status = 204;
  ctx.set('Allow', allow);
}

async function serve(route: Route, ctx: Context, services: ApiServices): Promise<void> {
  ctx.state['route'] = route.path;
  const caller =
    route.access === 'public' ? undefined : await services.callers.identify(ctx.get('Authorization') || undefined);
  ctx.state['caller'] = caller;
  if (caller) permit(route, caller);
  const body = route.body ? await readJsonBody(ctx.req) : undefined;
  const input = {
    caller,
    query: parseQuery(route, ctx.querystring),
    body: route.body && !route.loose_body ? parseBody(route.body, body) : body,
    params: parseParams(route, ctx['params'] as Record<string, string>),
  };
  const result = await route.handle(input as never, services);
  const success = route.responses[0]?.[0] ?? 200;
  ctx.status = isReply(result) ? result.status : success;
  ctx.body = isReply(result) ? result.body : result;
  ctx.set('Cache-Control', 'private, no-cache');
}

function permit({ access }: Route, { scopes }: KeyCaller): void {
  if (typeof access === 'string' || access.some(scope => scopes.includes(scope))) return;
  throw forbidden(`This key lacks the scope ${access.join(' or ')}.`);
}

/** A malformed id in a path names nothing. */
function parseParams(route: Route, given: Record<string, string>): unknown {
  if (!route.params) return undefined;
  const parsed = route.params.safeParse(given);
  if (!parsed.success) throw notFound('record');
  return parsed.data;
}

function parseQuery(route: Route, querystring: string): unknown {
  const given: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(querystring)) {
    if (!route.query || !Object.hasOwn(route.query.shape, name)) {
      const known = Object.keys(route.query?.shape ?? {}).join(', ') || 'none';
      throw invalidDetail(
        `query.${name.slice(0, 100)}`,
        'unrecognized_member',
        `There is no such query parameter here; this path takes ${known}.`,
      );
    }
    if (Object.hasOwn(given, name))
      throw invalidDetail(`query.${name}`, 'duplicate', 'Give this query parameter once.');
    // U+FFFD is what a damaged percent-encoding decodes to.
    if (/[\0\uFFFD]/.test(value))
      throw invalidDetail(`query.${name}`, 'invalid_encoding', 'This value is not percent-encoded UTF-8 text.');
    given[name] = value;
  }
  if (!route.query) return undefined;
  const parsed = validate(route.query, given);
  if (parsed.ok) return parsed.value;
  const details = parsed.issues.map(issue => ({ ...issue, path: `query.${issue.path.slice(1)}` }));
  throw invalidRequest(details[0]?.message ?? 'The query is not valid.', details);
}

/** A body of 1 MB could have a hundred thousand faults; whoever mends the first few asks again. */
const MOST_DETAILS = 20;

function parseBody(schema: z.ZodType, body: unknown): unknown {
  const parsed = validate(schema, body);
  if (parsed.ok) return parsed.value;
  throw invalidRequest(parsed.issues[0]?.message ?? 'The body is not valid.', parsed.issues.slice(0, MOST_DETAILS));
}
