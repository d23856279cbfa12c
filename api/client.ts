import type { routes } from '#api/routes/index.ts';
import type { ErrorBody } from '#shared/interface/schemas.ts';

/**
 * Asks the API, as its routes type it: `call('GET /v1/events/{id}', { params: { id } })` answers the event, or an error. It has no code
 * of the routes, only their types, so a browser can load it. Throws what `fetch` throws; the body is null where it is no JSON.
 */
export async function call<O extends Operation>(
  operation: O,
  args: ArgsOf<O>,
  { address = '', headers, ...init }: { address?: string } & RequestInit = {},
): Promise<AnswerOf<O>> {
  const { params = {}, query = {}, body } = args as { params?: Texts; query?: Texts; body?: unknown };
  const [method = '', template = ''] = operation.split(' ');
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
  const response = await fetch(address + path + search, {
    ...init,
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
  });
  const answered: unknown = await response.json().catch(() => null);
  return { status: response.status, headers: response.headers, body: answered } as AnswerOf<O>;
}

type Texts = Record<string, string | number | undefined>;

type Route = NonNullable<(typeof routes)[number]['types']>;
type Operations = { [R in Route as `${Uppercase<R['method']>} ${R['path']}`]: R };

/** An endpoint by its method and path: `GET /v1/events/{id}`. */
export type Operation = keyof Operations;

/** What an operation is asked with. Numbers of a query may be given as numbers. */
export type ArgsOf<O extends Operation> = Part<'params', Sent<Operations[O]['params']>> &
  Part<'query', Query<Sent<Operations[O]['query']>>> &
  Part<'body', Sent<Operations[O]['body']>>;

/** The query of an operation. */
export type QueryOf<O extends Operation> = Query<Sent<Operations[O]['query']>>;

/** The body that an operation is sent. */
export type BodyOf<O extends Operation> = Sent<Operations[O]['body']>;

/** An answer of an operation: one that it promises, an error, or that nothing has changed. */
export type AnswerOf<O extends Operation> = { headers: Headers } & (
  | Promised<Operations[O]['responses'][number]>
  | { [S in ErrorStatus]: { status: S; body: ErrorBody } }[ErrorStatus]
  | { status: 304; body: null }
);

/** What an operation answers when it does what it was asked. */
export type DataOf<O extends Operation> = Promised<Operations[O]['responses'][number]>['body'];

type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503;
type Promised<R> = R extends readonly [infer S, string, { _zod: { output: infer B } }] ? { status: S; body: B } : never;
type Sent<S> = S extends { _zod: { input: infer I } } ? I : never;
type Query<Q> = { [N in keyof Q]: string extends Q[N] ? Q[N] | number : Q[N] };
type Part<N extends string, S> = [S] extends [never]
  ? { [K in N]?: undefined }
  : Record<string, never> extends S
    ? { [K in N]?: S }
    : { [K in N]: S };
