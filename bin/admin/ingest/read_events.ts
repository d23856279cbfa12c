import type { Outgoing, Refusal } from '#api/client/send_events.ts';
import { asError, invalidRequest } from '#shared/interface/errors.ts';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import type { SourceReading } from '#shared/sources/read_notice.ts';
import { parsePayload } from '#shared/verification/psp_webhook/delivery.ts';
import { csvRows } from './csv_rows.ts';
import { jsonValues } from './json_values.ts';
import { type InputText, linesOf } from './lines.ts';
import { createIdMaker } from './made_ids.ts';
import { isOfSource, type MakeEvent, type Mapping, mappingOfHeader, prepareMapping } from './mapping.ts';
import { formatOf } from './input_format.ts';
import { type Input, peek } from './open_input.ts';
import { scanEvent } from './scan_event.ts';
import { eventOfObject } from './source_mapping.ts';

/**
 * An event of an input: the `number`th, from 1, beginning in `line`. `at` is the position in the input after it, in bytes; `has_made_id`:
 * it had no id of its own. An event refused before sending has its `source` as JSON: the row of a CSV file, or a text.
 */
export type Item = Outgoing & {
  file: number;
  line: number;
  number: number;
  at: number;
  has_made_id: boolean;
  source?: { row: string } | { text: string };
};

type Options = {
  /** The index of the file. */
  file: number;
  mapping: Mapping | undefined;
  /** How many events at the start are skipped, and whether any of them had no id: their ids must then be counted. */
  skip: number;
  skips_made_ids: boolean;
};

/**
 * The events of an input, in batches as they are read: lines of JSON, a JSON array, `{"events": […]}`, JSON objects over any lines, or CSV.
 * Anything else in it is refused individually. Throws `invalid_request` when the format is unknown, and when the input ends early.
 */
export async function* readEvents(input: Input, options: Options): AsyncGenerator<Item[]> {
  const makeId = createIdMaker();
  const { file, skip, skips_made_ids } = options;
  let number = 0;
  for await (const batch of await openFormat(input, options.mapping)) {
    const items: Item[] = [];
    const at = input.position();
    for (const each of batch) {
      if (each.event === undefined && !each.isRow && !/\S/.test(each.text)) continue;
      number += 1;
      if (number <= skip && !skips_made_ids) continue;
      const outgoing = each.isRow ? eventOfRow(each, makeId) : eventOfText(each, makeId);
      if (number > skip) items.push({ ...outgoing, file, line: each.line, number, at });
    }
    yield items;
  }
}

/** `isRow`: its text is the JSON source of the event, not the event itself. */
type Piece = InputText & { event?: object; isRow?: boolean };

/** How much of an input is read at most to recognize its format. */
const HEAD = 65_536;

/** The pieces of an input that should each be an event, in the format of its first lines. */
async function openFormat(
  { name, chunks: all }: Input,
  mapping: Mapping | undefined,
): Promise<AsyncGenerator<Piece[]>> {
  const { head, chunks } = await peek(all, sofar => sofar.length >= HEAD || formatOf(textOf(sofar), false) !== null);
  const text = textOf(head);
  const format = formatOf(text, true);
  if (format !== 'csv' && mapping && !isOfSource(mapping))
    throw invalidRequest(
      `${name} is JSON, and --map names columns: give the psp_config of a source, whose mapping has JSON pointers, or no --map.`,
    );
  if (text.includes('\0'))
    throw invalidRequest(`${name} is neither JSON nor CSV in UTF-8: it has zero bytes. Convert it if it is UTF-16.`);
  const rest = without(chunks, mark(head));
  if (format !== 'csv') {
    const source = mapping && isOfSource(mapping) ? mapping : null;
    const batch = source ? undefined : /^\s*\{\s*"events"\s*:\s*\[/.exec(text)?.[0];
    if (batch !== undefined) return jsonValues(name, without(chunks, Buffer.byteLength(batch), '['));
    const values = format === 'values' ? jsonValues(name, rest) : linesOf(rest);
    return source ? mapped(values, source) : values;
  }
  const prepare = (header: string[]): MakeEvent => {
    const used = mapping ?? mappingOfHeader(header);
    if (used) return prepareMapping(used, header);
    throw invalidRequest(
      `${name} begins with neither [ nor {, so it is read as CSV, and none of its columns is named like a place in an event: --map says which column is what.`,
    );
  };
  return rowsOf(csvRows(name, rest, prepare));
}

/** The events from JSON objects. */
async function* mapped(values: AsyncGenerator<InputText[]>, source: SourceReading): AsyncGenerator<Piece[]> {
  for await (const batch of values)
    yield batch
      .filter(({ fault, text }) => fault !== undefined || /\S/.test(text))
      .map(each => (each.fault ? each : { line: each.line, ...eventOfJson(each.text, source) }));
}

function eventOfJson(text: string, source: SourceReading): Omit<Piece, 'line'> {
  const payload = parsePayload(text);
  if (payload.kind === 'object')
    return { text: JSON.stringify(payload.object), isRow: true, ...eventOfObject(source, payload.object) };
  const message = 'It must be a JSON object that everybody reads the same way.';
  return { text, fault: { code: 'malformed_json', message } };
}

async function* rowsOf(rows: AsyncGenerator<Piece[]>): AsyncGenerator<Piece[]> {
  for await (const batch of rows) yield batch.map(each => ({ ...each, isRow: true }));
}

const textOf = (head: Buffer): string => head.subarray(mark(head)).toString();

/** The length of a UTF-8 byte order mark. */
const mark = (head: Buffer): number => (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0);

/** The chunks with this many first bytes replaced by `instead`; line numbers stay the same. */
async function* without(chunks: AsyncGenerator<Buffer>, bytes: number, instead = ''): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst && bytes > 0) {
      const newlines = chunk.subarray(0, bytes).filter(byte => byte === 0x0a);
      yield Buffer.concat([newlines, Buffer.from(instead), chunk.subarray(bytes)]);
    } else yield chunk;
    isFirst = false;
  }
}

type MakeId = ReturnType<typeof createIdMaker>;
type OutgoingEvent = Outgoing & Pick<Item, 'has_made_id' | 'source'>;
type Parties = { id?: unknown; occurred_at?: unknown; agent_id?: unknown; agent?: { external_id?: unknown } | null };

function eventOfText({ text, fault }: Piece, makeId: MakeId): OutgoingEvent {
  const refuse = (refused: Refusal): OutgoingEvent => ({
    json: '',
    refused,
    has_made_id: false,
    source: { text: JSON.stringify(text) },
  });
  if (fault) return refuse(fault);
  const scanned = scanEvent(text);
  if (scanned?.has_id) return { json: text, agent: scanned.agent, has_made_id: false };
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch (error) {
    return refuse({ code: 'malformed_json', message: `It is not JSON: ${asError(error).message}.` });
  }
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    return refuse({ code: 'invalid_type', message: 'It must be a JSON object.' });
  if (Object.hasOwn(event, 'id')) return { json: text, agent: agentOf(event), has_made_id: false };
  const { occurred_at } = event as Parties;
  const members = text.slice(text.indexOf('{') + 1);
  const id = makeId(canonicalOr(text, event), occurred_at);
  const comma = Object.keys(event).length > 0 ? ',' : '';
  return { json: `{"id":"${id}"${comma}${members}`, agent: agentOf(event), has_made_id: true };
}

function eventOfRow({ text, fault, event }: Piece, makeId: MakeId): OutgoingEvent {
  const source = { row: text };
  if (!event)
    return {
      json: '',
      refused: fault ?? { code: 'malformed_csv', message: 'The row is not sound.' },
      has_made_id: false,
      source,
    };
  const { id, occurred_at } = event as Parties;
  if (id !== undefined) return { json: JSON.stringify(event), agent: agentOf(event), has_made_id: false };
  // Includes the type: two mappings may read one row as two events of a payment.
  const id_made = makeId(`${(event as { type?: string }).type}\n${text}`, occurred_at);
  return { json: JSON.stringify({ id: id_made, ...event }), agent: agentOf(event), has_made_id: true };
}

/** The canonical form of an event, whatever its layout; without one, the service will refuse it. */
function canonicalOr(text: string, event: object): string {
  try {
    return canonicalJson(event);
  } catch {
    return text;
  }
}

/** The member that identifies the agent, if any. */
function agentOf(event: Parties): string {
  const agent = event.agent?.external_id ?? event.agent_id;
  return typeof agent === 'string' ? agent : '';
}
