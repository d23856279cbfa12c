import { partitionPoint } from '#shared/values/partition_point.ts';

/** Whether a font has a glyph for a character, by its code point. */
export type HasGlyph = (code_point: number) => boolean;

/**
 * Reads which characters an OpenType font contains (ISO/IEC 14496-22, `cmap`, subtables of format 4 and 12). Throws a RangeError for
 * anything but a font.
 */
export function readGlyphs(font: Buffer): HasGlyph {
  const tables = font.readUInt16BE(4);
  for (let table = 12; table < 12 + tables * 16; table += 16)
    if (font.toString('latin1', table, table + 4) === 'cmap') return readCmap(font, font.readUInt32BE(table + 8));
  throw new RangeError('a font without a cmap table');
}

function readCmap(font: Buffer, cmap: number): HasGlyph {
  const subtables = Array.from({ length: font.readUInt16BE(cmap + 2) }, (_, index) => {
    const at = cmap + font.readUInt32BE(cmap + 4 + index * 8 + 4);
    return { at, format: font.readUInt16BE(at) };
  });
  // Format 12, if present, has all characters; format 4 has those of the first 65,536.
  for (const [format, read] of readers) {
    const match = subtables.find(subtable => subtable.format === format);
    if (match) return read(font, match.at);
  }
  throw new RangeError('a cmap table of another format');
}

const readers: [number, (font: Buffer, at: number) => HasGlyph][] = [
  [12, readGroups],
  [4, readSegments],
];

function readGroups(font: Buffer, at: number): HasGlyph {
  const count = font.readUInt32BE(at + 12);
  return code_point => {
    const group = partitionPoint(count, index => font.readUInt32BE(at + 16 + index * 12 + 4) >= code_point);
    return group < count && font.readUInt32BE(at + 16 + group * 12) <= code_point;
  };
}

function readSegments(font: Buffer, at: number): HasGlyph {
  const count = font.readUInt16BE(at + 6) / 2;
  const [ends, starts, deltas, offsets] = [14, 16 + count * 2, 16 + count * 4, 16 + count * 6];
  const valueAt = (array: number, index: number) => font.readUInt16BE(at + array + index * 2);
  return code_point => {
    const segment = partitionPoint(count, index => valueAt(ends, index) >= code_point);
    if (segment === count || valueAt(starts, segment) > code_point) return false;
    const offset = valueAt(offsets, segment);
    if (offset === 0) return ((code_point + valueAt(deltas, segment)) & 0xffff) !== 0;
    return font.readUInt16BE(at + offsets + segment * 2 + offset + (code_point - valueAt(starts, segment)) * 2) !== 0;
  };
}
