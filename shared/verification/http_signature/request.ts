import { type HeaderFields, readHeaderFields } from './header_fields.ts';

/** The HTTP request that a signature covers, according to the evidence. `body` is null when it is missing or not text. */
export type SignedRequest = {
  method: string;
  url: RequestUrl;
  fields: HeaderFields;
  body: string | null;
};

/**
 * The parts of a URL that signatures cover (RFC 9421 §2.2): scheme and authority in lower case and without the default port, path and query
 * as sent, an empty path as `/`. `query` begins with `?`; null when the URL has none.
 */
export type RequestUrl = { scheme: string; authority: string; host: string; path: string; query: string | null };

/** The request in `{method, url, headers, body?}`, or a sentence that says what is wrong with it. */
export function readRequest(evidence: Record<string, unknown>): SignedRequest | string {
  const { method, url, headers, body } = evidence;
  if (typeof method !== 'string' || !methodName.test(method)) return 'method is not an HTTP method';
  if (typeof url !== 'string') return 'url is not text';
  const parts = readUrl(url);
  if (!parts) return 'url is not an absolute http(s) URL in ASCII without user name';
  const fields = readHeaderFields(headers);
  if (!fields) return 'headers are not HTTP header fields';
  return { method: method.toUpperCase(), url: parts, fields, body: typeof body === 'string' ? body : null };
}

/**
 * Parsed by RFC 3986 rather than WHATWG's URL, which would decode `%2e%2e` and normalize what was signed as sent. Null unless http or
 * https, and when a user name precedes the host, which disguises the real host.
 */
export function readUrl(text: string): RequestUrl | null {
  const match = absoluteUrl.exec(text);
  if (!match) return null;
  const [, scheme = '', host = '', port = '', path = '', query] = match;
  const lowerScheme = scheme.toLowerCase();
  const lowerHost = host.toLowerCase();
  const number = port === '' ? '' : String(Number(port));
  const authority = number === '' || number === ownPort[lowerScheme] ? lowerHost : `${lowerHost}:${number}`;
  return { scheme: lowerScheme, authority, host: lowerHost, path: path === '' ? '/' : path, query: query ?? null };
}

const methodName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}$/;
const ownPort: Record<string, string> = { http: '80', https: '443' };
const absoluteUrl =
  /^(https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+,;=-]+)(?::(\d{0,5}))?(|\/[\x21\x22\x24-\x3e\x40-\x7e]*)(\?[\x21\x22\x24-\x7e]*)?(?:#[\x21-\x7e]*)?$/i;
