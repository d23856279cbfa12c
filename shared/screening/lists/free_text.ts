import type { KeyType } from '#shared/screening/matcher/entry.ts';
import { countriesOf } from './countries.ts';
import { addKey, type Draft } from './draft.ts';
import { imosIn } from './identifiers.ts';

/**
 * Adds the identifiers that a publisher wrote into sentences: what a label calls one (`passport number B0515260`, `SWIFT: KUDBKPPY`,
 * `Website: example.com`), and what is one by its form alone (e-mail and EVM addresses). Sentences also name sources, other parties' dates
 * and telephones, so that numbers and web addresses without a label stand for nothing. A text without any of them is of no use. Returns
 * whether there was one.
 */
export function addIdentifiersIn(entry: Draft, text: string): boolean {
  const line = text.slice(0, LONGEST).replaceAll(/\s+/g, ' ');
  if (line.trim() === '') return false;
  const found = [
    ...(entry.type === 'person'
      ? []
      : imosIn(line).map(value => ({ type: 'imo' as const, value, label: 'IMO number' }))),
    ...documentsIn(line),
    ...patterns.flatMap(({ type, label, pattern }) =>
      [...line.matchAll(pattern)].map(([, value = '']) => ({ type, label, value: value.replace(/[.,:;)\]]+$/, '') })),
    ),
  ];
  const own = found.filter(({ type, value }) => type !== 'bic' || countriesOf(value.slice(4, 6)).length > 0);
  for (const { type, value, label } of own) addKey(entry, type, value, label);
  if (own.length === 0) entry.account.pass();
  return own.length > 0;
}

const LONGEST = 20_000;

type Pattern = { type: KeyType; label: string; pattern: RegExp };

const patterns: Pattern[] = [
  { type: 'email', label: 'Email address', pattern: /([\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})/g },
  {
    type: 'domain',
    label: 'Website',
    pattern:
      /\b(?:web ?(?:sites?|pages?|address(?:es)?)?|URL|home ?page)\b(?! link)[^\w/]{1,4}((?:https?:\/\/)?[\w-]+(?:\.[\w-]+)+[^\s,;)\]]*)/gi,
  },
  {
    type: 'bic',
    label: 'SWIFT/BIC',
    pattern: /\b(?:SWIFT|Swift|BIC)\b[^\d.;]{0,20}?\b([A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?)\b/g,
  },
  { type: 'iban', label: 'IBAN', pattern: /\bIBAN\b[^\w]{0,3}([A-Z]{2}\d{2}(?: ?[A-Z0-9]{1,4}){2,8})/g },
  {
    type: 'wallet',
    label: 'Digital currency address',
    pattern: /\b(0x[0-9a-f]{40}|(?:bc|ltc)1[ac-hj-np-z02-9]{20,87})\b/gi,
  },
  {
    type: 'wallet',
    label: 'Digital currency address',
    pattern:
      /\b(?:wallet|crypto\w*|(?:digital|virtual) currency|bitcoin|BTC|XBT|USDT|TRX|Tron|XMR|Monero)\b[^.;]{0,40}?\b([13T48][1-9A-HJ-NP-Za-km-z]{25,94})\b/gi,
  },
];

const number = String.raw`(?:[A-Z]{1,3}[- ]{1,2})?[A-Z]{0,4}\d[\dA-Z/.-]*(?: \d+)*`;
/** A number, and those that follow it, behind what says that it is one of a document. */
const documents = new RegExp(
  String.raw`\b((?:passport|identity|identification|ID card|ID no|ID number|tazkira|social security|SSN|tax(?:payer)?|VAT|registration|licen[cs]e|INN|OGRN|OKPO|account)\b` +
    String.raw`(?:[^.,;:()\d]{0,40}?\b(?:numbers?|nos?|card|code|booklet)\b)?)[\s.:#°º-]*(?:\([^)\d]{0,40}\))?[\s.:#°º-]*(${number}(?:(?:, | and |; )${number})*)`,
  'gi',
);

/** The numbers of documents, of five digits and more. */
function documentsIn(line: string): { type: KeyType; value: string; label: string }[] {
  return [...line.matchAll(documents)].flatMap(([, label = '', numbers = '']) =>
    numbers
      .split(/, | and |; /)
      .map(value => value.replace(/[./-]+$/, ''))
      .filter(value => value.replaceAll(/\D/g, '').length >= SHORTEST && !isDate.test(value))
      .map(value => ({ type: 'document' as const, value, label })),
  );
}

const SHORTEST = 5;
const isDate = /^(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}[./-]\d{1,2}[./-]\d{1,2})$/;
