import type { KeyType } from '#shared/screening/matcher/entry.ts';
import { parseIban } from '#shared/values/iban.ts';
import { countriesOf } from './countries.ts';
import { addKey, type Draft } from './draft.ts';
import { imosIn } from './identifiers.ts';

type Found = { type: KeyType; value: string; label: string };

/** Adds the identifiers that a publisher wrote into sentences (see `identifiersIn`). A text without any is of no use. */
export function addIdentifiersIn(entry: Draft, text: string): void {
  if (text.trim() === '') return;
  const found = identifiersIn(entry, text);
  for (const { type, value, label } of found) addKey(entry, type, value, label);
  if (found.length === 0) entry.account.pass();
}

/**
 * What a sentence calls an identifier (`passport number B0515260`, `SWIFT: KUDBKPPY`, `Website: example.com`), and what is one by its form alone
 * (email and EVM addresses), each once. Sentences also name sources, other parties' dates and telephones, so that numbers and web addresses
 * without a label stand for nothing; nor do ships of persons.
 */
export function identifiersIn({ type: party }: Pick<Draft, 'type'>, text: string): Found[] {
  const line = text.slice(0, LONGEST).replaceAll(/\s+/g, ' ').replaceAll('‑', '-');
  const imos =
    party === 'person' ? [] : imosIn(line).map(value => ({ type: 'imo' as const, value, label: 'IMO number' }));
  const others = patterns.flatMap(({ type, label, pattern }) =>
    [...line.matchAll(pattern)].flatMap(([, value = '']) => {
      const own = sound(type, value.replace(/[.,:;)\]]+$/, ''));
      return own === null ? [] : [{ type, label, value: own }];
    }),
  );
  const found = [...imos, ...documentsIn(line), ...others];
  return [...new Map(found.map(each => [`${each.type} ${each.value}`, each])).values()];
}

const LONGEST = 20_000;

type Pattern = { type: KeyType; label: string; pattern: RegExp };

const patterns: Pattern[] = [
  { type: 'email', label: 'Email address', pattern: /([\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})/g },
  {
    type: 'domain',
    label: 'Website',
    pattern:
      /(?<![@.\w])(?:web ?(?:sites?|pages?|address(?:es)?)?|URL|home ?page)[:\s([-]{1,4}(?!link)((?:https?:\/\/)?[\w-]+(?:\.[\w-]+)+[^\s,;)\]]*)/gi,
  },
  {
    type: 'bic',
    label: 'SWIFT/BIC',
    pattern:
      /\b(?:SWIFT|Swift|BIC)(?:[/ ](?:BIC|SWIFT|[Cc]ode|CODE|[Aa]ddress)){0,2}[\s.:#-]{1,3}([A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?)\b/g,
  },
  {
    type: 'iban',
    label: 'IBAN',
    pattern: /\bIBAN[^\w]{0,3}([A-Z]{2}\d{2}(?:[A-Z0-9]{11,30}\b|(?: [A-Z0-9]{4}\b){2,7}(?: [A-Z0-9]{1,3}\b)?))/g,
  },
  {
    type: 'wallet',
    label: 'Digital currency address',
    pattern: /\b(0x[0-9a-f]{40}|(?:bc|ltc)1[ac-hj-np-z02-9]{20,87})\b/gi,
  },
  {
    type: 'wallet',
    label: 'Digital currency address',
    pattern:
      /\b(?:wallet|crypto\w{0,12}|(?:digital|virtual) currency|bitcoin|BTC|XBT|USDT|TRX|Tron|XMR|Monero)\b[^.;]{0,40}?\b([13T48][1-9A-HJ-NP-Za-km-z]{25,94})\b/gi,
  },
];

/** A value as it is kept; null where it only looks like one of its type. */
function sound(type: KeyType, value: string): string | null {
  if (type === 'bic') return countriesOf(value.slice(4, 6)).length > 0 ? value : null;
  if (type !== 'iban') return value;
  // A word of four letters behind it looks like a part of it.
  return [value, value.replace(/ \w+$/, '')].find(each => parseIban(each).ok) ?? null;
}

const number = String.raw`(?:[A-Z]{1,3}[- ]{1,2})?[A-Z]{0,4}\d[\dA-Z/-]*(?:\.\d+)*(?: \d+\b(?! (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|[./]\d))*`;
const called = String.raw`(?:numbers?|nos?|nr|n°|№|code|booklet|ID)`;
/** What says that a number is one of a document: some words alone, others only with `number` or the like. */
const label =
  String.raw`\b(?:(?:passports?|SSN|INN|OGRN|KPP|OKPO|VAT|NIC|tazkira\w?|taskera|identity card|ID card|national ID)\b(?:[^.,;:()\d]{0,40}?\b${called}(?![\w]))?` +
  String.raw`|(?:identity|identification|social security|tax(?:payer)?|registration|registry|licen[cs]e|account|company)\b[^.,;:()\d]{0,40}?\b${called}(?![\w]))`;
/** A number, and those that follow it, behind such a label. */
const documents = new RegExp(
  String.raw`(${label})[\s.:#º-]{0,5}(?:\([^)\d]{0,40}\)[\s.:#º-]{0,5})?(?:(?:is|was) )?(${number}(?:(?:, | and |; and |; )${number})*)`,
  'gi',
);

/** The numbers of documents, of five digits and more, in capitals; words and dates are none. */
function documentsIn(line: string): Found[] {
  return [...line.matchAll(documents)].flatMap(([, name = '', numbers = '']) =>
    numbers
      .split(/, | and |; and |; /)
      .map(value => value.replace(/[./-]+$/, '').replace(beginning, ''))
      .filter(
        value =>
          value.replaceAll(/\D/g, '').length >= SHORTEST && !/[a-z]|^(?:OF |IMO)/.test(value) && !isDate.test(value),
      )
      .map(value => ({ type: 'document' as const, value, label: name })),
  );
}

const SHORTEST = 5;
/** The label of the number that follows another: `OGRN 1027700132195, INN 7702070139`. */
const beginning = /^(?:and |(?:INN|KPP|OGRN|OKPO|VAT|TIN|ID)[ -]+)/;
const isDate = /^(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{4} \d{1,2} \d{1,2})$/;
