import { createReadStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Readable, Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { asError, invalidRequest } from '#shared/interface/errors.ts';

/** The decompressed bytes of an input as they arrive, and how many bytes of the input itself have been read. */
export type Input = { name: string; chunks: AsyncGenerator<Buffer>; position: () => number };

const PIECE = 64 * 1024;
/** Compressed bytes are read in small pieces: the decompressed size of each has to fit into memory. */
const COMPRESSED_PIECE = 16 * 1024;

/**
 * Opens a file, or standard input for `-`. gzip and zstd are recognized by their first bytes, whatever the name. Throws
 * `invalid_request` when the input cannot be read or is compressed in another way, when compressed data is damaged or truncated (after returning what came before), and when
 * `stopping` ends the reading.
 */
export async function openInput(path: string, stdin: Readable, stopping: AbortSignal): Promise<Input> {
  const name = path === '-' ? 'standard input' : path;
  let position = 0;
  const source = path === '-' ? stdin : createReadStream(path, { highWaterMark: PIECE });
  stopping.addEventListener('abort', () => source.destroy(), { once: true });
  async function* readPieces(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        position += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw invalidRequest(`${name} cannot be read: ${asError(error).message}.`);
    }
  }
  const isEnough = (sofar: Buffer) => sofar.length >= 4;
  const raw = await peek(readPieces(), isEnough);
  const other = others[Object.keys(others).find(first => raw.head.toString('hex').startsWith(first)) ?? ''];
  if (other)
    throw invalidRequest(`${name} is ${other}. Only gzip and zstd are decompressed here: decompress it first.`);
  const decoder = decoderOf(raw.head);
  if (!decoder) return { name, chunks: raw.chunks, position: () => position };
  const { head, chunks } = await peek(decompress(name, raw.chunks, decoder), isEnough);
  if (decoderOf(head))
    throw invalidRequest(
      `${name} was compressed twice: what it holds is compressed data again. Decompress it once before.`,
    );
  return { name, chunks, position: () => position };
}

/** Reads until `enough` or the end, and returns what it has read along with the rest. */
export async function peek(
  chunks: AsyncGenerator<Buffer>,
  enough: (head: Buffer) => boolean,
): Promise<{ head: Buffer; chunks: AsyncGenerator<Buffer> }> {
  let head: Buffer = Buffer.alloc(0);
  while (!enough(head)) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = head.length === 0 ? value : Buffer.concat([head, value]);
  }
  async function* all() {
    if (head.length > 0) yield head;
    yield* chunks;
  }
  return { head, chunks: all() };
}

type MakeDecoder = () => Transform & { bytesWritten: number };

function decoderOf(head: Buffer): MakeDecoder | null {
  if (head[0] === 0x1f && head[1] === 0x8b) return createGunzip;
  if (head.length >= 4 && head.readUInt32LE() === 0xfd2fb528) return createZstdDecompress;
  return null;
}

/** Other compressions and archives, by their first bytes. */
const others: Record<string, string> = {
  '504b0304': 'a zip archive',
  '425a68': 'compressed with bzip2',
  fd377a58: 'compressed with xz',
  '377abcaf': 'a 7z archive',
  '04224d18': 'compressed with lz4',
};

/** What is wrong with compressed data, by the code of the decoder's error. */
const faults: Record<string, (name: string) => string> = {
  Z_BUF_ERROR: name => `${name} breaks off: the compressed data is not complete. What could be read has been sent.`,
  ZSTD_error_frameParameter_windowTooLarge: name =>
    `${name} was compressed with a larger window than can be read here (128 MB). Compress it anew: zstd -dc --long=31 FILE | zstd > NEW_FILE`,
};

/** What could be read of a damaged file is returned before the error is thrown. A file of several frames is read to its end. */
async function* decompress(name: string, chunks: AsyncGenerator<Buffer>, make: MakeDecoder): AsyncGenerator<Buffer> {
  let frame: ReturnType<typeof openFrame> | null = null;
  const fail = ({ code = '', message }: Error & { code?: string }) =>
    invalidRequest(faults[code]?.(name) ?? `${name} is damaged: ${message}. What could be read before has been sent.`);
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length;) {
      frame ??= openFrame(make());
      const piece = chunk.subarray(from, from + COMPRESSED_PIECE);
      const { out, used, over, error } = await frame.write(piece);
      yield* out;
      if (error) throw fail(error);
      from += used;
      if (over) frame = null;
    }
  }
  const last = await frame?.end();
  yield* last?.out ?? [];
  if (last?.error) throw fail(last.error);
}

/** A decoder that is driven piece by piece, so that none of its output is lost when it fails. `over`: the frame ends within the piece. */
function openFrame(decoder: Transform & { bytesWritten: number }) {
  const output: Buffer[] = [];
  let error: Error | null = null;
  let over = false;
  decoder.on('data', (data: Buffer) => output.push(data));
  const ended = finished(decoder, { writable: false }).then(
    () => void (over = true),
    (thrown: Error) => void (error = thrown),
  );
  const takeOutput = () => ({ out: output.splice(0), error });
  return {
    async write(piece: Buffer) {
      const before = decoder.bytesWritten;
      const { promise: written, resolve } = Promise.withResolvers<void>();
      decoder.write(piece, () => resolve());
      await Promise.race([written, ended]);
      // A decoder reports the end of its frame in the next turn.
      if (decoder.bytesWritten - before < piece.length && !error) await ended;
      return { ...takeOutput(), used: decoder.bytesWritten - before, over };
    },
    async end() {
      decoder.end();
      await ended;
      return takeOutput();
    },
  };
}
