import { crc32, inflateRawSync } from 'node:zlib';

const MOST_BYTES = 64 * 1_024 * 1_024;
const END = Buffer.from('PK\u0005\u0006');

/** The content of a ZIP archive of one file (APPNOTE 4.3), by its directory; null where it is another archive, is damaged, or holds over 64 MB. */
export function unpackOne(zip: Buffer): Buffer | null {
  try {
    const end = zip.lastIndexOf(END);
    if (end < 0 || zip.readUInt16LE(end + 10) !== 1) return null;
    const entry = zip.readUInt32LE(end + 16);
    const [method, crc, size] = [
      zip.readUInt16LE(entry + 10),
      zip.readUInt32LE(entry + 16),
      zip.readUInt32LE(entry + 20),
    ];
    const local = zip.readUInt32LE(entry + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const packed = zip.subarray(start, start + size);
    const content = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: MOST_BYTES });
    return crc32(content) === crc ? content : null;
  } catch {
    return null;
  }
}
