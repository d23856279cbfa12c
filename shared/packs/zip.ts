import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type Duplex, PassThrough, Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A file within the ZIP: its size and SHA-256 (hex) before it was compressed. */
export type ZippedFile = { path: string; size: number; sha256: string };

/** A ZIP that is being written. Files are added one after the other. */
export type ZipWriter = {
  /** Adds a file from its pieces as they come; answers once all of it is compressed. */
  add(path: string, pieces: Iterable<string | Buffer> | AsyncIterable<string | Buffer>): Promise<ZippedFile>;
  /** Completes the ZIP; answers when it is on the disk, with its own size and SHA-256. */
  finish(): Promise<{ size_bytes: number; sha256: string }>;
  /** Gives up; what is written so far is the caller's to remove. */
  abort(): void;
};

/**
 * Writes a ZIP (APPNOTE 6.3, ZIP64 where sizes need it) to `destination`, holding no more than some pieces in memory. The same files with
 * the same `date` give the same bytes: times are UTC, the order is that of `add`. What is written goes through `sealing`, where there is one.
 */
export async function createZip(
  destination: string,
  date: Date,
  { always_zip64 = false, sealing = new PassThrough() }: { always_zip64?: boolean; sealing?: Duplex } = {},
): Promise<ZipWriter> {
  // Seventy modules, for processes that may never write one.
  const { default: ZipStream } = await import('zip-stream');
  const archive = new ZipStream({ level: 6, forceZip64: always_zip64 });
  const counter = createCounter();
  const output = createWriteStream(destination, { flags: 'w', flush: true, mode: 0o600 });
  const written = pipeline(archive, sealing, counter.stream, output);
  // Heard where the files are added and at the end; nothing may be left that nobody listens to.
  written.catch(() => {});
  return {
    async add(path, pieces) {
      const file = { path, size: 0, hash: createHash('sha256') };
      const source = Readable.from(counted(pieces, file), { objectMode: false });
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      source.once('error', reject);
      archive.entry(source, { name: path, date, mode: 0o644 }, error => (error ? reject(error) : resolve()));
      await Promise.race([promise, written.then(() => Promise.reject(new Error('the ZIP ended early')))]);
      return { path, size: file.size, sha256: file.hash.digest('hex') };
    },
    async finish() {
      archive.finish();
      await written;
      return counter.total();
    },
    abort() {
      archive.destroy();
      output.destroy();
    },
  };
}

/** Passes pieces on, of about 64 KB each, while their size and hash are taken. */
async function* counted(
  pieces: Iterable<string | Buffer> | AsyncIterable<string | Buffer>,
  file: { size: number; hash: Hash },
): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    file.size += bytes.length;
    file.hash.update(bytes);
    waiting.push(bytes);
    size += bytes.length;
    if (size < PIECE) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(waiting);
}

const PIECE = 65_536;

/** Passes bytes on, while their size and SHA-256 (hex) are taken. */
export function createCounter() {
  const hash = createHash('sha256');
  let size_bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size_bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, total: () => ({ size_bytes, sha256: hash.digest('hex') }) };
}
