import { idPrefixes } from '#shared/interface/ids.ts';
import { patternOf } from '#shared/platform/db.ts';
import { fold } from '#shared/values/fold.ts';
import { amountKeys, usdCents } from '#shared/values/amount_keys.ts';

/** What a search text may mean. */
export type SearchQuery = {
  text: string;
  /** The id, in canonical spelling, and its prefix. */
  id: { prefix: string; value: string } | null;
  /** The position in the log. */
  seq: number | null;
  /** The keys of the amounts, see `amountKeys`. */
  price_keys: string[];
  /** The US cents, where it may be an amount in dollars. */
  usd_cents: string | null;
  /** The last four digits of a card. */
  last4: string | null;
  /** `like` patterns for names, folded and only in lower case; null when the text is an id or too short for a trigram index. */
  pattern: { folded: string; lower: string } | null;
};

const LEAST = 3;
const prefixes: ReadonlySet<string> = new Set(Object.values(idPrefixes));

/** Parses the text of a search: it may be an id, a position in the log, an amount, a card, a name, or several of these. */
export function parseQuery(text: string): SearchQuery {
  const [, prefix = '', ulid = ''] = /^([a-z]{3})_([0-7][0-9A-HJKMNP-TV-Z]{25})$/i.exec(text) ?? [];
  const id = prefixes.has(prefix.toLowerCase())
    ? { prefix: prefix.toLowerCase(), value: `${prefix.toLowerCase()}_${ulid.toUpperCase()}` }
    : null;
  const seq = /^#? ?(\d{1,15})$/.exec(text)?.[1];
  const folded = fold(text);
  return {
    text,
    id,
    seq: seq === undefined ? null : Number(seq),
    price_keys: amountKeys(text),
    usd_cents: usdCents(text),
    last4: /^(?:card |ending |[•*xX .]+)?(\d{4})$/i.exec(text)?.[1] ?? null,
    pattern:
      id === null && folded.length >= LEAST
        ? { folded: patternOf(folded), lower: patternOf(text.toLowerCase()) }
        : null,
  };
}
