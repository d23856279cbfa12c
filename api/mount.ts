import Router from '@koa/router';
import type Koa from 'koa';
import type { Context } from 'koa';
import type { Caller } from './caller.ts';
import { change } from './change.ts';
import { cookieOf, setCookies } from './cookies.ts';
import { answerETag, asks, expectedETag, isNamed } from './etag.ts';
import { answeredBefore, keyUse } from './idempotency_key.ts';
import { type BodyBounds, KNOWN, readJsonBody, readRawBody } from './json_body.ts';
import { refuseMethod } from './methods.ts';
import { parseBody, parseParams, parseQuery } from './parse.ts';
import type { Turn } from '#api/pressure/pressure.ts';
import { permit, permitAnybody } from './permit.ts';
import { lookAt, replicaFor } from './read_replica.ts';
import { type CountedRequest, countMore, countRequest } from './rate_limits.ts';
import { sendFile } from './send_file.ts';
import { type RouteAnswer, answerOf, type Route } from './route.ts';
import type { ApiServices } from './services.ts';

/** The fields of a request's log line and metrics, besides its status. `waited`: how many milliseconds it waited for news. */
export type RequestState = { route?: string; caller?: Caller; waited?: number };

/**
 * Serves routes. Every request passes the same steps: caller, permission, input, handler, answer.
 * An unknown path is 404, an unknown method of a path 405 with Allow; OPTIONS lists the methods.
 */
export function mount(app: Koa<RequestState>, routes: Route[], services: ApiServices): void {
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  const fixed = Map.groupBy(
    routes.filter(route => !route.params),
    route => route.path,
  );
  const methodsAt = (path: string): string[] =>
    fixed.get(path)?.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : method.toUpperCase())) ??
    router.match(path, 'TRACE').path.flatMap(layer => layer.methods);

  for (const route of routes)
    router.register(route.path.replaceAll(/\{(\w+)\}/g, ':$1'), [route.method], async (ctx: Context) => {
      // `GET /v1/events/validate` is not the event named validate: that path belongs to another route with other methods.
      if (route.params && fixed.has(ctx.path)) refuseMethod(ctx, methodsAt(ctx.path));
      else await serve(route, ctx, services);
    });
  app.use(router.routes());
  app.use(async ctx => refuseMethod(ctx, methodsAt(ctx.path)));
}

/** The holder of all bodies without a credential. */
const NOBODY = '';

/** The caller, if the route permits it; undefined if it needs no credential. Throws `unauthorized` or `forbidden`. */
async function callerOf(route: Route, ctx: Context, { callers, config }: ApiServices): Promise<Caller | undefined> {
  if (route.access === 'public') return undefined;
  const authorization = ctx.get('Authorization') || undefined;
  const caller = await callers.identify({ authorization, cookie: cookieOf(ctx), ip: ctx.ip });
  permit(route, caller, ctx.req, config);
  return caller;
}

/** Decides by the head whether to accept the request, then does so; its body is held until the response. */
async function serve(route: Route, ctx: Context, services: ApiServices): Promise<void> {
  ctx.state['route'] = route.path;
  const caller = await callerOf(route, ctx, services);
  ctx.state['caller'] = caller;
  if (caller) {
    await countRequest(route, caller, ctx, services.rate_limits, noteOf(route, caller, services));
    if (route.grows_log) await services.pressure.admitEvents(caller, ctx);
  } else permitAnybody(route, ctx.req, services.config.base_url);
  const holder = caller?.org_id ?? NOBODY;
  const [body, turn] = [services.pressure.beginBody(holder), services.pressure.turnOf(holder)];
  try {
    const reading = { body, turn, bounds: boundsOf(route, caller, services) };
    const readBody = route.raw_body ? readRawBody : readJsonBody;
    await act(route, ctx, services, caller, route.body ? await readBody(ctx, reading) : undefined, turn);
  } finally {
    turn.end();
    body.release();
  }
}

/** For requests that send events, the state of the key is recorded for developers. */
function noteOf({ grows_log }: Route, caller: Caller, { ingest_counts }: ApiServices) {
  if (!grows_log || caller.kind !== 'key') return undefined;
  return (counted: CountedRequest) => ingest_counts.request({ ...caller, key_id: caller.actor_id }, counted);
}

/** A stranger's body is small, except for a payment service's. */
function boundsOf({ raw_body }: Route, caller: Caller | undefined, { bounds }: ApiServices): BodyBounds {
  if (caller) return KNOWN;
  return { most: raw_body ? KNOWN.most : bounds.stranger_body, patience: bounds.stranger_patience };
}

/** Reads the rest of the request, and responds. `sent` is the body; a request without one gets its turn only here. */
async function act(
  route: Route,
  ctx: Context,
  services: ApiServices,
  caller: Caller | undefined,
  sent: unknown,
  turn: Turn,
): Promise<void> {
  const input = {
    caller,
    query: parseQuery(route, ctx.querystring),
    body: route.body && !route.loose_body && !route.raw_body ? parseBody(route.body, sent) : sent,
    params: parseParams(route, ctx['params'] as Record<string, string>),
    request: {
      id: ctx.response.get('Request-Id'),
      ip: ctx.ip,
      user_agent: ctx.get('User-Agent') || undefined,
      headers: ctx.headers,
      cookie: cookieOf(ctx),
    },
  };
  const tag = caller ? await expectedETag(route, caller, ctx.url, input.query, services) : null;
  if (tag !== null && isNamed(ctx.get('If-None-Match'), tag)) {
    notModified(ctx, tag);
    return;
  }
  if (caller && route.counts) await countMore(route, caller, route.counts(sent) - 1, ctx, services.rate_limits);
  const use = caller && route.changes ? keyUse(route, caller, ctx, sent) : null;
  const shared = caller && use === null ? route.together?.(input as never, services) : null;
  if (shared) {
    turn.end();
    write(ctx, route, answerOf(route, await shared), services);
    return;
  }
  const waits = caller && route.awaits && asks(input.query, 'wait');
  if (!waits) await turn.begin();
  const before = caller && use && route.prepare ? await answeredBefore(route, caller, use, services) : null;
  if (before) {
    write(ctx, route, before, services);
    return;
  }
  const prepared = await route.prepare?.(caller as never, services, input as never);
  if (caller && route.changes) {
    const run = (context: object, inner: ApiServices) =>
      route.handle({ ...input, ...context, prepared } as never, inner);
    write(ctx, route, await change(route, caller, input.request.id, use, services, run), services);
    return;
  }
  const from =
    waits || tag === null || !caller ? null : await replicaFor(route, caller, ctx.url, input.query, tag, services);
  const look = () =>
    lookAt(db => route.handle({ ...input, ...noChange, prepared } as never, { ...services, db }), from, services.db);
  const answer = answerOf(
    route,
    await (waits
      ? awaitNews(route, caller, ctx, (input.query as { wait: number }).wait, inTurn(turn, look), services)
      : look()),
  );
  const etag = tag ?? (route.version ? answerETag(answer.body) : null);
  if (tag === null && etag !== null && isNamed(ctx.get('If-None-Match'), etag)) {
    notModified(ctx, etag);
    return;
  }
  if (etag !== null) answer.headers['ETag'] = etag;
  const unread = services.pressure.beginAnswer(caller?.org_id ?? NOBODY);
  ctx.res.once('close', unread.release);
  // Who has left already never closes it again.
  write(ctx, route, answer, services, ctx.res.destroyed ? undefined : unread.take);
}

/** The result of `look`, delayed while it is an empty page. A caller that has lost access gets nothing that arrived meanwhile. */
async function awaitNews(
  route: Route,
  caller: Caller,
  ctx: Context,
  seconds: number,
  look: () => Promise<unknown>,
  services: ApiServices,
): Promise<unknown> {
  const gone = new AbortController();
  ctx.res.once('close', () => gone.abort());
  if (ctx.res.destroyed) gone.abort();
  let looks = 0;
  const lookAgain = async () => {
    if ((looks += 1) > 1) await callerOf(route, ctx, services);
    return look();
  };
  const patience = { seconds, of: route.awaits ?? [], gone: gone.signal };
  const { answer, waited } = await services.waiting.forNews(caller, patience, lookAgain);
  ctx.state['waited'] = waited;
  return answer;
}

/** Holds no place between the looks. */
const inTurn = (turn: Turn, look: () => Promise<unknown>) => async () => {
  await turn.begin();
  try {
    return await look();
  } finally {
    turn.end();
  }
};

/** A route without `changes` has no transaction to record anything in. */
const noChange = {
  audit() {
    throw new Error('a route that is audited declares what it changes');
  },
  afterCommit() {
    throw new Error('a route that acts after its commit declares what it changes');
  },
};

function notModified(ctx: Context, tag: string): void {
  ctx.status = 304;
  ctx.set('ETag', tag);
  privately(ctx);
}

/** `take` reserves memory for an answer that is not read from a file. */
function write(
  ctx: Context,
  route: Route,
  answer: RouteAnswer,
  { config }: ApiServices,
  take?: (bytes: number) => void,
): void {
  // Serialized here: otherwise Koa and the compression would each do it to learn the length.
  const text = answer.file ? null : JSON.stringify(answer.body);
  if (text !== null) take?.(text.length);
  ctx.status = answer.status;
  if (answer.file) sendFile(ctx, answer.file);
  else {
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = text;
  }
  ctx.set(answer.headers);
  setCookies(ctx, config, answer.cookies);
  privately(ctx);
  if (!route.secret) return;
  ctx['compress'] = false;
  ctx.set('Cache-Control', 'no-store');
}

function privately(ctx: Context): void {
  ctx.set('Cache-Control', 'private, no-cache');
  ctx.vary('Authorization');
  ctx.vary('Cookie');
}
