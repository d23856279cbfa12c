import { countryCode } from '#shared/values/country_names.ts';
import type { EntryType } from './entry.ts';
import { asDisplayed } from '#shared/values/shown_name.ts';
import { asItLooks } from '#shared/screening/matcher/names/look_alikes.ts';
import { koreanReading, northernSpelling } from '#shared/screening/matcher/names/korean.ts';
import { type PreparedName, prepareName } from '#shared/screening/matcher/names/prepare_name.ts';

/**
 * Names of somebody as they are to be looked for. Besides as it is written, a name is read: without what stands in parentheses or, as an
 * address or an office does, behind a comma; each of several names that are written as one; words parted that are written together with
 * capitals; letters that only look Latin as Latin ones; what an override turns around as it is displayed; a person's Chinese characters as Koreans read them; and Korean family names as the north spells them. Of these other readings so many are looked for in all, those of the first names
 * first. An ambiguous name (`Eng. Gas`) is read both as a person's and as a company's where neither `type` nor a legal form says which it is.
 */
export function readingsOfEach(names: readonly string[], type: EntryType | null): PreparedName[][] {
  let remaining = MOST_OTHERS;
  return names.map(name => {
    const written = name.length > MOST_CHARACTERS ? name.slice(0, MOST_CHARACTERS) : name;
    const others = othersOf(written, type).slice(0, remaining);
    remaining -= others.length;
    return [written, ...others].flatMap(text => readingsOfAll(text, type));
  });
}

/** One name in all its readings: see `readingsOfEach`. */
export const readingsOf = (name: string, type: EntryType | null): PreparedName[] => readingsOfEach([name], type).flat();

function othersOf(text: string, type: EntryType | null): string[] {
  const others = new Set<string>();
  const add = (other: string | null) => {
    if (other !== null && hasWord.test(other) && other !== text) others.add(other);
  };
  add(text.replace(/\([^()]*\)/g, ' '));
  const parts = text.split(between);
  const displayed = asDisplayed(text);
  const names = parts.length > 1 && parts.length <= MOST_NAMES ? parts : displayed === text ? [] : [displayed];
  for (const name of names) [name, ...othersOf(name, type)].forEach(add);
  add(withoutTail(text, type));
  if (hasCapitalWithin.test(text)) add(text.replace(capitalWithin, ' '));
  add(asItLooks(text));
  add(northernSpelling(text));
  if (type !== 'organization' && hasHan.test(text)) [text, ...others].forEach(each => add(koreanReading(each)));
  return [...others];
}

/** Fifty aliases of several names each must not cost 700 searches. */
const MOST_OTHERS = 30;
const MOST_CHARACTERS = 600;
const MOST_NAMES = 6;
const hasWord = /[\p{L}\p{N}]{2}/u;
const between =
  /;|\s[/|]\s|\s(?:a\.?k\.?a\.?|f\.?k\.?a\.?|d\.?b\.?a\.?|t\/a|trading as|also known as|formerly known as|doing business as)\s/iu;
const hasHan = /\p{Script=Han}/u;
// `VladimirPutin` and `RahfAlMasri`, and not `McDonald`.
const capitalWithin = /(?<=\p{Lu}\p{Ll}{2,}|\p{Ll}[AE]l)(?=\p{Lu}\p{Ll}{2}|[AE]l\p{Lu}\p{Ll})/gu;
const hasCapitalWithin = new RegExp(capitalWithin, 'u');

/**
 * `Vega Shipping, Dubai` and `Ivan Petrov, Director` without what follows the comma; null where it may be a part of the name, as in `Petrov, Ivan`.
 */
function withoutTail(name: string, type: EntryType | null): string | null {
  const [first = '', ...rest] = name.split(',');
  if (rest.length === 0) return null;
  const tail = rest.join(' ');
  const isOffice = wordsOf(tail).every(word => offices.has(word)) || countryCode(tail.trim()) !== undefined;
  if (wordsOf(first).length > 1 && (isOffice || type === 'organization')) return first;
  const [forename = '', ...more] = rest;
  return more.length > 0 && type !== 'organization' ? `${first}, ${forename}` : null;
}

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '');

// Additions after a name that are not part of it, and the cities with the most payments.
const offices = new Set(
  `president vice prime minister deputy director general manager chairman chairwoman chief executive officer ceo cfo coo cto founder owner partner
   secretary treasurer head member senator governor judge advocate attorney lawyer esq esquire phd md mba cpa jr sr junior senior ii iii dr prof
   professor of the and for branch office city republic federation
   moscow petersburg dubai sharjah abu dhabi tehran istanbul ankara damascus beirut baghdad kabul karachi islamabad lahore delhi mumbai beijing
   shanghai shenzhen guangzhou hong kong singapore taipei tokyo seoul pyongyang jakarta manila bangkok hanoi kuala lumpur london paris berlin
   frankfurt hamburg vienna zurich geneva rome milan madrid barcelona lisbon amsterdam rotterdam brussels luxembourg dublin athens nicosia limassol
   warsaw prague budapest bucharest sofia belgrade kyiv kiev minsk riga tallinn vilnius tbilisi yerevan baku almaty tashkent cairo tripoli
   khartoum nairobi lagos johannesburg harare caracas bogota medellin lima quito panama mexico havana toronto vancouver montreal new york
   washington miami chicago houston dallas boston san francisco los angeles sydney melbourne`.split(/\s+/),
);

function readingsOfAll(name: string, type: EntryType | null): PreparedName[] {
  if (type !== null && type !== 'unknown') return [prepareName(name, type)];
  const asPerson = prepareName(name, 'person');
  const asOther = prepareName(name, null);
  const isSame =
    asPerson.words.length === asOther.words.length &&
    asPerson.words.every((word, at) => word.text === asOther.words[at]?.text && word.kind === asOther.words[at]?.kind);
  // Nobody is called `Ltd`.
  const isCompany = asPerson.words.some(({ kind }) => kind === 'legal');
  return isSame || isCompany ? [asOther] : [asOther, asPerson];
}
