import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { asError } from '#shared/interface/errors.ts';
import { ListError } from './list_error.ts';
import type { TextSource } from './list_format.ts';

/**
 * Opens a file as text. A file that is no text (compressed, UTF-16, NUL bytes, not UTF-8), a web page and an empty file are refused with
 * `ListError`; a byte order mark is dropped. `onBytes` gets every byte, in order.
 */
export function openText(path: string, onBytes: (bytes: Buffer) => void = () => {}): TextSource {
  return { name: basename(path), chunks: readChunks(path, onBytes) };
}

const CHUNK = 256 * 1_024;

async function* readChunks(path: string, onBytes: (bytes: Buffer) => void): AsyncGenerator<string> {
  const name = basename(path);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let lines = 1;
  let first = true;
  for await (const bytes of bytesOf(path)) {
    onBytes(bytes);
    if (first) refusePacked(name, bytes);
    const nul = bytes.indexOf(0);
    if (nul !== -1) {
      throw new ListError(
        name,
        lines + newlines(bytes.subarray(0, nul)),
        'a NUL byte; the file is damaged, fetch it again',
      );
    }
    const text = decode(bytes, decoder, name, lines);
    if (first) refuseWebPage(name, text);
    first = false;
    lines += newlines(bytes);
    yield text;
  }
  if (first) throw new ListError(name, null, 'the file is empty; fetch it again');
  decode(null, decoder, name, lines);
}

/** Reads a file's bytes; a missing or unreadable file is a `ListError`. */
async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK });
  } catch (thrown) {
    const error = asError(thrown);
    const missing = 'code' in error && error.code === 'ENOENT';
    throw new ListError(basename(path), null, missing ? 'there is no such file' : `cannot be read: ${error.message}`);
  }
}

function decode(bytes: Buffer | null, decoder: InstanceType<typeof TextDecoder>, name: string, line: number): string {
  try {
    return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
  } catch {
    const at = bytes ? line + linesBeforeFault(bytes) : line;
    throw new ListError(name, at, 'bytes that are not UTF-8; fetch the file again, or convert it to UTF-8');
  }
}

/** How many lines of a chunk are valid before the one that is not UTF-8. Its first line may begin within a character. */
function linesBeforeFault(bytes: Buffer): number {
  let from = 0;
  while (from < 4 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  for (let before = 0; ; before += 1) {
    const end = bytes.indexOf(10, from);
    if (end === -1 || !isUtf8(bytes.subarray(from, end))) return before;
    from = end + 1;
  }
}

function newlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}

function refusePacked(name: string, bytes: Buffer) {
  const fault = packed.find(({ magic }) => bytes.subarray(0, magic.length).equals(magic));
  if (fault) throw new ListError(name, null, fault.what);
}

const packed = [
  { magic: Buffer.from([0x1f, 0x8b]), what: 'is packed with gzip; unpack it first (gunzip)' },
  { magic: Buffer.from('PK\x03\x04'), what: 'is a ZIP archive; unpack it first (unzip)' },
  { magic: Buffer.from('BZh'), what: 'is packed with bzip2; unpack it first (bunzip2)' },
  { magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), what: 'is packed with zstd; unpack it first (unzstd)' },
  { magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]), what: 'is packed with xz; unpack it first (unxz)' },
  { magic: Buffer.from([0xff, 0xfe]), what: 'is UTF-16; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)' },
  { magic: Buffer.from([0xfe, 0xff]), what: 'is UTF-16; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)' },
  { magic: Buffer.from('%PDF'), what: 'is a PDF document; fetch the list in the format that is to be read' },
];

/** Publishers answer with a page when the file has moved, or when they take the client for a bot. */
function refuseWebPage(name: string, text: string) {
  const beginning = withoutComments(text).replace(/^<\?xml[^>]*>\s*/i, '');
  if (/^<(?:!doctype\s+html|html|head|body)\b/i.test(beginning))
    throw new ListError(name, null, 'is a web page (HTML), not a list; look at what its address answers with');
}

/** The text after its leading comments and spaces. */
function withoutComments(text: string): string {
  let rest = text.trimStart();
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->');
    if (end < 0) return rest;
    rest = rest.slice(end + 3).trimStart();
  }
  return rest;
}
