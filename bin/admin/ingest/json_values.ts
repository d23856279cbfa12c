import { invalidRequest } from '#shared/interface/errors.ts';
import { collector, type InputText } from './lines.ts';

const [NEWLINE, QUOTE, BACKSLASH, COMMA] = [0x0a, 0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * The elements of one or more JSON arrays, or consecutive JSON objects over any lines. Each is returned as its original text, so arrays may
 * be of any size and numbers stay as written. It only finds the end of each value: whether it is valid JSON shows when it is parsed. Throws
 * `invalid_request` when the input ends within a value.
 */
export async function* jsonValues(name: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<InputText[]> {
  const begun = collector();
  let isInArray = false;
  /** The depth within a value; a bare one, such as a number, begins and ends at 0. */
  let depth = 0;
  let isBare = false;
  let isInString = false;
  let isEscaped = false;
  let line = 1;
  let began = 1;
  for await (const chunk of chunks) {
    const values: InputText[] = [];
    let from = depth > 0 || isBare ? 0 : -1;
    const close = (end: number) => {
      begun.add(chunk.subarray(from, end));
      values.push(begun.take(began));
      from = -1;
      isBare = false;
    };
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === NEWLINE) line += 1;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
        continue;
      }
      const opens = byte === OPEN_OBJECT || byte === OPEN_ARRAY;
      const closes = byte === CLOSE_OBJECT || byte === CLOSE_ARRAY;
      if (depth > 0) {
        if (byte === QUOTE) isInString = true;
        else if (opens) depth += 1;
        else if (closes && (depth -= 1) === 0) close(at + 1);
        continue;
      }
      const separates = byte === COMMA || byte === NEWLINE || byte === 0x20 || byte === 0x09 || byte === 0x0d;
      if (isBare && (separates || opens || closes)) close(at);
      if (separates) continue;
      if (byte === OPEN_ARRAY && !isInArray) isInArray = true;
      else if (closes) isInArray = false;
      else if (from < 0) {
        from = at;
        began = line;
        if (opens) depth = 1;
        else isBare = true;
      }
      if (byte === QUOTE) isInString = true;
    }
    if (from >= 0) begun.add(chunk.subarray(from));
    yield values;
  }
  if (isBare) yield [begun.take(began)];
  if (depth > 0)
    throw invalidRequest(
      `${name} breaks off inside the value that begins in line ${began}. What came before has been sent.`,
    );
  if (isInArray) throw invalidRequest(`${name} breaks off: its array is not closed. What it holds has been sent.`);
}
