import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { DownloadError } from './download_error.ts';

type Answer = Dispatcher.ResponseData;

type Saving = {
  /** The name of the file in messages. */
  name: string;
  path: string;
  max_bytes: number;
  signal: AbortSignal;
  /** Requests the same file again with these headers. */
  again(headers: Record<string, string>): Promise<Answer>;
};

/** A download that breaks off more often has failed. */
const MOST_RESUMPTIONS = 20;

/**
 * Writes the body of a response to disk, decoded, and returns its number of bytes and the response it came from. If the connection breaks
 * and the server named the version (a strong ETag), only the rest is requested (RFC 9110, Range and If-Range); if the server sends all of
 * it again, because its version changed or it does not support ranges, it is read from the beginning. Fails with `DownloadError` for too
 * many bytes, an unknown encoding, or a rest of another version; otherwise with the network's error.
 */
export async function saveBody(first: Answer, saving: Saving): Promise<{ bytes: number; answer: Answer }> {
  const unpack = unpackers[encodingOf(first)];
  if (!unpack) throw new DownloadError(`${saving.name} came in an encoding that is not known`);
  const packed = `${saving.path}.part`;
  const { bytes, answer } = await receive(first, packed, saving);
  if (encodingOf(first) === 'identity') {
    await rename(packed, saving.path);
    return { bytes, answer };
  }
  let unpacked = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      unpacked += chunk.length;
      if (unpacked <= saving.max_bytes) return done(null, chunk);
      done(tooMany(saving));
    },
  });
  const file = createWriteStream(saving.path, { flags: 'wx', mode: 0o600 });
  await pipeline([createReadStream(packed), ...unpack(), counted, file], { signal: saving.signal });
  await rm(packed);
  return { bytes: unpacked, answer };
}

/** Receives the body, in as many pieces as it takes; its length, and the response it came from. */
async function receive(first: Answer, path: string, saving: Saving) {
  let [whole, answer, received] = [first, first, 0];
  const file = await open(path, 'wx', 0o600);
  try {
    for (let resumptions = 0; ; resumptions += 1) {
      try {
        for await (const end of written(answer, file, received, saving)) received = end;
        return { bytes: received, answer: whole };
      } catch (thrown) {
        const isFinal = thrown instanceof DownloadError || saving.signal.aborted || resumptions === MOST_RESUMPTIONS;
        if (isFinal || !strongEtag(whole)) throw thrown;
      }
      const rest = { range: `bytes=${received}-`, 'if-range': strongEtag(whole) ?? '' };
      answer = await saving.again(received > 0 ? rest : {});
      if (answer.statusCode === 200 && encodingOf(answer) === encodingOf(first)) {
        [whole, received] = [answer, 0];
        await file.truncate(0);
      } else await checkRest(whole, answer, received, saving.name);
    }
  } finally {
    await file.close();
  }
}

/** Writes a body to a file from a position on; yields the position after each piece. */
async function* written(answer: Answer, file: FileHandle, from: number, saving: Saving): AsyncGenerator<number> {
  let end = from;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    if (end + chunk.length > saving.max_bytes) throw tooMany(saving);
    await file.write(chunk, 0, chunk.length, end);
    end += chunk.length;
    yield end;
  }
}

const encodingOf = (answer: Answer) => headerOf(answer, 'content-encoding')?.toLowerCase() ?? 'identity';

const tooMany = ({ name, max_bytes }: Saving) =>
  new DownloadError(`${name} is larger than ${Math.round(max_bytes / 1_024 ** 2)} MB`);

/** Refuses a response that does not continue the whole where it broke off, or is of another version of it. */
async function checkRest(whole: Answer, answer: Answer, received: number, name: string): Promise<void> {
  const isRest = answer.statusCode === 206 && headerOf(answer, 'content-range')?.startsWith(`bytes ${received}-`);
  // RFC 9110 §15.3.7: the part has the ETag of the whole.
  if (isRest && (strongEtag(answer) ?? strongEtag(whole)) === strongEtag(whole)) return;
  await answer.body.dump({ limit: 64 * 1_024 }).catch(() => {});
  throw new DownloadError(`${name} broke off, and its rest cannot be had: the server answered ${answer.statusCode}`);
}

/** A weak one (`W/"…"`) does not guarantee the same bytes. */
const strongEtag = (answer: Answer): string | null => {
  const etag = headerOf(answer, 'etag');
  return etag?.startsWith('"') ? etag : null;
};

/** The first header of that name. */
export const headerOf = ({ headers }: Pick<Answer, 'headers'>, name: string): string | undefined => {
  const header = headers[name];
  return Array.isArray(header) ? header[0] : header;
};

const unpackers: Record<string, () => Transform[]> = {
  identity: () => [],
  gzip: () => [createGunzip()],
  'x-gzip': () => [createGunzip()],
  deflate: () => [createInflate()],
  br: () => [createBrotliDecompress()],
};
