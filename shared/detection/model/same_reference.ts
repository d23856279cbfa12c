import { isPaid, type Payment } from '#shared/events/log/payment.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { DAY, formatDuration, HOUR, SECOND } from '#shared/values/time.ts';
import { countPayments } from './counted.ts';
import type { Finding } from './detector.ts';
import type { Purpose } from './purpose.ts';
import { BETWEEN, namedApart, type References } from './references.ts';
import { gapOf, isAlike, isGivenBack } from './repeats.ts';

/** Whoever pays less pays for no document; and what the payee got oftener within the window is what it always gets. */
const LEAST_MICRO = 10_000_000n;
export const MOST_EQUAL = 8;
/** What comes twice a month comes later. What came before is known for longer. */
const SAME_REFERENCE = 12 * DAY;
export const KNOWN_FOR = 30 * DAY;
/** What comes once a day or week comes about then, holidays included: only where so many others were never the same is it the same document. */
const [ABOUT_A_DAY, WEEK, ABOUT_A_WEEK, LEAST_OF_PERIODS] = [3 * HOUR, 7 * DAY, 1.5 * DAY, 12];
/** Of so many references of the agent, and nearly all, no two are alike; so many of its latest payments are looked at. */
const [LEAST_OTHERS, ONE_IN] = [4, 20];
export const LATEST = 40;

/**
 * The finding that a payee got the same for the same document again, days later, where the agent's references are otherwise hardly ever the same. Null
 * where another payment gives it too, or where little is known of its like. `isOther`: whether another payment is known to be for something else;
 * `former`: the payment as it was when it was held, of which nothing was told unless the other had settled by then.
 */
export function paidForOneReference(
  payment: Payment,
  paid: readonly Payment[],
  purposeOf: (payment: Payment) => Purpose,
  { isOther, former }: { isOther: (other: Payment) => boolean; former: Payment | null },
  { window_s }: { window_s: number },
): Finding | null {
  const own = purposeOf(payment);
  if (own.references.size === 0 || payment.paid_micro < LEAST_MICRO) return null;
  const equal = paid.filter(other => isAlike(other, payment) && gapOf(other, payment) <= KNOWN_FOR);
  if (equal.length === 0 || equal.length > MOST_EQUAL) return null;
  const isAgain = (other: Payment) =>
    gapOf(other, payment) > window_s * SECOND && gapOf(other, payment) <= SAME_REFERENCE && !isOther(other);
  const shared = (other: Payment) => sharedDocument(own, purposeOf(other));
  const [twin, ...more] = equal.filter(other => other.settled && shared(other) !== null);
  const document = twin && shared(twin);
  if (!twin || !document || more.length > 0 || !isAgain(twin) || (former && wasSettled(twin, payment))) return null;
  // What was held, and settled under another id, is no payment of its own.
  const isOneMore = (other: Payment, number: string) => other.settled || number !== document.number;
  const likes = paid
    .slice(-LATEST)
    .filter(other => other !== payment && other !== twin && isPaid(other) && !isGivenBack(other))
    .flatMap(other => documentsLike(document.name, purposeOf(other).references).filter(each => isOneMore(other, each)));
  const different = new Set(likes);
  if (different.has(document.number) || different.size < LEAST_OTHERS) return null;
  const repeated = likes.length - different.size;
  if (repeated * ONE_IN > likes.length) return null;
  if (isPeriodic(gapOf(twin, payment)) && (repeated > 0 || likes.length < LEAST_OF_PERIODS)) return null;
  const price = formatUsdMicro(payment.paid_micro);
  const copies = [twin, payment].toSorted((a, b) => (a.paid_at ?? 0) - (b.paid_at ?? 0));
  return {
    score: 70,
    title: `Paid {payee} ${price} twice for one reference`,
    explanation:
      `Two payments of ${price} to {payee} (${copies.map(({ payment_id }) => payment_id).join(' and ')}), ${formatDuration(gapOf(payment, twin))} apart, give the same reference, ${document.number}. ` +
      `Of the agent's ${likes.length} other references like it, ${different.size === likes.length ? 'no two are the same' : `${different.size} are different`}. ` +
      `Equal payments for one reference are alerted on when they are at most ${formatDuration(SAME_REFERENCE)} apart; about a day or a week apart, where ${LEAST_OF_PERIODS} others or more are all different.`,
    price,
    subject: payment.payee_id,
    ...countPayments(copies),
  };
}

type Said = { payment_id: string; at: number; purpose: Purpose };

/** Whether of equal payments, in the order of the log, one may be for the document of another. `at`: when an event of it occurred; the first counts. */
export function mayBeForOneReference(equal: readonly Said[]): boolean {
  const kept = new Map<string, Said>();
  return equal.some(each => {
    const own = { ...each, at: Math.min(each.at, kept.get(each.payment_id)?.at ?? Infinity) };
    kept.delete(own.payment_id);
    const near = [...kept.values()].filter(({ at }) => Math.abs(own.at - at) <= KNOWN_FOR);
    kept.set(own.payment_id, own);
    // What is not among the latest of those is one of too many.
    const [oldest = ''] = kept.keys();
    if (kept.size > MOST_EQUAL + 1) kept.delete(oldest);
    return (
      near.length <= MOST_EQUAL &&
      near.some(
        ({ at, purpose }) => Math.abs(own.at - at) <= SAME_REFERENCE && sharedDocument(own.purpose, purpose) !== null,
      )
    );
  });
}

/** Whether a payment had settled when another was first paid. */
const wasSettled = ({ settled_at, paid_at }: Payment, payment: Payment): boolean =>
  (paid_at ?? 0) <= (payment.paid_at ?? 0) && (settled_at ?? Infinity) <= (payment.paid_at ?? 0);

/** Whether something paid so long after the other may be what is paid every day or week. */
const isPeriodic = (gap: number): boolean => Math.abs(gap - DAY) <= ABOUT_A_DAY || Math.abs(gap - WEEK) <= ABOUT_A_WEEK;

/** The document that two payments both name, and by what; null: none, or they are parts, or differ in something else that both say. */
function sharedDocument(a: Purpose, b: Purpose): { name: string; number: string } | null {
  if (a.parts !== '' || b.parts !== '' || (a.says !== '' && b.says !== '' && a.says !== b.says)) return null;
  if (namedApart(a.references, b.references) !== null) return null;
  for (const [name, value] of a.references) {
    const number = b.references.get(name) === value ? documentIn(name, value) : null;
    if (number !== null) return { name, number };
  }
  return null;
}

/**
 * The number of a document that a member or a description gives, in upper case: in a description, five digits or more in a row after letters, as in
 * `REQ4558263`. Null for what else it may name: what is bought, for whom or under which contract comes back.
 */
function documentIn(name: string, value: string): string | null {
  if (!isOfDescription(name)) return namesDocument(name) && isNumbered(value) ? value : null;
  const numbers = value.split(BETWEEN).filter(item => /^\p{L}{2,8}[-_/]?\d{5,}(?:-\p{L}{1,2})?$/u.test(item));
  const [number] = numbers;
  return number !== undefined && numbers.length === 1 && isNumbered(number) ? number.toUpperCase() : null;
}

/**
 * Five digits in a row; six in groups, after three letters at most, as in `RE2026-0482`; or letters and digits by turns, as in `A7KX92Q`. A day, a week or a month is
 * the number of no document, whatever stands before it, and neither is a time from one to another.
 */
const isNumbered = (value: string): boolean =>
  (/\d{5}/.test(value) || (inGroups.test(value) && /(?:\d.*){6}/.test(value)) || isDrawn(value)) && !ofTime.test(value);

const inGroups = /^(?:\p{Lu}{1,3}-?)?\d+(?:-\d+){1,2}$/u;

/** Whether a program drew a number of letters and digits; a plate, a dose and a size have fewer turns, or a year. */
function isDrawn(value: string): boolean {
  const number = value.replace(/^\p{Lu}{1,6}-/u, '');
  const turns = number.match(/\p{Lu}+|\d+/gu) ?? [];
  return number.length >= 6 && turns.length >= 4 && turns.join('') === number && !/\dX\d|20[12]\d/.test(number);
}

const [ofYear, ofMonth, ofDay, ofPart] = [
  '20[12]\\d',
  '(?:0[1-9]|1[0-2])',
  '(?:0[1-9]|[12]\\d|3[01])',
  '(?:Q|W|S|H|WK|KW|CW|WEEK)',
];
const ofDate = `${ofYear}-${ofMonth}(?:-${ofDay})?`;
const ofTime = new RegExp(
  `^(?:${[
    // With a sign between its parts, or without.
    `\\P{N}*(?:${ofYear}${ofMonth}(?:${ofDay})?|${ofDate}|(?:${ofDay})?${ofMonth}${ofYear}|(?:${ofDay}-)?${ofMonth}-${ofYear}|${ofMonth}-${ofDay}-${ofYear})`,
    `(?:(?:\\P{N}*-)?${ofPart}-?)?\\d{1,2}-${ofYear}|(?:\\P{N}*-)?${ofYear}-?${ofPart}-?\\d{1,2}|(?:FY-?)?${ofYear}-\\d{1,2}|(?:\\d{1,2}-){2}\\d{2}`,
    `\\P{N}*(?:${ofYear}-${ofYear}|${ofDate}-(?:\\P{N}*-)?${ofDate})`,
  ].join('|')})$`,
  'u',
);

/** What payments give under that name; of descriptions, whatever the words. */
const documentsLike = (name: string, references: References): string[] =>
  [...references].flatMap(([other, value]) =>
    other === name || (isOfDescription(name) && isOfDescription(other)) ? (documentIn(other, value) ?? []) : [],
  );

const isOfDescription = (name: string) => name.includes('#');

/** Whether a member, by its name in words, gives the number of a document or the reference that a payee asks for. */
function namesDocument(name: string): boolean {
  if (name === 'end to end id') return true;
  const words = name
    .replace('nota fiscal', 'invoice')
    .split(' ')
    .map(word => word.replace(ofNumber, ''));
  return words.some(word => documents.has(word)) && words.every(word => documents.has(word) || beside.has(word));
}

/** What stands for a number at the end of a word, as in `factuurnummer` and `rechnungsnr`. */
const ofNumber = /(?<=\p{L}{2})(?:s?(?:nr|nummer|number|num)|番号|号码|號碼|编号|編號|号|번호)$/u;

/** Documents, orders and references in the languages of integrators. */
const documents = new Set(
  [
    'ref reference referencia referência référence referenz riferimento referentie referens kenmerk viite folio',
    'document dokument doc beleg voucher bol awb waybill',
    'bill invoice rechnung rechnungs facture factura fattura fatura faktura faktur factuur lasku 請求書 发票 發票 청구',
    'order po auftrag auftrags bestell bestellung commande pedido ordine encomenda bestelling ordre zamowienia zamówienia zamowienie zamówienie siparis sipariş objednavka objednávka 注文 订单 訂單 주문',
  ].flatMap(line => line.split(' ')),
);
/** What such a name has beside them. */
const beside = new Set(
  'id no nr n nº num number nummer numero número numéro numer ext external extern externa externe remittance creditor our your supplier vendor purchase sales de d of'.split(
    ' ',
  ),
);
