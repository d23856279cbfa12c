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
  /** Asks for the same file once more, with these headers. */
  again(headers: Record<string, string>): Promise<Answer>;
};

/** A download that breaks off more often than this has failed. */
const MOST_RESUMPTIONS = 20;

/**
 * Writes the body of an answer to disk, unpacked where it came packed for the way, and returns how many bytes that are, and the answer that they are of. Where the connection
 * breaks and the server named the version (a strong ETag), the rest alone is asked for (RFC 9110, Range and If-Range); a server that
 * sends all of it again, because it has another version by now or knows no ranges, is read from the beginning. Fails with `DownloadError` on
 * too many bytes, an encoding that is not known, or a rest of something else; else with what the network says.
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

/** The body as it comes, in as many pieces as it takes; how long it is, and the answer that it is of. */
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
      } else await checkRest(answer, received, saving.name);
    }
  } finally {
    await file.close();
  }
}

/** Writes a body to a file from a place on; gives the place after each piece that is written. */
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

/** Refuses an answer that does not begin where the last one broke off. */
async function checkRest(answer: Answer, received: number, name: string): Promise<void> {
  if (answer.statusCode === 206 && headerOf(answer, 'content-range')?.startsWith(`bytes ${received}-`)) return;
  await answer.body.dump({ limit: 64 * 1_024 }).catch(() => {});
  throw new DownloadError(`${name} broke off, and its rest cannot be had: the server answered ${answer.statusCode}`);
}

/** A weak one (`W/"…"`) does not promise the same bytes. */
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
