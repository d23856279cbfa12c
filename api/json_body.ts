import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Context } from 'koa';
import type * as KoaBody from 'koa-body';
import type { Body, Turn } from '#api/pressure/pressure.ts';
import { invalidRequest, Problem, payloadTooLarge, unsupportedMediaType } from '#shared/interface/errors.ts';
import { JsonError, parseStrictJson } from '#shared/json/strict_json.ts';

/** The maximum size of a body after decoding, in bytes. */
const BODY_LIMIT = 1_048_576;

const decoders = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Loads koa-body and the hundred modules that it brings: not before the start is over, and at the latest for the first body. */
export const loadReader = () => (reader ??= import('koa-body'));
let reader: Promise<typeof KoaBody> | undefined;

/** Reads up to this many bytes as they are, which an empty encoding asks for: the parser refuses invalid UTF-8 instead of replacing it. */
async function readBuffer(most: number) {
  const { HttpMethodEnum, koaBody } = await loadReader();
  return koaBody({
    json: false,
    urlencoded: false,
    text: true,
    textLimit: most,
    encoding: '',
    parsedMethods: [HttpMethodEnum.POST],
    onError(error, ctx) {
      throw problemOf(error, ctx.get('Content-Encoding'), most);
    },
  });
}

/** The maximum size of a body after decoding, in bytes, and the time it may take to arrive, in milliseconds. */
export type BodyBounds = { most: number; patience: number };

/** For identified callers; the server limits their time. */
export const KNOWN: BodyBounds = { most: BODY_LIMIT, patience: Infinity };

/** How a body is read: `body` reserves bytes before they are kept, and nothing is parsed before its `turn`. */
export type BodyReading = { body: Body; turn: Turn; bounds: BodyBounds };

/**
 * Reads a request's JSON body. Throws `unsupported_media_type` (not JSON, or an unknown Content-Encoding), `payload_too_large`
 * (over its bounds, decoded) and `invalid_request` (empty, damaged, late, or not the JSON that strict_json.ts accepts).
 */
export async function readJsonBody(ctx: Context, reading: BodyReading): Promise<unknown> {
  const type = ctx.req.headers['content-type'];
  if (!type || !/^application\/(json|[a-z0-9.+-]+\+json)\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type)) {
    throw unsupportedMediaType('Send the body as Content-Type: application/json (UTF-8).', {
      Accept: 'application/json',
    });
  }
  const bytes = await readRawBody(ctx, reading);
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw invalidRequest(error.message, [{ path: error.path, code: error.code, message: error.message }]);
  }
}

/** Reads a request's body unchanged, of any media type, with the same limits. */
export async function readRawBody({ req }: Context, { body, turn, bounds }: BodyReading): Promise<Buffer> {
  const bytes = await readBytes(req, body.take, bounds);
  if (bytes.length === 0) throw invalidRequest('The request needs a body.');
  await turn.begin(bytes.length);
  // Work for a client that has left is skipped: it will send the request again.
  if (req.socket.destroyed) throw invalidRequest('The client has left.');
  return bytes;
}

async function readBytes(
  request: IncomingMessage,
  take: (bytes: number) => void,
  { most, patience }: BodyBounds,
): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decoder = decoders.get(encoding)?.();
  if (!decoder && encoding !== 'identity') {
    throw unsupportedMediaType('Content-Encoding must be gzip, deflate, br or identity.', {
      'Accept-Encoding': 'gzip, deflate, br',
    });
  }
  // A body announced as too large is not read.
  if (!decoder && Number(request.headers['content-length']) > most) throw tooLarge(most);
  const read = await readBuffer(most);
  // Nothing more would be heard of one that has ended meanwhile.
  if (request.destroyed) throw invalidRequest(ENDED);
  // Counted on arrival: an announced length reserves nothing, or idle connections could take everything.
  const length = decoder ? undefined : request.headers['content-length'];
  // koa-body gets the decoded stream: its own decoder would end the process on damage after the limit.
  const source = Object.assign(counted(request, decoder, take), {
    headers: length === undefined ? {} : { 'content-length': length },
  });
  const late = () => source.destroy(invalidRequest('The body took too long to arrive.'));
  const timer = Number.isFinite(patience) ? setTimeout(late, patience) : undefined;
  const context = {
    req: source,
    request: { body: Buffer.alloc(0) },
    method: 'POST',
    is: () => 'text',
    get: () => encoding,
  };
  try {
    await read(context as unknown as Context, async () => {});
    return context.request.body;
  } finally {
    clearTimeout(timer);
    // An unwanted rest is read and dropped, or the connection could not carry the next request.
    request.unpipe();
    request.resume();
    source.destroy();
  }
}

/** The decoded request as a stream that ends where it is broken or refused. */
function counted(request: IncomingMessage, decoder: Transform | undefined, take: (bytes: number) => void): Readable {
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        take(chunk.length);
        done(null, chunk);
      } catch (problem) {
        done(problem as Problem);
      }
    },
  });
  const end = (error: Error) => counter.destroy(error);
  // Damage after the limit, or a client that leaves, comes without a listener; it must not end the process.
  counter.on('error', () => {});
  counter.once('close', () => decoder?.destroy());
  request.once('error', end);
  request.once('aborted', () => end(new Error('request aborted')));
  if (!decoder) return request.pipe(counter);
  decoder.on('error', end);
  return request.pipe(decoder).pipe(counter);
}

const tooLarge = (most: number) =>
  payloadTooLarge(
    most === BODY_LIMIT
      ? 'A request body is at most 1 MB (1,048,576 bytes) after decoding. Send fewer events at once.'
      : `The body of this request is at most ${most.toLocaleString('en')} bytes after decoding.`,
  );

const ENDED = 'The body ended before it was complete.';

function problemOf(error: Error & { type?: string; code?: string }, encoding: string, most: number): Problem {
  if (error instanceof Problem) return error;
  if (error.type === 'entity.too.large') return tooLarge(most);
  if (error.code?.startsWith('Z_') || error.code?.startsWith('ERR_'))
    return invalidRequest(`The body is not valid ${encoding}.`);
  return invalidRequest(ENDED);
}
