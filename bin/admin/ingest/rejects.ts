import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Outcome } from '#api/client/send_events.ts';
import { asError, invalidRequest } from '#shared/interface/errors.ts';
import { linesOf } from './lines.ts';
import type { Item } from './read_events.ts';
import type { IngestState } from './state.ts';

/**
 * The file of refused events, one per line: `{file, line, number, sending, status, error}` and the `event` as sent, or the `row` or `text`
 * that was none. It is created with the first. Other sendings may write to it too, so it is only appended to: what an earlier run of this
 * sending wrote after it last saved its `state` is not written again.
 */
export function openRejects(path: string, files: readonly string[], state: IngestState) {
  let file: Awaited<ReturnType<typeof open>> | null = null;
  let before: Before = { places: new Set(), cut_off: '' };
  let isSynced = true;
  return {
    async write(refusals: readonly Outcome<Item>[]) {
      if (refusals.length === 0) return;
      try {
        if (!file) {
          before = await readBefore(path, files, state);
          file = await open(path, 'a');
        }
        const lines = refusals.map(refusal => lineOf(files, state.sending, refusal));
        const text = lines.filter(line => !before.places.has(placeOf(line))).join('');
        if (text === '') return;
        await file.appendFile(textAfter(before.cut_off, text));
        before.cut_off = '';
        isSynced = false;
      } catch (error) {
        throw invalidRequest(
          `The file of refused events ${path} cannot be written: ${asError(error).message}. --rejects names another.`,
        );
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

/** The places of refusals that this sending wrote after its state, and a last line that a kill or a full disk cut off. */
type Before = { places: Set<string>; cut_off: string };

async function readBefore(path: string, files: readonly string[], state: IngestState): Promise<Before> {
  const before: Before = { places: new Set(), cut_off: '' };
  const there = await stat(path).catch(() => null);
  if (!there?.isFile()) return before;
  for await (const lines of linesOf(createReadStream(path))) {
    for (const place of lines.map(({ text }) => placeOf(text))) {
      if (!place.endsWith(`,"sending":"${state.sending}"`)) continue;
      const { file, number } = JSON.parse(`${place}}`) as { file: string; number: number };
      const index = files.indexOf(file);
      if (index > state.file || (index === state.file && number > state.events)) before.places.add(place);
    }
    before.cut_off = lines.at(-1)?.text ?? '';
  }
  before.places.delete(placeOf(before.cut_off));
  return before;
}

/** Ends the line that was cut off: with the rest of it if it is the same one, otherwise by a line break. */
const textAfter = (cut_off: string, text: string): string => {
  if (cut_off === '') return text;
  return text.startsWith(cut_off) ? text.slice(cut_off.length) : `\n${text}`;
};

function lineOf(files: readonly string[], sending: string, { event, status, error }: Outcome<Item>): string {
  const { file, line, number, json, source = sourceOf(json) } = event;
  const said = JSON.stringify({ file: files[file], line, number, sending, status, error });
  const [[name, content] = ['event', 'null']] = Object.entries(source);
  return `${said.slice(0, -1)},"${name}":${content}}\n`;
}

/** The beginning of a line that says where the event is and which sending refused it; empty for any other line. */
const placeOf = (line: string): string => line.slice(0, Math.max(0, line.indexOf(',"status":')));

/** An event is embedded as it was, in one line: numbers and duplicate members are preserved. */
function sourceOf(json: string): { event: string } | { text: string } {
  try {
    JSON.parse(json);
    return { event: json.trim().replaceAll(/[\r\n]+/g, ' ') };
  } catch {
    return { text: JSON.stringify(json) };
  }
}
