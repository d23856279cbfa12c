import { z } from 'zod';
import { EventInput } from '#shared/events/input/event_input.ts';
import type { Refusal } from '#api/client/send_events.ts';
import { invalidDetail, Problem } from '#shared/interface/errors.ts';
import { validate } from '#shared/json/issues.ts';
import { minorUnitExponent } from '#shared/values/currencies.ts';
import { smallestUnits } from '#shared/values/money.ts';
import type { SourceReading } from '#shared/sources/read_notice.ts';
import { columnsOf, eventOfObject, SourceMapping } from './source_mapping.ts';

const Column = z.strictObject({
  column: z.string(),
  as: z.literal('decimal').optional(),
  values: z.record(z.string(), z.string()).optional(),
});
const Constant = z.strictObject({
  value: z.union([z.string(), z.number(), z.boolean()], 'must be a string, a number, or true or false'),
});
const Template = z.strictObject({ text: z.string() });

/**
 * How the rows of a CSV file become events: for each place in an event, such as `payment.amount.value`, a column, a constant (`value`), or
 * a text with columns in braces. `values` translates a column's values; `as: 'decimal'` converts an amount like 12.34 to minor units.
 */
type Places = Record<string, string | z.infer<typeof Column> | z.infer<typeof Constant> | z.infer<typeof Template>>;

/** The schema of a mapping, whose places each have the form that they are like: of a union it could not be told what is wrong. */
const placesSchema = (json: unknown): z.ZodType<Places> =>
  z.object(Object.fromEntries(Object.entries(json ?? {}).map(([place, source]) => [place, formOf(source)])));

function formOf(source: unknown) {
  if (typeof source !== 'object' || source === null)
    return z.string('must be the name of a column, or an object with column, value or text');
  if ('value' in source) return Constant;
  return 'text' in source ? Template : Column;
}

/** How the contents of a file become events: place by place, or as a source reads its webhooks. */
export type Mapping = Places | SourceReading;

/** Whether a file is read as a source reads its webhooks, which have no columns. */
export const isOfSource = (mapping: object): mapping is SourceReading =>
  ['psp_scheme', 'psp_config'].some(name => Object.hasOwn(mapping, name));

/** Converts the cells of a row to an event. */
export type MakeEvent = (cells: readonly string[]) => { event: object } | { fault: Refusal };

/** The mapping in a file. Throws `invalid_request`, which names the place. */
export function parseMapping(text: string, path: string): Mapping {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw invalidDetail('/map', 'malformed_json', `The mapping ${path} is not JSON.`);
  }
  const isSource = typeof json === 'object' && json !== null && isOfSource(json);
  const checked = validate<Mapping>(isSource ? SourceMapping : placesSchema(json), json);
  if (checked.ok) return checked.value;
  const [{ path: place, message } = { path: '', message: '' }] = checked.issues;
  throw new Problem('invalid_request', `The mapping ${path} is not sound at ${place || 'its top'}: ${message}`, {
    details: checked.issues,
  });
}

/** The mapping of a header without one: columns named like a place of an event. Null when there are none. */
export function mappingOfHeader(header: readonly string[]): Places | null {
  const places = header.filter(name => kindOf(name) !== null);
  return places.length === 0 ? null : Object.fromEntries(places.map(name => [name, { column: name }]));
}

/** Prepares a mapping for files with this header. Throws `invalid_request` for an unknown place or column. */
export function prepareMapping(mapping: Mapping, header: readonly string[]): MakeEvent {
  const columnOf = (name: string, place: string): number => {
    const index = header.indexOf(name);
    if (index >= 0) return index;
    throw invalidDetail(
      `/${place}`,
      'unknown_column',
      `${place} is mapped to the column ${name}, which there is not; there are ${header.join(', ')}.`,
    );
  };
  if (isOfSource(mapping)) {
    for (const column of columnsOf(mapping)) columnOf(column, 'psp_config/mapping');
    return row => eventOfObject(mapping, rowObject(header, row));
  }
  const cells = Object.entries(mapping).map(([place, source]) => {
    const kind = kindOf(place);
    if (kind === null)
      throw invalidDetail(`/${place}`, 'unknown_place', `${place} is no place in an event that a row can fill.`);
    return {
      place,
      path: place.split('.'),
      kind,
      read: readerOf(source, name => columnOf(name, place)),
      isDecimal: isDecimal(source),
    };
  });
  return row => {
    const texts: Record<string, string> = {};
    for (const { place, read } of cells) {
      const text = read(row);
      if (typeof text === 'object') return { fault: faultAt(place, text.fault) };
      if (text !== '') texts[place] = text;
    }
    const event: Tree = {};
    for (const { place, path, kind, isDecimal } of cells) {
      const text = texts[place];
      if (text === undefined) continue;
      const value = isDecimal ? minorUnits(text, texts) : valueOf(text, kind, place);
      if (typeof value === 'object') return { fault: faultAt(place, value.fault) };
      put(event, path, value);
    }
    return { event };
  };
}

/** A row by the names of its columns, without empty cells. */
const rowObject = (header: readonly string[], row: readonly string[]) =>
  Object.fromEntries(header.map((name, at) => [name, row[at] ?? '']).filter(([, cell]) => cell !== ''));

type Kind = 'text' | 'number' | 'boolean';

/** The kind of value at a place in an event; null when there is no such place, or it holds more than one value. */
function kindOf(place: string): Kind | null {
  let schema: z.core.$ZodType | undefined = EventInput;
  for (const step of place.split('.')) {
    if (schema instanceof z.ZodRecord) return step === '__proto__' || place.split('.').length > 2 ? null : 'text';
    const shape: Record<string, z.core.$ZodType> = schema instanceof z.ZodObject ? schema.shape : {};
    const member: z.core.$ZodType | undefined = Object.hasOwn(shape, step) ? shape[step] : undefined;
    schema = member instanceof z.ZodOptional ? member.unwrap() : member;
  }
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return 'text';
  if (schema instanceof z.ZodNumber) return 'number';
  return schema instanceof z.ZodBoolean ? 'boolean' : null;
}

type Fault = { fault: string };

function readerOf(
  source: Places[string],
  indexOf: (name: string) => number,
): (row: readonly string[]) => string | Fault {
  if (typeof source === 'string') return readerOf({ column: source }, indexOf);
  if ('value' in source) return () => String(source.value);
  if ('text' in source) {
    const parts = source.text.split(/\{([^{}]*)\}/).map((part, at) => (at % 2 === 0 ? part : indexOf(part)));
    // A text with a gap would mean something else.
    return row => {
      const texts = parts.map(part => (typeof part === 'string' ? part : (row[part] ?? '')));
      return texts.some((text, at) => text === '' && typeof parts[at] === 'number') ? '' : texts.join('');
    };
  }
  const index = indexOf(source.column);
  const { values } = source;
  if (!values) return row => row[index] ?? '';
  return row => {
    const cell = row[index] ?? '';
    if (cell === '' || Object.hasOwn(values, cell)) return values[cell] ?? '';
    return { fault: `has a value that the mapping does not translate; it knows ${Object.keys(values).join(', ')}` };
  };
}

const isDecimal = (source: Places[string]): boolean =>
  typeof source === 'object' && 'as' in source && source.as === 'decimal';

function valueOf(text: string, kind: Kind, place: string): string | number | boolean | Fault {
  if (kind === 'boolean')
    return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : { fault: 'must be true or false' };
  if (kind === 'number') return /^\d{1,15}$/.test(text) ? Number(text) : { fault: 'must be a whole number' };
  // What databases write: RFC 3339 has a T there.
  return place === 'occurred_at' ? text.replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T') : text;
}

/** An amount like 12.34 in whole minor units of its currency, or atomic units of its asset. */
function minorUnits(text: string, texts: Record<string, string>): string | Fault {
  const { 'payment.amount.currency': currency, 'payment.amount.asset.decimals': decimals = '' } = texts;
  const exponent =
    currency === undefined ? (/^\d{1,2}$/.test(decimals) ? Number(decimals) : null) : minorUnitExponent(currency);
  if (exponent === null)
    return { fault: 'needs a known payment.amount.currency, or payment.amount.asset.decimals, to be a decimal of' };
  if (!/^\d+(?:\.\d+)?$/.test(text))
    return { fault: 'must be a decimal like 1234.56, without a sign or other separators' };
  const units = smallestUnits(text, exponent);
  return units === null ? { fault: `must not have more than ${exponent} decimal places` } : String(units);
}

type Tree = { [step: string]: Tree | string | number | boolean };

function put(tree: Tree, [step = '', ...further]: readonly string[], value: string | number | boolean): void {
  if (further.length === 0) tree[step] = value;
  else put((tree[step] ??= {}) as Tree, further, value);
}

function faultAt(place: string, expected: string): Refusal {
  const message = `${place} ${expected}.`;
  return {
    code: 'invalid_request',
    message,
    details: [{ path: `/${place.replaceAll('.', '/')}`, code: 'invalid_value', message }],
  };
}
