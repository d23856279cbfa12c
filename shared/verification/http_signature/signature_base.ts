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

/** Why the signature base cannot be rebuilt: the code of the check, and the component at fault. */
type ComponentFault = { code: 'component_missing' | 'component_unknown' | 'malformed'; detail: string };

/**
 * The lines of the signature base (RFC 9421 §2.5) above `@signature-params`, each ended by a line feed, for a signature of a request.
 */
export function coveredLines({ components }: SignatureInput, request: SignedRequest): string | ComponentFault {
  const identifiers = new Set<string>();
  const parsed = createParsed(request);
  let lines = '';
  for (const component of components) {
    const { identifier } = component;
    if (identifiers.has(identifier)) return { code: 'malformed', detail: `${identifier} is covered twice` };
    identifiers.add(identifier);
    const value = componentValue(component, request, parsed);
    if (value === undefined)
      return { code: 'component_unknown', detail: `${identifier} is not a component of requests` };
    if (value === null) return { code: 'component_missing', detail: `${identifier} is not in the request` };
    // oxlint-disable-next-line no-control-regex
    if (/[^\x09\x20-\x7e]/.test(value)) return { code: 'malformed', detail: `${identifier} is not ASCII` };
    lines += `${identifier}: ${value}\n`;
  }
  return lines;
}

/** Undefined when there is no such component, null when the request lacks it. */
function componentValue(component: Component, request: SignedRequest, parsed: Parsed): string | null | undefined {
  const { name, parameters } = component;
  if (!name.startsWith('@')) return headerValue(component, request, parsed);
  if (name === '@query-param') return parameters.size === 1 ? queryParam(parameters.get('name'), parsed) : undefined;
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

/** RFC 9421 §2.2.8: a parameter that is sent once; names and values are decoded and encoded again before signing. */
function queryParam(name: unknown, { query }: Parsed): string | null | undefined {
  if (typeof name !== 'string') return undefined;
  const [only, ...more] = query().get(name) ?? [];
  return only !== undefined && more.length === 0 ? formEncoded(only) : null;
}

/** Percent-encoded like a form in the URL standard, except for the space. */
const formEncoded = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()~]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** The parts of a request, each parsed once, however many components refer to it. */
type Parsed = {
  /** Values of query parameters by their encoded name. */
  query(): ReadonlyMap<string, readonly string[]>;
  dictionary(field: string, value: string): ReturnType<typeof parseDictionary>;
};

function createParsed({ url }: SignedRequest): Parsed {
  let parameters: Map<string, string[]> | null = null;
  const dictionaries = new Map<string, ReturnType<typeof parseDictionary>>();
  return {
    query() {
      if (parameters) return parameters;
      parameters = new Map();
      for (const [key, value] of new URLSearchParams(url.query ?? '')) {
        const name = formEncoded(key);
        const values = parameters.get(name);
        if (values) values.push(value);
        else parameters.set(name, [value]);
      }
      return parameters;
    },
    dictionary(field, value) {
      const dictionary = dictionaries.get(field) ?? parseDictionary(value);
      dictionaries.set(field, dictionary);
      return dictionary;
    },
  };
}

function headerValue(
  { name, parameters }: Component,
  { fields }: SignedRequest,
  { dictionary }: Parsed,
): string | null | undefined {
  if (name !== name.toLowerCase()) return undefined;
  const value = fieldValue(fields, name);
  if (parameters.size === 0 || value === null) return value;
  if (parameters.size > 1) return undefined;
  const key = parameters.get('key');
  if (typeof key === 'string') return attempt(() => dictionaryMember(dictionary(name, value), key));
  if (parameters.get('sf') === true) return strictlySerialized(value);
  // Characters beyond Latin-1 cannot have been sent as bytes.
  if (parameters.get('bs') === true)
    return /[^\0-\xff]/.test(value) ? null : (fields.get(name) ?? []).map(wrapped).join(', ');
  return undefined;
}

const wrapped = (line: string) => `:${Buffer.from(line, 'latin1').toString('base64')}:`;

function dictionaryMember(dictionary: ReturnType<typeof parseDictionary>, key: string): string | null {
  const member = dictionary.get(key);
  if (!member) return null;
  return isInnerList(member) ? serializeInnerList(member) : serializeItem(member);
}

/** The wire does not tell the type of a field; a value that parses as two types serializes the same in both. */
const strictlySerialized = (value: string): string | null =>
  attempt(() => serializeItem(parseItem(value))) ??
  attempt(() => serializeList(parseList(value))) ??
  attempt(() => serializeDictionary(parseDictionary(value)));

function attempt(parse: () => string | null): string | null {
  try {
    return parse();
  } catch {
    return null;
  }
}
