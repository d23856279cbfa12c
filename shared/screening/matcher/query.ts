import type { EntryType, KeyType } from './entry.ts';

/** Whom to look for. Everything that is not known is null or empty: absence is never a conflict. */
export type ScreeningQuery = {
  name: string | null;
  aliases: readonly string[];
  type: EntryType | null;
  /** ISO 3166-1 alpha-2. */
  countries: readonly string[];
  /** `1957`, `1957-03` or `1957-03-10`. */
  birth_date: string | null;
  keys: readonly QueryKey[];
};

/** An identifier to be found exactly. Without a type it is looked for as everything that it could be. */
export type QueryKey = { type: KeyType | null; value: string };
