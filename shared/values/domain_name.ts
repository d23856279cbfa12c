import { domainToASCII } from 'node:url';
import { type Parsed, parsed, unparsed } from './parsed.ts';

/** A host name in its comparable form: lower case, IDNA in ASCII (UTS 46), without trailing dot and leading `www.`. */
export function parseDomainName(text: string): Parsed<string> {
  // Checked first: domainToASCII would otherwise decode percent signs and cut at slashes.
  // oxlint-disable-next-line no-control-regex
  if (!/^[^\u0000-\u002c/:-@[-^`{-\u007f]+$/u.test(text)) return unparsed(expected);
  const ascii = /^[a-z0-9.-]+$/.test(text) ? text : domainToASCII(text);
  const domain = withoutWww(ascii.replace(/\.$/, ''));
  const labels = domain.split('.');
  if (labels.length < 2 || domain.length > 253) return unparsed(expected);
  if (!labels.every(label => hostLabel.test(label))) return unparsed(expected);
  if (/^[0-9]+$|^0x/.test(labels.at(-1) ?? '')) return unparsed('must be a host name, not an IP address');
  return parsed(domain);
}

const hostLabel = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const expected = 'must be a host name such as api.example.com, without scheme, port or path';

function withoutWww(domain: string): string {
  let bare = domain;
  while (bare.startsWith('www.') && bare.indexOf('.', 4) > 0) bare = bare.slice(4);
  return bare;
}
