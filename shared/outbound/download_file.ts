import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { asError } from '#shared/interface/errors.ts';
import { SECOND } from '#shared/values/time.ts';
import { guardedConnector } from './connector.ts';
import { failureText } from './failure.ts';
import type { Resolve } from './target.ts';
import { headerOf, saveBody } from './download_body.ts';
import { DownloadError } from './download_error.ts';
import { undici } from './undici.ts';

/** The version of a file according to its server (ETag or date); sending it back saves downloading the same file. */
export type Validators = { etag: string | null; last_modified: string | null };

export type Fetched = { path: string; validators: Validators };

type FetcherOptions = {
  allow_private: boolean;
  max_bytes: number;
  timeout: number;
  idle_timeout: number;
  resolve: Resolve | undefined;
};

const MOST_REDIRECTS = 5;
const TIME_TO_CONNECT = 15 * SECOND;

/** Makes what fetches files to disk as they come in. `fetch` gives null where the file is as it was (304). */
export function createFetcher(options: FetcherOptions) {
  const dispatcher = new (undici().Agent)({
    connect: guardedConnector({ ...options, timeout: TIME_TO_CONNECT }),
    connections: 2,
    allowH2: false,
    headersTimeout: options.idle_timeout,
    bodyTimeout: options.idle_timeout,
  });
  return {
    fetch: async (url: string, folder: string, validators: Validators | null): Promise<Fetched | null> => {
      const deadline = AbortSignal.timeout(options.timeout);
      try {
        return await follow(url, folder, validators, { ...options, dispatcher, deadline });
      } catch (thrown) {
        if (thrown instanceof DownloadError) throw thrown;
        const late = deadline.aborted || isTimeout(thrown);
        throw new DownloadError(`${shown(url)}: ${late ? 'it did not come in time' : failureText(asError(thrown))}`);
      }
    },
    close: () => dispatcher.destroy(),
  };
}

type Context = FetcherOptions & { dispatcher: Dispatcher; deadline: AbortSignal };

async function follow(url: string, folder: string, validators: Validators | null, context: Context) {
  const origin = checkedUrl(url, context);
  let target = origin;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const from = target;
    const again = (headers: Record<string, string>) =>
      ask(from, from.origin === origin.origin ? origin : null, headers, context);
    const answer = await again(conditions(validators));
    const status = answer.statusCode;
    if (status === 200) return save(answer, nameOf(origin), folder, context, again);
    await answer.body.dump({ limit: 64 * 1_024 }).catch(() => {});
    if (status === 304 && validators) return null;
    const location = headerOf(answer, 'location');
    if (![301, 302, 303, 307, 308].includes(status) || !location)
      throw new DownloadError(`${shown(target)} answered ${status}`);
    target = checkedUrl(location, context, target);
  }
  throw new DownloadError(`${shown(origin)} leads through more than ${MOST_REDIRECTS} redirects`);
}

/** Only https, unless private targets are allowed. */
function checkedUrl(text: string, { allow_private }: Context, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (!url) throw new DownloadError(base ? `${shown(base)} redirects to no address` : 'an address is no URL');
  if (url.protocol === 'https:' || (allow_private && url.protocol === 'http:')) return url;
  throw new DownloadError(`${shown(url)}: only https addresses are fetched`);
}

/** Credentials of the address go to its own origin, and nowhere after a redirect. */
function ask(target: URL, origin: URL | null, headers: Record<string, string>, { dispatcher, deadline }: Context) {
  const url = new URL(target);
  url.username = '';
  url.password = '';
  const { username, password } = origin ?? { username: '', password: '' };
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return undici().request(url, {
    dispatcher,
    signal: deadline,
    headers: {
      'user-agent': 'agent-payment-oversight',
      accept: '*/*',
      'accept-encoding': 'gzip, deflate, br',
      ...(username && { authorization: `Basic ${basic}` }),
      ...headers,
    },
  });
}

const conditions = (validators: Validators | null): Record<string, string> => ({
  ...(validators?.etag && { 'if-none-match': validators.etag }),
  ...(validators?.last_modified && { 'if-modified-since': validators.last_modified }),
});

/** How the rest of a file is asked for that broke off. */
type Again = (headers: Record<string, string>) => Promise<Dispatcher.ResponseData>;

async function save(first: Dispatcher.ResponseData, name: string, folder: string, context: Context, again: Again) {
  const path = freePath(folder, name);
  const saved = await saveBody(first, { name, path, max_bytes: context.max_bytes, signal: context.deadline, again });
  if (saved.bytes === 0) throw new DownloadError(`${name} came empty`);
  const { answer } = saved;
  const etag = headerOf(answer, 'etag') ?? null;
  return { path, validators: { etag, last_modified: headerOf(answer, 'last-modified') ?? null } };
}

/** The last part of the path as a name for a file; anything else than letters, digits, dot, dash is replaced. */
function nameOf(url: URL): string {
  const last = url.pathname.split('/').findLast(part => part !== '') ?? '';
  return (
    last
      .replaceAll(/%[0-9a-f]{2}|[^\w.-]/gi, '_')
      .replace(/^\.+/, '')
      .slice(-100) || 'file'
  );
}

function freePath(folder: string, name: string): string {
  for (let number = 1; ; number += 1) {
    const path = join(folder, number === 1 ? name : `${number}-${name}`);
    if (!existsSync(path)) return path;
  }
}

/** An address without what must not be seen: credentials and query. */
function shown(address: string | URL): string {
  const url = URL.parse(String(address));
  return url ? `${url.origin}${url.pathname}` : 'an address';
}

const isTimeout = (thrown: unknown) =>
  thrown instanceof Error && /^(TimeoutError|AbortError|HeadersTimeoutError|BodyTimeoutError)$/.test(thrown.name);
