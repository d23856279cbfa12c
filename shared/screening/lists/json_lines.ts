import { ListError } from './list_error.ts';
import type { TextSource } from './list_format.ts';

/** One line of a file, without its end. */
export type Line = { text: string; line: number };

const LONGEST_LINE = 4 * 1_024 * 1_024;

/** Reads lines as they stream in, those of a chunk at once; empty ones are passed over. Over 4 MB a line is refused. */
export async function* textLines({ name, chunks }: TextSource): AsyncGenerator<Line[]> {
  let rest = '';
  let line = 0;
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    const lines = parts.flatMap(text => {
      line += 1;
      return text.trim() === '' ? [] : { text, line };
    });
    const tooLong = rest.length > LONGEST_LINE ? line + 1 : lines.find(({ text }) => text.length > LONGEST_LINE)?.line;
    if (tooLong) throw new ListError(name, tooLong, 'a line is longer than 4 MB; this is not JSON lines, or damaged');
    if (lines.length > 0) yield lines;
  }
  if (rest.trim() !== '') yield [{ text: rest, line: line + 1 }];
}

/** A line as the JSON object that it must be. */
export function jsonObject({ text, line }: Line, file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ListError(
      file,
      line,
      'is not JSON; the file is cut off or damaged, or is not JSON lines: fetch it again',
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ListError(file, line, 'is not a JSON object; JSON lines has one on every line');
}
