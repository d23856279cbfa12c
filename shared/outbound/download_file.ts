import { createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent, type Dispatcher, request } from 'undici';
import { asError } from '#shared/interface/errors.ts';
import { SECOND } from '#shared/values/time.ts';
import { guardedConnector } from './connector.ts';
import { failureText } from './failure.ts';
import type { Resolve } from './target.ts';

/** A file that could not be fetched. The message names the address without credentials and query. */
export class DownloadError extends Error {
  override name = 'DownloadError';
}

/** The version of a file by its server (ETag or date); sent back, it spares a download of the same file. */
export type Validators = { etag: string | null; last_modified: string | null };

export type Fetched = { path: string; bytes: number; validators: Validators };

type FetcherOptions = {
  allow_private: boolean;
  zip: boolean;
  max_bytes: number;
  timeout: number;
  idle_timeout: number;
  resolve: Resolve | undefined;
};

const MOST_REDIRECTS = 5;
const TIME_TO_CONNECT = 15 * SECOND;

/** Makes what fetches files to disk as they come in. `fetch` gives null where the file is as it was (304). */
export function createFetcher(options: FetcherOptions) {
  const dispatcher = new Agent({
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
    const answer = await ask(target, target.origin === origin.origin ? origin : null, validators, context);
    const { statusCode: status, headers } = answer;
    if (status === 200) return save(answer, nameOf(origin), folder, context);
    await answer.body.dump({ limit: 64 * 1_024 }).catch(() => {});
    if (status === 304 && validators) return null;
    const location = one(headers['location']);
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
function ask(target: URL, origin: URL | null, validators: Validators | null, { dispatcher, deadline }: Context) {
  const url = new URL(target);
  url.username = '';
  url.password = '';
  const { username, password } = origin ?? { username: '', password: '' };
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return request(url, {
    dispatcher,
    signal: deadline,
    headers: {
      'user-agent': 'agent-payment-oversight',
      accept: '*/*',
      'accept-encoding': 'gzip, deflate, br',
      ...(username && { authorization: `Basic ${basic}` }),
      ...(validators?.etag && { 'if-none-match': validators.etag }),
      ...(validators?.last_modified && { 'if-modified-since': validators.last_modified }),
    },
  });
}

async function save(answer: Dispatcher.ResponseData, name: string, folder: string, context: Context): Promise<Fetched> {
  const { headers, body } = answer;
  const path = freePath(folder, name);
  let bytes = 0;
  const capped = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (!context.zip && bytes === 0 && chunk.subarray(0, 4).toString('latin1') === 'PK\x03\x04')
        return done(
          new DownloadError(`${name} is a ZIP archive, which is not unpacked here; give the file's own address`),
        );
      bytes += chunk.length;
      if (bytes > context.max_bytes)
        return done(new DownloadError(`${name} is larger than ${Math.round(context.max_bytes / 1_024 ** 2)} MB`));
      done(null, chunk);
    },
  });
  const unpack = unpackers[one(headers['content-encoding'])?.toLowerCase() ?? 'identity'];
  if (!unpack) throw new DownloadError(`${name} came in an encoding that is not known`);
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  await pipeline([body, ...unpack(), capped, file], { signal: context.deadline });
  if (bytes === 0) throw new DownloadError(`${name} came empty`);
  const validators = { etag: one(headers['etag']) ?? null, last_modified: one(headers['last-modified']) ?? null };
  return { path, bytes, validators };
}

const unpackers: Record<string, () => Transform[]> = {
  identity: () => [],
  gzip: () => [createGunzip()],
  'x-gzip': () => [createGunzip()],
  deflate: () => [createInflate()],
  br: () => [createBrotliDecompress()],
};

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

const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);

const isTimeout = (thrown: unknown) =>
  thrown instanceof Error && /^(TimeoutError|AbortError|HeadersTimeoutError|BodyTimeoutError)$/.test(thrown.name);
