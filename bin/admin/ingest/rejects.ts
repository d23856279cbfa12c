import { open, stat, truncate } from 'node:fs/promises';
import type { Outcome } from '#api/client/send_events.ts';
import { asError, invalidRequest } from '#shared/interface/errors.ts';
import type { Item } from './read_events.ts';

/**
 * The file of refused events, one per line: `{file, line, number, status, error}` and the `event` as sent, or the `row` or `text` that was
 * none. It is created with the first. A resumed sending truncates it to `bytes`, since it will write the rest again; a new one (null)
 * appends.
 */
export async function openRejects(path: string, bytes: number | null) {
  const failure = (error: unknown) =>
    invalidRequest(
      `The file of refused events ${path} cannot be written: ${asError(error).message}. --rejects names another.`,
    );
  const there = await stat(path).catch(() => null);
  let length = there?.size ?? 0;
  if (bytes !== null && length > bytes) {
    await truncate(path, bytes).catch(error => {
      throw failure(error);
    });
    length = bytes;
  }
  let file: Awaited<ReturnType<typeof open>> | null = null;
  let isSynced = true;
  return {
    /** Its length, including everything written so far. */
    length: () => length,
    async write(files: readonly string[], refusals: readonly Outcome<Item>[]) {
      const text = refusals.map(refusal => lineOf(files, refusal)).join('');
      if (text === '') return;
      try {
        file ??= await open(path, 'a');
        const written = Buffer.from(text);
        await file.appendFile(written);
        length += written.length;
        isSynced = false;
      } catch (error) {
        throw failure(error);
      }
    },
    /** Resolves when everything is on disk. */
    async sync() {
      if (isSynced) return;
      await file?.sync();
      isSynced = true;
    },
    close: async () => void (await file?.close()),
  };
}

function lineOf(files: readonly string[], { event, status, error }: Outcome<Item>): string {
  const { file, line, number, json, source = sourceOf(json) } = event;
  const said = JSON.stringify({ file: files[file], line, number, status, error });
  const [[name, content] = ['event', 'null']] = Object.entries(source);
  return `${said.slice(0, -1)},"${name}":${content}}\n`;
}

/** An event is embedded as it was, in one line: numbers and duplicate members are preserved. */
function sourceOf(json: string): { event: string } | { text: string } {
  try {
    JSON.parse(json);
    return { event: json.trim().replaceAll(/[\r\n]+/g, ' ') };
  } catch {
    return { text: JSON.stringify(json) };
  }
}
