import type { ErrorBody } from './error.ts';
import type { Operations } from './operations.ts';

/**
 * Calls the API, typed by its description: `call('GET /v1/events/{id}', { params: { id } })` returns the event, or an error. It sends one
 * request, without an API key, since browsers have a session. Throws what `fetch` throws; the body is null unless it is JSON.
 */
export async function call<O extends Operation>(
  operation: O,
  args: ArgsOf<O>,
  { address = '', headers, ...init }: { address?: string } & RequestInit = {},
): Promise<AnswerOf<O>> {
  const { method, path, text } = requestOf(operation, args);
  const response = await fetch(address + path, {
    ...init,
    method,
    ...(text !== undefined && { body: text }),
    headers: { ...(text !== undefined && { 'Content-Type': 'application/json' }), ...headers },
  });
  const answered: unknown = await response.json().catch(() => null);
  return { status: response.status, headers: response.headers, body: answered } as AnswerOf<O>;
}

/** The request for an operation: its method, its path with the query, and its body as JSON. Throws a TypeError where `params` lack one. */
export function requestOf<O extends Operation>(
  operation: O,
  args: ArgsOf<O>,
): { method: string; path: string; text: string | undefined } {
  const { params = {}, query = {}, body } = args as { params?: Texts; query?: Texts; body?: unknown };
  const [method = '', template = ''] = operation.split(' ');
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(params[name] ?? '');
    if (value === '') throw new TypeError(`${operation} needs params.${name}.`);
    return encodeURIComponent(value);
  });
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
  return { method, path: path + search, text: body === undefined ? undefined : JSON.stringify(body) };
}

type Texts = Record<string, string | number | undefined>;

/** An endpoint by its method and path: `GET /v1/events/{id}`. */
export type Operation = keyof Operations;

/** The arguments of an operation. Numbers in a query may be passed as numbers. */
export type ArgsOf<O extends Operation> = Part<'params', Operations[O]['params']> &
  Part<'query', Query<Operations[O]['query']>> &
  Part<'body', Operations[O]['body']>;

/** The query of an operation. */
export type QueryOf<O extends Operation> = Query<Operations[O]['query']>;

/** The request body of an operation. */
export type BodyOf<O extends Operation> = Operations[O]['body'];

/** A response of an operation: a documented success, an error, or "not modified". */
export type AnswerOf<O extends Operation> = { headers: Headers } & (
  | Operations[O]['answer']
  | { [S in ErrorStatus]: { status: S; body: ErrorBody } }[ErrorStatus]
  | { status: 304; body: null }
);

/** The response body of an operation that succeeds. */
export type DataOf<O extends Operation> = Operations[O]['answer']['body'];

type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503;
type Query<Q> = { [N in keyof Q]: string extends Q[N] ? Q[N] | number : Q[N] };
type Part<N extends string, S> = [S] extends [never]
  ? { [K in N]?: undefined }
  : Record<string, never> extends S
    ? { [K in N]?: S }
    : { [K in N]: S };
