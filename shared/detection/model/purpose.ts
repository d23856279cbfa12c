import { again, type Members, type References, referenceNumber, referencesOf } from './references.ts';

/**
 * What a payment says that it is for: the number of an invoice, with the letters before it as far as it has any; a number that may be that of an
 * invoice, or of a contract; the number of a part of something; that of an order; and whatever else it refers to. Null for what it does not say.
 */
export type Purpose = {
  invoice: string | null;
  series?: string;
  unsure: string | null;
  part: string | null;
  order: string | null;
  references: References;
  /** The words of its description, and those of them, or of the stage that it names, that are for a part, such as a deposit. */
  says: string;
  parts: string;
};

/** The members of metadata that give the number of an invoice; that may give it, or something else; of an order or a booking; and of a part. */
const [ofInvoice, ofBill, ofOrder, ofPart] = [
  /^(?:invoice|rechnungs?)(?:number|nummer|no|nr)$/,
  /^(?:invoice|bill|rechnungs?|facture|factura|fattura)(?:number|id|no|nr|ref|reference)?$/,
  /^(?:(?:purchase)?order|po|booking|reservation)(?:number|no|nr|id|ref|reference)?$/,
  /^(?:part|milestone|instal?lment)$/,
];
/** Members that give the number of what has a price of its own within an order or an invoice. */
const ofLine = /^(?:line|lineitem|shipment|(?:line|lineitem|item|shipment|parcel|package)(?:number|no|nr))$/;

/** Members that count what comes in parts, where they say of how many, and of no more than nine: `12/14` is a day. */
const ofLot = /^(?:lot|delivery|parcel|package|shipment|tranche|lieferung|teil|livraison|entrega)$/;

/** What an event is for by what it says; of one that `has_invoices`, that may be an invoice. Null: it does not say. */
export function purposeOf(
  { description, metadata }: { description: string | null; metadata: Members },
  has_invoices: boolean,
): Purpose | null {
  // A log keeps the members in an order of its own.
  const members = Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const said = (name: RegExp) =>
    members.flatMap(([member, value]) => (value !== '' && name.test(foldName(member)) ? [value] : []));
  const text = description ?? '';
  const numbers = said(ofInvoice);
  const numbered = numbers.find(text => invoiceNumber(text) !== null) ?? numbers[0] ?? '';
  const possible = said(ofBill);
  const number = invoiceNumber(numbered) === null ? (possible.find(isLettered) ?? numbered) : numbered;
  const stated = invoiceNumber(number) ?? yearNumber(number);
  const typed = stated === null ? (invoiceTextIn(text) ?? '') : number;
  const invoice = has_invoices ? (stated ?? invoiceNumber(typed)) : null;
  const guessed = has_invoices && invoice === null ? possible.flatMap(text => unsureNumber(text) ?? []) : [];
  const unsure = guessed[0] ?? null;
  const part =
    partNumber(said(ofPart)[0] ?? '') ??
    lineNumber(said(ofLine)[0] ?? '') ??
    partIn(text) ??
    said(ofLot).flatMap(value => countedOf(value) ?? [])[0] ??
    null;
  const order = said(ofOrder).map(referenceNumber)[0] ?? null;
  const references = referencesOf(text, metadata);
  const says = invoice ?? unsure ?? part ?? order ?? (references.size > 0 ? '' : null);
  if (says === null) return null;
  return {
    invoice,
    series: invoiceSeries(typed),
    unsure,
    part,
    order,
    references,
    says: wordsOf(text.slice(0, LONGEST_DESCRIPTION)),
    parts: partsIn([text.slice(0, LONGEST_DESCRIPTION), ...said(ofStage)].join(' ')),
  };
}

/** The words of a text in lower case, without what has a number. */
const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .split(/\s+/)
    .map(word => (/\d/.test(word) ? '' : word.replace(/[^\p{L}]+/gu, ' ').trim()))
    .filter(word => word !== '')
    .join(' ');

const foldName = (name: string) => name.toLowerCase().replace(/[^a-z\d]+/g, '');

/** Whether a text says by its letters that it is the number of an invoice, such as `INV-64059`; what else there is may name a row, a contract or a month. */
const isLettered = (text: string): boolean => text.length <= LONGEST && lettered.test(text);
/** Digits, after a letter and a year or not: more may name a month, a sum of money, a subscription or a row. Null for what is none. */
function unsureNumber(text: string): string | null {
  if (/^\s*\d{3,12}\s*$/.test(text)) return invoiceNumber(text);
  const [, digits] = /^\s{0,9}\p{Lu}-?(?:20\d\d-)?(\d{4,12})\s{0,9}$/u.exec(text.slice(0, LONGEST)) ?? [];
  return digits === undefined || /^\d{0,2}20\d\d$|^20\d{4}$/.test(digits) ? null : referenceNumber(text);
}

const lettered =
  /^\s*(?:inv(?:oice)?|bill|re|rg|rechnung|fac|fact(?:ura|ure)?|fattura)[\s.:#_-]{0,3}(?:(?:no|nr)[\s.:#_-]{0,3})?\d[\p{L}\d/._-]*\s*$/iu;

/** A number that could be a year, where it is stated to be that of an invoice. */
const yearNumber = (text: string): string | null => (year.test(text.trim()) ? text.trim() : null);

/** An invoice's number with the word before it, as in “Invoice INV-2031”, “inv. no. 2031” or “Rechnung Nr. 2026/0417”. */
const named =
  /(?<!\p{L})(?:invoice|inv|bill|rechnung|facture|fattura|factura)(?!\p{L})[\s.:#_-]*(?:(?:no|nr|num|number)(?!\p{L})[\s.:#_-]*)?([\p{L}\d][\p{L}\d/._-]*)/iu;

/** Of an invoice that is paid in parts, each part may cost the same. */
const inParts =
  /instal?lment|deposit|balance|partial|anzahlung|teilzahlung|abschlag|acompte|\bpart\b|\brate\b|%|\b\d+\s*(?:\/|of|von)\s*\d+\b/i;

/** Words for a part of what is paid, in a description or in a member that says so. */
const ofParts = new RegExp(
  `${inParts.source}|(?<!\\p{L})(?:${[
    'down[\\s-]?payment|up[\\s-]?front|pre-?payment|retainer|half|halves|(?:first|second|third|final|last)\\s(?:payment|part|rate)',
    'first(?=\\shalf)|second(?=\\shalf)|restzahlung|restbetrag|hälfte|rest|schlussrechnung|solde|saldo|anticipo|sinal|señal|(?:primer|segundo|tercer|último)\\spago',
  ].join('|')})(?![\\p{L}-])`,
  'giu',
);
/** Which of those a text has, in one order. */
const partsIn = (text: string): string =>
  [...text.toLowerCase().matchAll(ofParts)]
    .map(([found]) => found)
    .toSorted()
    .join(' ');

const ofStage = /^(?:payment)?(?:stage|part|phase|type|kind|milestone|term)$/;

/** The number of the invoice that a description names, see `invoiceNumber`; null if it names none, or a part of one. */
export function invoiceIn(description: string): string | null {
  return invoiceNumber(invoiceTextIn(description) ?? '');
}

/** The same as it is written there. */
function invoiceTextIn(description: string): string | null {
  const match = named.exec(description);
  if (!match?.[1]) return null;
  const rest = description.replace(match[0], '');
  // An amount is no number of an invoice.
  if (
    (inParts.test(rest) && partIn(rest) === null) ||
    /^\s*(?:[$€£¥]|[A-Z]{3}(?![A-Za-z]))/.test(description.slice(match.index + match[0].length))
  )
    return null;
  return match[1];
}

const LONGEST = 100;

/** The number of the part that a description names, as in “Milestone 2 of 3”, “part no. 02”, “3 of 4” or “(1/2)”; null for none. */
export function partIn(description: string): string | null {
  const text = description.slice(0, LONGEST_DESCRIPTION);
  const [, digits] =
    /(?<!\p{L})(?:part|milestone|instal?lment|tranche|phase|teil)\s{0,3}(?:no\.?|#)?\s{0,3}(\d{1,3})(?![\d.,%])/iu.exec(
      text,
    ) ?? [];
  return digits === undefined ? countedPart(text) : String(Number(digits));
}

/** One of so many, such as the payments of an invoice or the nights of a stay; what is tried again, or asked for again, is the same. With a slash, only between brackets. */
function countedPart(text: string): string | null {
  const { number = '', count = '' } = (spelledPart.exec(text) ?? slashedPart.exec(text))?.groups ?? {};
  const isOne = Number(number) >= 1 && Number(number) <= Number(count) && Number(count) > 1;
  return isOne && !again.test(text) ? String(Number(number)) : null;
}

const spelledPart = /(?<![\d.,/-])(?<number>\d{1,2})\s(?:of|von|de|sur|di)\s(?<count>\d{1,2})(?![.,/-]?\d|\s?%)/iu;
const slashedPart = /[([](?<number>\d{1,2})\/(?<count>\d{1,2})[)\]]/u;
const LONGEST_DESCRIPTION = 1_000;

/** The number of a part as metadata gives it, `2` or “2 of 3”; null for what is none. */
function partNumber(text: string): string | null {
  const [, digits] = /^\s{0,9}(\d{1,3})(?!\d)/.exec(text) ?? [];
  return digits === undefined ? partIn(text) : String(Number(digits));
}

/** A member of that sort, such as `2/3`, `2 of 3` or `shipment 2/3`: `2/3`. */
function countedOf(text: string): string | null {
  const [, number, count] = /^(?:\p{L}{2,20} )?([1-9]) ?(?:\/|of) ?([2-9])$/u.exec(text) ?? [];
  return number !== undefined && count !== undefined && number <= count ? `${number}/${count}` : null;
}

/** A bare number, or `2 of 3`: `10 GB` is none. */
const lineNumber = (text: string): string | null =>
  /^\s{0,9}0*(\d{1,3})(?:\s?(?:of|\/)\s?\d{1,3})?\s{0,9}$/.exec(text)?.[1] ?? null;

/**
 * An invoice's number as it is compared, however it was typed: in upper case, without letters before it such as `INV-`, with one sign between
 * its parts, and without zeros that lead them. Null for what is none: it has at most 100 characters and three digits or more, and is no year, nor nothing but zeros.
 */
export function invoiceNumber(text: string): string | null {
  // Metadata may be long, and what ends in none of these signs would be searched for them again and again.
  if (text.length > LONGEST) return null;
  const number = text
    .toUpperCase()
    // A letter that was read for a digit.
    .replace(/[\dO]*\d[\dO]*/g, digits => digits.replaceAll('O', '0'))
    .replace(/[^\p{L}\d]+/gu, '-')
    .replace(/^-|-$/g, '');
  if (!hasDigits(number) || year.test(number)) return null;
  const bare = number.replace(/^\p{L}+-?/u, '');
  const own = hasDigits(bare) ? bare : number;
  return /^[0-]+$/.test(own) ? null : own.replace(/(?<!\d)0+(?=\d)/g, '');
}

/** Whether two payments say that they are different parts, such as a deposit and the balance; numbers of parts are compared by themselves. */
export const areParts = (a: Purpose, b: Purpose): boolean =>
  a.parts !== '' && b.parts !== '' && a.parts !== b.parts && (a.part === null || b.part === null);

/** The letters before the number of an invoice, in upper case; several agents pay one only where those do not differ. */
const invoiceSeries = (text: string): string =>
  /^[^\p{L}\d]*(\p{L}*)/u.exec(text.slice(0, LONGEST))?.[1]?.toUpperCase() ?? '';

const hasDigits = (text: string) => /(?:\d.*){3}/.test(text);

/** Whether two numbers may be of one invoice: one may have a letter or a 1 added, as who pays it again would write it; A and B are two. */
export const areOneInvoice = (a: string, b: string): boolean => a === b || stemOf(a) === b || stemOf(b) === a;

function stemOf(number: string): string {
  const stem = number.replace(/(?<=\d)(?:-?\p{L}|-1)$/u, '');
  // The first invoice of a year.
  return year.test(stem) ? number : stem;
}

const year = /^20[0-4]\d$/;
