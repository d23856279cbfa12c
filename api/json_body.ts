import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Context } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import type { Body } from '#api/pressure/pressure.ts';
import { invalidRequest, Problem, payloadTooLarge, unsupportedMediaType } from '#shared/interface/errors.ts';
import { JsonError, parseStrictJson } from '#shared/json/strict_json.ts';

/** The most a body may hold after decoding, in bytes. */
const BODY_LIMIT = 1_048_576;

const decoders = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Reads bytes as they are, one character each: what is no UTF-8 is refused by the parser and not replaced. */
const readText = koaBody({
  json: false,
  urlencoded: false,
  text: true,
  textLimit: BODY_LIMIT,
  encoding: 'binary',
  parsedMethods: [HttpMethodEnum.POST],
  onError(error, ctx) {
    throw problemOf(error, ctx.get('Content-Encoding'));
  },
});

/**
 * Reads a request's JSON body. Throws `unsupported_media_type` (not JSON, or an unknown Content-Encoding), `payload_too_large`
 * (over 1 MB decoded) and `invalid_request` (empty, damaged, or not the JSON that strict_json.ts accepts). `body` is told
 * of bytes before they are kept, and says when they may be read.
 */
export async function readJsonBody({ req }: Context, body: Body): Promise<unknown> {
  const type = req.headers['content-type'];
  if (!type || !/^application\/(json|[a-z0-9.+-]+\+json)\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type)) {
    throw unsupportedMediaType('Send the body as Content-Type: application/json (UTF-8).', {
      Accept: 'application/json',
    });
  }
  const bytes = await readInTurn(req, body);
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw invalidRequest(error.message, [{ path: error.path, code: error.code, message: error.message }]);
  }
}

/** Reads a request's body as it is, of whatever media type, with the same limits. */
export const readRawBody = ({ req }: Context, body: Body): Promise<Buffer> => readInTurn(req, body);

async function readInTurn(request: IncomingMessage, body: Body): Promise<Buffer> {
  const bytes = await readBytes(request, body.take);
  if (bytes.length === 0) throw invalidRequest('The request needs a body.');
  await body.turn();
  // What nobody waits for any more is not worked on: it comes again.
  if (request.socket.destroyed) throw invalidRequest('The client has left.');
  return bytes;
}

async function readBytes(request: IncomingMessage, take: (bytes: number) => void): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decoder = decoders.get(encoding);
  if (!decoder && encoding !== 'identity') {
    throw unsupportedMediaType('Content-Encoding must be gzip, deflate, br or identity.', {
      'Accept-Encoding': 'gzip, deflate, br',
    });
  }
  request.headers['content-encoding'] = encoding;
  // koa-body is handed the decoded stream: its own decoder would end the process when damage follows after the limit.
  // Counted as it arrives: what is only announced takes no room, or idle connections could take all of it.
  const length = decoder ? undefined : request.headers['content-length'];
  const headers = length === undefined ? {} : { 'content-length': length };
  const source = Object.assign(counted(request, decoder?.(), take), { headers });
  const read = { req: source, request: { body: '' }, method: 'POST', is: () => 'text', get: () => encoding };
  try {
    await readText(read as unknown as Context, async () => {});
    return Buffer.from(read.request.body, 'binary');
  } finally {
    // What nobody wants any more is read and dropped, or the connection could not carry the next request.
    request.unpipe();
    request.resume();
    source.destroy();
  }
}

/** The request, decoded, as a stream that ends where it is broken, or where what has come is not taken. */
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
  // Damage beyond the limit, or a client that leaves, comes when nobody listens any more; it must not end the process.
  counter.on('error', () => {});
  counter.once('close', () => decoder?.destroy());
  request.once('error', end);
  request.once('aborted', () => end(new Error('request aborted')));
  if (!decoder) return request.pipe(counter);
  decoder.on('error', end);
  return request.pipe(decoder).pipe(counter);
}

function problemOf(error: Error & { type?: string; code?: string }, encoding: string): Problem {
  if (error instanceof Problem) return error;
  if (error.type === 'entity.too.large')
    return payloadTooLarge(
      'A request body is at most 1 MB (1,048,576 bytes) after decoding. Send fewer events at once.',
    );
  if (error.code?.startsWith('Z_') || error.code?.startsWith('ERR_'))
    return invalidRequest(`The body is not valid ${encoding}.`);
  return invalidRequest('The body ended before it was complete.');
}
