import { z } from 'zod';

/**
 * Schema of an id `<prefix>_<ULID>`: any case in; out with the prefix in lower case and the 26 Crockford characters in upper case. `hint`
 * ends the sentence of a refusal.
 */
export function prefixedUlid(prefix: string, hint = '') {
  const anyCase = [...prefix].map(letter => `[${letter}${letter.toUpperCase()}]`).join('');
  return z
    .string()
    .regex(
      new RegExp(`^${anyCase}_[0-7]${crockford}{25}$`),
      `must be ${prefix}_ followed by a ULID (26 characters of Crockford's base 32)${hint}`,
    )
    .overwrite(id => canonicalUlid(prefix, id))
    .meta({ examples: [`${prefix}_01KAG4M0Y8N9T4A5W3R7C2XDEF`] });
}

const crockford = '[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]';

const canonicalUlid = (prefix: string, id: string): string => `${prefix}_${id.slice(prefix.length + 1).toUpperCase()}`;
