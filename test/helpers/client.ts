import { isDeepStrictEqual } from 'node:util';
import type { ExecutionContext } from 'ava';
import { routes } from '#api/routes/index.ts';
import { ErrorBody } from '#shared/interface/schemas.ts';

// Bodies are whatever the API answers; every one of them is held against the schema of its route before a test sees it.
// oxlint-disable-next-line typescript/no-explicit-any
export type Reply = { status: number; headers: Headers; body: any };

export type Client = {
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  delete(path: string, headers?: Record<string, string>): Promise<Reply>;
  send(
    method: string,
    path: string,
    options?: { body?: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> },
  ): Promise<Reply>;
};

/** What a client shows: a bearer token, or a session's cookie (`name=value`). A cookie comes with an Origin, as from a browser. */
export type Credential = string | { cookie: string };

/** The headers by which a client shows it. */
export function shownBy(address: string, credential?: Credential): Record<string, string> {
  if (credential === undefined) return {};
  if (typeof credential === 'string') return { authorization: `Bearer ${credential}` };
  return { cookie: credential.cookie, origin: address };
}

/**
 * A client of the real HTTP API. Each answer is checked: Request-Id, the body against what the route promises for its status, and
 * that the ETag of an earlier answer is not taken for current when the answer has changed.
 */
export function createClient(t: ExecutionContext, address: string, credential?: Credential): Client {
  const shown = shownBy(address, credential);
  const seen = new Map<string, { etag: string; text: string }>();

  const send: Client['send'] = async (method, path, { body, headers = {} } = {}) => {
    // In one process with the service, packing and unpacking every answer costs more than most of them are worth: headers.test.ts asks for it.
    const sent = { 'accept-encoding': 'identity', ...shown, ...headers };
    const earlier = method === 'GET' && !('if-none-match' in sent) ? seen.get(path) : undefined;
    const fresh = earlier && (await isFresh(address + path, sent, earlier.etag));
    const response = await fetch(address + path, {
      method,
      redirect: 'manual',
      ...(body !== undefined && { body }),
      headers: sent,
    });
    const text = await response.text();
    const etag = response.headers.get('etag');
    // In a running service it may have changed between the two requests; then that ETag is not current any more.
    if (fresh && response.status === 200 && text !== earlier.text)
      t.false(
        await isFresh(address + path, sent, earlier.etag),
        `${path} was answered 304 although it had changed:\n${earlier.text}\n${text}`,
      );
    if (method === 'GET' && response.status === 200 && etag) seen.set(path, { etag, text });
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const reply = {
      status: response.status,
      headers: response.headers,
      body: isJson && text ? JSON.parse(text) : text,
    };
    checkPromise(t, method, path, reply);
    return reply;
  };
  return sendingBy(send);
}

/** A client that sends like this. */
export function sendingBy(send: Client['send']): Client {
  const json = (method: string) => (path: string, body: unknown, headers?: Record<string, string>) =>
    send(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
  return {
    send,
    post: json('POST'),
    patch: json('PATCH'),
    put: json('PUT'),
    get: (path, headers) => send('GET', path, { headers }),
    delete: (path, headers) => send('DELETE', path, { headers }),
  };
}

async function isFresh(url: string, headers: Record<string, string>, etag: string): Promise<boolean> {
  const { status } = await fetch(url, { headers: { ...headers, 'if-none-match': etag } });
  return status === 304;
}

/** Holds an answer against what the route of its method and path promises. */
export function checkPromise(
  t: ExecutionContext,
  method: string,
  path: string,
  { status, headers, body }: Reply,
): void {
  const id = headers.get('request-id');
  t.regex(id ?? '', /^req_[0-9A-HJKMNP-TV-Z]{26}$/, `${method} ${path} has a Request-Id`);
  t.true(status < 500 || status === 503, `${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
  if (status === 304) return;
  if (status >= 400) {
    t.true(ErrorBody.safeParse(body).success, `${method} ${path}: ${JSON.stringify(body)} is an error body`);
    t.is(body.request_id, id);
    return;
  }
  const [pathname = ''] = path.split('?');
  const lower = method.toLowerCase();
  const route = templates.find(([known, template]) => known.method === lower && template.test(pathname))?.[0];
  const promise = route?.responses.find(([promised]) => promised === status);
  if (!promise) return;
  const parsed = promise[2].safeParse(body);
  if (!parsed.success)
    return t.fail(
      `${method} ${path} answers as promised: ${parsed.error.message} ${JSON.stringify(body).slice(0, 500)}`,
    );
  // Ava's own comparison, which tells what differs, takes many times as long.
  if (!isDeepStrictEqual(parsed.data, body))
    t.deepEqual(parsed.data, body, `${method} ${path} answers nothing beyond what is promised`);
}

const templateOf = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
const templates = routes.map(route => [route, templateOf(route.path)] as const);
