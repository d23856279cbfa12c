import type { ListEntry } from '#shared/screening/matcher/entry.ts';

/** The limits of an entry; anything beyond them is dropped and reported. */
const CAPS = { id: 200, name: 1_000, remarks: 2_000, label: 200, value: 1_000, aliases: 500, keys: 2_000, others: 500 };

/**
 * An entry as it is stored: one line of text a field, without control characters and spaces too many; nothing twice; the
 * primary name is the first alias that is not weak where there is none. Null where it has nothing to match. `shortened`: a cap left out a name
 * or an identifier (remarks are cut without a word).
 */
export function tidyEntry(raw: ListEntry): { entry: ListEntry; shortened: boolean } | null {
  const name = cleanText(raw.name);
  const aliases = tidyAliases(raw.aliases, name);
  // A weak alias stays one: without another name the entry has none.
  const first = name || aliases.find(alias => !alias.weak)?.name || '';
  const others = name ? aliases : aliases.filter(alias => alias.name !== first);
  const keys = tidyKeys(raw.keys);
  if (!first && aliases.length === 0 && keys.length === 0) return null;
  const remarks = cleanText(raw.remarks ?? '');
  const entry: ListEntry = {
    entry_id: cut(cleanText(raw.entry_id), CAPS.id),
    action: raw.action,
    type: raw.type,
    name: cut(first, CAPS.name),
    aliases: capped(others, CAPS.aliases).map(alias => ({ name: cut(alias.name, CAPS.name), weak: alias.weak })),
    keys: capped(keys, CAPS.keys),
    countries: distinct(raw.countries),
    birth_dates: distinct(raw.birth_dates),
    programs: distinct(raw.programs),
    remarks: remarks ? cut(remarks, CAPS.remarks) : null,
  };
  const shortened =
    others.length > CAPS.aliases ||
    keys.length > CAPS.keys ||
    raw.keys.some(key => key.value.length > CAPS.value) ||
    first.length > CAPS.name ||
    others.some(alias => alias.name.length > CAPS.name);
  return { entry, shortened };
}

/**
 * One line: control and invisible direction characters become spaces or nothing, white space is collapsed, halves of surrogate
 * pairs are replaced. Joiners stay: some scripts are spelled with them.
 */
function cleanText(text: string): string {
  if (plain.test(text)) return text;
  return text
    .toWellFormed()
    .replace(invisible, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** ASCII without anything to be done about it, which is nearly all there is. */
const plain = /^(?:[\x21-\x7e]+(?: (?! |$)|$))*$/;
// Marks of direction, soft hyphen, zero-width space, byte order mark, interlinear and object replacement characters.
const invisible = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffc]/g;

/** Each name once in any case, strong where it is both; none that is the primary name. */
function tidyAliases(aliases: ListEntry['aliases'], name: string): ListEntry['aliases'] {
  if (aliases.length === 0) return [];
  const by_text = new Map<string, { name: string; weak: boolean }>();
  for (const alias of aliases) {
    const text = cleanText(alias.name);
    const key = text.toLowerCase();
    const before = by_text.get(key);
    if (before) before.weak &&= alias.weak;
    else if (text) by_text.set(key, { name: text, weak: alias.weak });
  }
  by_text.delete(name.toLowerCase());
  return [...by_text.values()];
}

/** Each identifier once a type. */
function tidyKeys(keys: ListEntry['keys']): ListEntry['keys'] {
  const by_text = new Map<string, ListEntry['keys'][number]>();
  for (const { type, value, label } of keys) {
    const text = cleanText(value);
    // What is longer than any identifier is a text that stands in the wrong place.
    if (!text || text.length > CAPS.value || by_text.has(`${type} ${text}`)) continue;
    by_text.set(`${type} ${text}`, {
      type,
      value: text,
      label: label === null ? null : cut(cleanText(label), CAPS.label),
    });
  }
  return [...by_text.values()];
}

const distinct = (texts: readonly string[]) =>
  texts.length === 0 ? [] : [...new Set(texts.map(cleanText).filter(text => text !== ''))].slice(0, CAPS.others);

const capped = <T>(values: T[], most: number): T[] => (values.length > most ? values.slice(0, most) : values);

/** Cut to a length in UTF-16 units, not within a character. */
const cut = (text: string, most: number) =>
  text.length > most ? text.slice(0, most).replace(/[\ud800-\udbff]$/, '') : text;
