import { type Parsed, parsed, unparsed } from '#shared/values/parsed.ts';
import { type Disclosed, discloseClaims } from './disclosures.ts';
import { isObject, type JsonObject } from '#shared/verification/json.ts';
import { type Jwt, parseJwt } from '#shared/verification/jose/jws.ts';

/**
 * One SD-JWT of a delegation chain. `token` is the part that `sd_hash` covers (`jwt~disclosure~…~`), `text` the JWT alone. `mandates` are
 * what it delegates: the disclosed items of `delegate_payload`, or its own claims if there is none.
 */
export type Hop = Disclosed & { token: string; text: string; jwt: Jwt; mandates: JsonObject[] };

const MOST_HOPS = 8;
const MOST_DISCLOSURES = 500;
const LONGEST = 131_072;

/**
 * Parses a chain: SD-JWTs joined by `~~`, each but the last without its closing `~` (AP2 v0.2; RFC 9901 §4). A single JWT without
 * disclosures may come without `~`. Nothing is verified yet.
 */
export function readChain(text: string): Parsed<Hop[]> {
  if (text.length > LONGEST) return unparsed(`it must be at most ${LONGEST} characters`);
  const segments = text.split('~~');
  if (segments.length > MOST_HOPS) return unparsed(`it must have at most ${MOST_HOPS} hops`);
  const last = segments.length - 1;
  const hops: Hop[] = [];
  for (const [index, segment] of segments.entries()) {
    const whole = index < last || !text.includes('~') ? `${segment}~` : segment;
    const hop = readHop(whole);
    if (!hop.ok) return unparsed(`hop ${index}: ${hop.expected}`);
    hops.push(hop.value);
  }
  return parsed(hops);
}

function readHop(token: string): Parsed<Hop> {
  const [text = '', ...disclosures] = token.split('~');
  if (disclosures.pop() !== '') return unparsed('it must end with ~ and carry no further JWT');
  if (disclosures.length > MOST_DISCLOSURES) return unparsed(`it must have at most ${MOST_DISCLOSURES} disclosures`);
  const jwt = parseJwt(text);
  if (!jwt.ok) return unparsed(`its JWT ${jwt.expected}`);
  const disclosed = discloseClaims(jwt.value.claims, disclosures);
  if (!disclosed.ok) return disclosed;
  return parsed({ ...disclosed.value, token, text, jwt: jwt.value, mandates: delegated(disclosed.value.claims) });
}

/** The delegated items, or else the claims themselves. */
function delegated(claims: JsonObject): JsonObject[] {
  const { delegate_payload } = claims;
  if (delegate_payload === undefined) return [claims];
  return Array.isArray(delegate_payload) ? delegate_payload.filter(isObject) : [];
}
