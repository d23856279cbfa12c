import { crc32, deflateRawSync } from 'node:zlib';

/** What both headers of a file say; sizes in bytes. */
type Header = { flags: number; method: number; crc: number; packed: number; size: number; name: Buffer; extra: Buffer };

/** A file of an archive: `both` changes what is said of it in the directory and before the data, `local` and `central` only one. */
export type RawFile = {
  name: string;
  content: Buffer;
  both?: Partial<Header>;
  local?: Partial<Header>;
  central?: Partial<Header>;
  /** Bytes that are neither header nor data. */
  after?: Buffer;
  offset?: number;
  mode?: number;
  comment?: string;
  disk?: number;
};

type Options = { before?: Buffer; after?: Buffer; comment?: string; end?: Partial<End> };
type End = { disk: number; here: number; total: number; length: number; start: number };

/** The bytes of a ZIP archive (APPNOTE 6.3) in which everything can be said wrongly. */
export function rawZip(files: RawFile[], { before = Buffer.alloc(0), after, comment = '', end }: Options = {}): Buffer {
  const parts = [before];
  const directory: Buffer[] = [];
  let offset = before.length;
  for (const file of files) {
    const { mode = 0o100644, comment: remark = '', disk = 0 } = file;
    const { local, central, data } = headersOf(file);
    const written = [little(4, 0x04034b50, 2, 20), common(local), local.name, local.extra, data, file.after ?? nothing];
    directory.push(
      little(4, 0x02014b50, 2, 0x0314, 2, 20),
      common(central),
      little(2, remark.length, 2, disk, 2, 0, 4, mode * 0x10000, 4, file.offset ?? offset),
      central.name,
      central.extra,
      Buffer.from(remark),
    );
    parts.push(...written);
    offset += Buffer.concat(written).length;
  }
  const { length } = Buffer.concat(directory);
  const said = { disk: 0, here: files.length, total: files.length, length, start: offset, ...end };
  return Buffer.concat([
    ...parts,
    ...directory,
    little(4, 0x06054b50, 2, said.disk, 2, said.disk, 2, said.here, 2, said.total, 4, said.length, 4, said.start),
    little(2, comment.length),
    Buffer.from(comment, 'latin1'),
    after ?? nothing,
  ]);
}

/** Numbers as ZIP has them, lowest byte first: width in bytes and value, in turn. */
export function little(...pairs: number[]): Buffer {
  const bytes: number[] = [];
  for (let at = 0; at < pairs.length; at += 2)
    for (let byte = 0; byte < (pairs[at] ?? 0); byte += 1)
      bytes.push(Math.floor((pairs[at + 1] ?? 0) / 256 ** byte) & 255);
  return Buffer.from(bytes);
}

function headersOf({ name, content, both = {}, local = {}, central = {} }: RawFile) {
  const method = both.method ?? 0;
  const data = method === 8 ? deflateRawSync(content) : content;
  const said: Header = {
    flags: 0,
    method,
    crc: crc32(content),
    packed: data.length,
    size: content.length,
    name: Buffer.from(name, 'latin1'),
    extra: nothing,
    ...both,
  };
  return { local: { ...said, ...local }, central: { ...said, ...central }, data };
}

const common = ({ flags, method, crc, packed, size, name, extra }: Header) =>
  little(2, flags, 2, method, 4, 0x59740000, 4, crc, 4, packed, 4, size, 2, name.length, 2, extra.length);

const nothing = Buffer.alloc(0);
