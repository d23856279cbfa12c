import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Caller, KeyCaller, SessionCaller } from './caller.ts';
import type { Cookie } from './cookies.ts';
import type { ApiServices } from './services.ts';
import type { LimitName } from '#shared/settings/rate_limits_setting.ts';
import type { AuditEntry } from '#shared/interface/audit_log.ts';
import type { Scope } from '#shared/keys/api_keys.ts';
import type { Permission } from '#shared/interface/roles.ts';
import type { VersionSource, Topic } from '#shared/interface/versions.ts';

/** Who may call: a key with any one of `scopes` (`any`: every key), a signed-in person whose role has the permission `session`; or anybody. */
export type Access =
  | { scopes: Scope[] | 'any'; session?: Permission; fresh?: never }
  /** `fresh`: who they are must have been shown a short while ago. */
  | { session: Permission; scopes?: never; fresh?: true }
  | 'public';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The answer of one status: what it means, and the schema of its body. */
type Promised = readonly [status: number, meaning: string, schema: z.ZodType];

type Description = {
  method: Method;
  /** Path with `{name}` for parameters. */
  path: string;
  operation_id: string;
  summary: string;
  description?: string;
  tag: string;
  /**
   * Of a route that changes something: whose readers must look again. The handler runs in one transaction (`db` is that
   * transaction), together with the audit rows, these counters, and the answer stored for an Idempotency-Key. It must not wait for
   * the network.
   */
  changes?: readonly Topic[];
  /**
   * Of a GET: what the answer is made of. The ETag is made of these counters before the handler runs. `answer`: of the answer itself,
   * for small personal records. `every` says that the answer also changes with time alone: the ETag holds that many milliseconds.
   * `unless` names a query parameter with which the counters do not tell: then it is made of the answer itself.
   */
  version?: { of: readonly VersionSource[] | 'answer'; every?: number; unless?: string };
  /**
   * Of a list whose query has `wait`, in seconds: an empty page is held back that long, and the handler runs again when one of these
   * counters has moved.
   */
  awaits?: readonly VersionSource[];
  /** Which rate limit counts it; by default `read` for a GET and `write` for the rest. */
  limit?: LimitName;
  /**
   * Of a public route that browsers are answered with a cookie by: `needed`, the request must say that it comes from our own origin;
   * `checked`, it must not say that it comes from another one.
   */
  origin?: 'needed' | 'checked';
  /** How many requests a body counts as, before it has been checked; one when left out. */
  counts?: (sent: unknown) => number;
  /** What it is sent goes into the log, which takes no more than can be analyzed and stored. */
  grows_log?: true;
  /**
   * The answer holds a secret that is shown once: it is not compressed, and never stored to be replayed; `sealed`: stored encrypted, and
   * replayed.
   */
  secret?: true | 'sealed';
  /** The cookies beside that of the credential: which it reads, and which its success may set or clear. */
  cookies?: { reads?: 'sign-in'; sets: 'session' | 'sign-in' };
  /** Error answers, by status, beyond those that follow from the rest. */
  errors?: Record<string, string>;
  /** Answers by status; a plain return value is sent with the first that is listed. */
  responses: readonly Promised[];
  /** The answer when it is a file and not JSON. */
  media_type?: string;
};

/**
 * An endpoint as a value: mounting, authentication, permission, parsing and the OpenAPI document all read it.
 * The handler gets plain values and returns plain values.
 */
export type Route = Description & {
  access: Access;
  /** Runs before the handler's transaction begins, for what holds no connection while it waits; the handler receives its result. */
  prepare?: ((caller: never, services: ApiServices, input: never) => Promise<unknown>) | undefined;
  params?: z.ZodObject | undefined;
  query?: z.ZodObject | undefined;
  body?: z.ZodType | undefined;
  /** The handler checks the body itself and answers piece by piece. */
  loose_body?: true | undefined;
  /** The body is of any media type, and the handler gets its bytes. */
  raw_body?: true | undefined;
  /**
   * Of a route that changes something: answers a request that has no Idempotency-Key in a transaction that it shares with others, and
   * writes there what it audits and the counters of what it changed. Null: this one goes the usual way.
   */
  together?: ((input: never, services: ApiServices) => Promise<unknown> | null) | undefined;
  handle: (input: never, services: ApiServices) => Promise<unknown>;
};

/** As much of a schema's type as inference needs: all of zod's would be compared member by member, for every route. */
type Schema = { _zod: { input: unknown; output: unknown } };

type Parsed<S> = S extends Schema ? S['_zod']['output'] : undefined;

type CallerOf<A extends Access> = A extends 'public'
  ? undefined
  : A extends { scopes: Scope[] | 'any'; session: Permission }
    ? Caller
    : A extends { scopes: Scope[] | 'any' }
      ? KeyCaller
      : SessionCaller;

/** What every handler receives besides the request. */
export type RequestContext = {
  request: {
    id: string;
    ip: string;
    user_agent: string | undefined;
    headers: IncomingHttpHeaders;
    cookie(name: string): string | undefined;
  };
  /** Adds an entry to the audit log, written in the transaction of a route with `changes`. */
  audit(entry: AuditEntry): void;
  /** Runs once the change is durable. Errors it throws are logged. */
  afterCommit(act: () => unknown): void;
};

/** A route that still knows its own types, for those who call it: `client.ts` reads them. No value has `types`. */
type TypedRoute<M, T, R, P, Q, B> = Route & {
  types?: { method: M; path: T; responses: R; params: P; query: Q; body: B };
};

/** Declares an endpoint. The types of the handler's input, and of the client's calls, follow from the schemas. */
export function route<
  const M extends Method,
  const T extends string,
  const A extends Access,
  const R extends readonly (readonly [number, string, Schema])[],
  P extends (Schema & { shape: object }) | undefined = undefined,
  Q extends (Schema & { shape: object }) | undefined = undefined,
  B extends Schema | undefined = undefined,
  L extends true | undefined = undefined,
  Y extends true | undefined = undefined,
  W = undefined,
>(
  value: Omit<Description, 'method' | 'path' | 'responses'> & {
    method: M;
    path: T;
    responses: R;
    access: A;
    prepare?: (
      caller: CallerOf<A>,
      services: ApiServices,
      input: Pick<RequestContext, 'request'> & { params: Parsed<P>; body: L extends true ? unknown : Parsed<B> },
    ) => Promise<W>;
    params?: P;
    query?: Q;
    body?: B;
    loose_body?: L;
    raw_body?: Y;
    together?: (
      input: Pick<RequestContext, 'request'> & { body: L extends true ? unknown : Parsed<B>; caller: CallerOf<A> },
      services: ApiServices,
    ) => Promise<unknown> | null;
    handle: (
      input: RequestContext & {
        params: Parsed<P>;
        query: Parsed<Q>;
        body: Y extends true ? Buffer : L extends true ? unknown : Parsed<B>;
        caller: CallerOf<A>;
        prepared: W;
      },
      services: ApiServices,
    ) => Promise<unknown>;
  },
): TypedRoute<M, T, R, P, Q, B> {
  // What is not compared: that the schemas have all that zod gives a schema.
  return value as unknown as Route;
}

/** An answer in full. */
export type RouteAnswer = {
  status: number;
  body: unknown;
  cookies: Cookie[];
  headers: Record<string, string>;
  file?: FileAnswer;
};

/**
 * A file that is answered as it is read: its media type, the size in bytes of what is sent, and the name to save it by. `part` says which
 * bytes of how many these are, where they are not all.
 */
export type FileAnswer = {
  stream: Readable;
  media_type: string;
  size: number;
  name: string;
  part?: { first: number; last: number; total: number } | undefined;
};

const replies = new WeakSet<object>();

/** A return value that names its own status, and may set cookies. */
export function reply(status: number, body: unknown, cookies: Cookie[] = []): RouteAnswer {
  const answer = { status, body, cookies, headers: {} };
  replies.add(answer);
  return answer;
}

/** A return value that is a file and not JSON. */
export function replyFile(file: FileAnswer, headers: Record<string, string> = {}): RouteAnswer {
  const answer = { status: file.part ? 206 : 200, body: null, cookies: [], headers, file };
  replies.add(answer);
  return answer;
}

/** Turns a handler's return value into an answer: a plain value is sent with the first status its route lists. */
export function answerOf({ responses }: Route, returned: unknown): RouteAnswer {
  if (typeof returned === 'object' && returned !== null && replies.has(returned)) return returned as RouteAnswer;
  return { status: responses[0]?.[0] ?? 200, body: returned, cookies: [], headers: {} };
}
