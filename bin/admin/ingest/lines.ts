import { isUtf8 } from 'node:buffer';
import type { Refusal } from '#api/client/send_events.ts';

/** A piece of an input that should be an event, and its first line, from 1. `fault`: it cannot be one. */
export type InputText = { line: number; text: string; fault?: Refusal };

/** The most of one event that is kept in memory, in bytes; a larger one cannot be sent. */
const LONGEST = 2 * 1_048_576;
/** Characters kept of a longer one. */
const SAMPLE = 1_000;
const NEWLINE = 0x0a;

/** The lines of an input, in batches as they are read. Invalid UTF-8 or excessive length is a fault of that line alone. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<InputText[]> {
  const begun = collector();
  let line = 1;
  for await (const chunk of chunks) {
    const first = chunk.indexOf(NEWLINE);
    if (first < 0) {
      begun.add(chunk);
      continue;
    }
    begun.add(chunk.subarray(0, first));
    const batch = [begun.take(line)];
    const last = chunk.lastIndexOf(NEWLINE);
    for (const text of last > first ? textsOf(chunk.subarray(first + 1, last)) : [])
      batch.push({ ...text, line: line + batch.length });
    line += batch.length;
    begun.add(chunk.subarray(last + 1));
    yield batch;
  }
  yield [begun.take(line)];
}

type Text = Omit<InputText, 'line'>;

/** All at once if everything is valid, as almost always. */
function textsOf(block: Buffer): Text[] {
  const lines = isUtf8(block) ? block.toString().split('\n') : null;
  if (lines) return lines.map(text => ({ text }));
  const texts: Text[] = [];
  for (let from = 0; from <= block.length;) {
    const end = block.indexOf(NEWLINE, from);
    const until = end < 0 ? block.length : end;
    texts.push(textOf(block.subarray(from, until)));
    from = until + 1;
  }
  return texts;
}

/** Joins pieces, without keeping more than could be sent. */
export function collector() {
  let parts: Buffer[] = [];
  let bytes = 0;
  return {
    add(part: Buffer) {
      bytes += part.length;
      // A copy: a slice would keep its whole chunk in memory.
      if (bytes <= LONGEST) parts.push(Buffer.from(part));
    },
    /** The joined pieces as text. */
    take(line: number): InputText {
      const [whole, length] = [Buffer.concat(parts), bytes];
      parts = [];
      bytes = 0;
      if (length <= LONGEST) return { line, ...textOf(whole) };
      const message = `It is ${length.toLocaleString('en-US')} bytes long; a request holds at most 1 MB.`;
      return { line, text: `${whole.toString().slice(0, SAMPLE)}…`, fault: { code: 'payload_too_large', message } };
    },
  };
}

function textOf(bytes: Buffer): Text {
  const text = bytes.toString();
  if (isUtf8(bytes)) return { text };
  return {
    text,
    fault: { code: 'invalid_encoding', message: 'It has bytes that are not UTF-8; convert it to UTF-8.' },
  };
}
