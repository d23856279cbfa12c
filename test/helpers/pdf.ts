import { inflateSync } from 'node:zlib';

/** What a PDF says of itself: its fonts, and every character that its text can be read back as (ToUnicode maps, ISO 32000-1 §9.10.3). */
export function readPdf(pdf: Buffer) {
  const source = pdf.toString('latin1');
  const streams = [...source.matchAll(/\/Length (\d+)((?:(?!endobj)[^])*?)>>\nstream\n/g)].map(
    ({ 0: head, 1: length, index }) => {
      const body = source.slice(index + head.length, index + head.length + Number(length));
      return head.includes('/FlateDecode') ? inflated(body) : body;
    },
  );
  const maps = streams.filter(stream => stream.includes('beginbfchar') || stream.includes('beginbfrange'));
  return {
    fonts: new Set([...source.matchAll(/\/BaseFont \/[A-Z]{6}\+([\w-]+)/g)].map(([, name = '']) => name)),
    embedded: [...source.matchAll(/\/FontFile[23]? /g)].length,
    pages: [...source.matchAll(/\/Type \/Page\b/g)].length,
    metadata: streams.find(stream => stream.includes('pdfaid')) ?? '',
    characters: maps.flatMap(charactersOf).join(''),
    /** Whether anything in it acts, or leads out of it. */
    acts: /\/(JavaScript|JS|URI|Launch|EmbeddedFile|SubmitForm)\b/.test(source),
  };
}

const inflated = (body: string) => inflateSync(Buffer.from(body, 'latin1')).toString('latin1');

/** The right side of `<glyph> <text>`; of ranges, all of it. */
const charactersOf = (map: string): string[] =>
  [...map.matchAll(/^<[0-9A-Fa-f]+> <([0-9A-Fa-f]+)>$/gm)].map(([, hex = '']) =>
    Buffer.from(hex, 'hex').swap16().toString('utf16le'),
  );
