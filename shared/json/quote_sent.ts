import { holdsCardNumber } from '#shared/values/card_number.ts';

/**
 * What was sent at `path` (RFC 6901), for a refusal: cut to 60 characters; only the kind of objects and arrays. Empty if it may be a
 * secret, evidence or a card number.
 */
export function quoteSent(path: string, sent: unknown): string {
  if (untold.test(path)) return '';
  if (sent === null) return 'null';
  if (Array.isArray(sent)) return `an array of ${sent.length}`;
  if (typeof sent === 'object') return 'an object';
  if (typeof sent !== 'string') return holdsCardNumber(String(sent)) ? '' : String(sent);
  const beginning = sent.slice(0, MOST_READ);
  if (secret.test(beginning) || holdsCardNumber(beginning)) return '';
  const characters = [...sent.slice(0, 2 * MOST_CHARACTERS + 2).toWellFormed()];
  const cut = characters.slice(0, MOST_CHARACTERS).join('');
  return cut.length < sent.length ? `${JSON.stringify(cut)}… (${sent.length} characters)` : JSON.stringify(cut);
}

const MOST_CHARACTERS = 60;
/** How much of a long text is examined: more than is quoted, and few enough characters to be quick. */
const MOST_READ = 512;

// Members with keys, codes, proofs, or arbitrary contents.
const untold =
  /\/(?:[^/]*(?:secret|token|password)|(?:recovery_)?code|jwks?|public_key|x5c_root|response|signature|metadata|headers|body|evidence\/\d+\/value)(?:\/|$)|\/evidence(?:\/\d+)?$/;

// Anything in the form of a credential, in any member: our keys, those of payment services, PEM, JWT, Authorization.
const secret =
  /hk_(?:test|live)_|whsec_|\b[srp]k_(?:test|live)_|-----BEGIN|\beyJ[\w-]{8,}|\b(?:bearer|basic)\s+\S{8,}|:\/\/[^/\s@:]*:[^/\s@]*@/i;
