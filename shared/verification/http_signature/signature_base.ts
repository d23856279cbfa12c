import {
  isInnerList,
  parseDictionary,
  parseItem,
  parseList,
  serializeDictionary,
  serializeInnerList,
  serializeItem,
  serializeList,
} from 'structured-headers';
import { fieldValue } from './header_fields.ts';
import type { SignedRequest } from './request.ts';
import type { Component, SignatureInput } from './signature_fields.ts';

/** Why what was signed cannot be put together again: the code of the check, and the component it is about. */
export type ComponentFault = { code: 'component_missing' | 'component_unknown' | 'malformed'; detail: string };

/**
 * The lines of the signature base (RFC 9421 §2.5) above `@signature-params`, each ended by a line feed, for a signature of a request.
 */
export function coveredLines({ components }: SignatureInput, request: SignedRequest): string | ComponentFault {
  const seen = new Set<string>();
  let lines = '';
  for (const component of components) {
    const { identifier } = component;
    if (seen.has(identifier)) return { code: 'malformed', detail: `${identifier} is covered twice` };
    seen.add(identifier);
    const value = componentValue(component, request);
    if (value === undefined)
      return { code: 'component_unknown', detail: `${identifier} is not a component of requests` };
    if (value === null) return { code: 'component_missing', detail: `${identifier} is not in the request` };
    // oxlint-disable-next-line no-control-regex
    if (/[^\x09\x20-\x7e]/.test(value)) return { code: 'malformed', detail: `${identifier} is not ASCII` };
    lines += `${identifier}: ${value}\n`;
  }
  return lines;
}

/** Undefined when there is no such component, null when the request does not have it. */
function componentValue(component: Component, request: SignedRequest): string | null | undefined {
  const { name, parameters } = component;
  if (!name.startsWith('@')) return headerValue(component, request);
  if (name === '@query-param') return parameters.size === 1 ? queryParam(parameters.get('name'), request) : undefined;
  if (parameters.size > 0) return undefined;
  const { method, url } = request;
  switch (name) {
    case '@method':
      return method;
    case '@target-uri':
      return `${url.scheme}://${url.authority}${url.path}${url.query ?? ''}`;
    case '@authority':
      return url.authority;
    case '@scheme':
      return url.scheme;
    case '@request-target':
      return url.path + (url.query ?? '');
    case '@path':
      return url.path;
    case '@query':
      return url.query ?? '?';
    default:
      return undefined;
  }
}

/** RFC 9421 §2.2.8: a parameter that is sent once; names and values are compared decoded and signed encoded again. */
function queryParam(name: unknown, { url }: SignedRequest): string | null | undefined {
  if (typeof name !== 'string') return undefined;
  const values = [...new URLSearchParams(url.query ?? '')].filter(([key]) => encodeURIComponent(key) === name);
  const [only, ...more] = values;
  return only && more.length === 0 ? encodeURIComponent(only[1]) : null;
}

function headerValue({ name, parameters }: Component, { fields }: SignedRequest): string | null | undefined {
  if (name !== name.toLowerCase()) return undefined;
  const value = fieldValue(fields, name);
  if (parameters.size === 0 || value === null) return value;
  if (parameters.size > 1) return undefined;
  const key = parameters.get('key');
  if (typeof key === 'string') return attempt(() => dictionaryMember(value, key));
  if (parameters.get('sf') === true) return strictlySerialized(value);
  if (parameters.get('bs') === true) return (fields.get(name) ?? []).map(wrapped).join(', ');
  return undefined;
}

const wrapped = (line: string) => `:${Buffer.from(line, 'latin1').toString('base64')}:`;

function dictionaryMember(value: string, key: string): string | null {
  const member = parseDictionary(value).get(key);
  if (!member) return null;
  return isInnerList(member) ? serializeInnerList(member) : serializeItem(member);
}

/** The type of a field is not on the wire; what reads as two of them is written alike in both. */
const strictlySerialized = (value: string): string | null =>
  attempt(() => serializeItem(parseItem(value))) ??
  attempt(() => serializeList(parseList(value))) ??
  attempt(() => serializeDictionary(parseDictionary(value)));

function attempt(read: () => string | null): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
