/**
 * Finds a full payment card number (PAN) in PSP, ACP or card data: a member named `number`, `pan`, `card_number` or the
 * like, with 13-19 digits, the right check digit (Luhn) and a known issuer range. Strings that hold JSON are looked
 * into. Answers the path of member names to it, never the number; null when there is none.
 */
export function findCardNumber(value: unknown): string[] | null {
  const places: Place[] = [{ value, path: [], readable: true, texts: 0 }];
  for (let place = places.pop(); place; place = places.pop()) {
    const inside = typeof place.value === 'string' ? jsonIn(place.value, place.texts) : place.value;
    if (typeof inside !== 'object' || inside === null) continue;
    const fromText = inside !== place.value;
    for (const [name, member] of Object.entries(inside)) {
      const readable = place.readable && !fromText;
      const path = readable ? [...place.path, name] : place.path;
      if (!Array.isArray(inside) && isNumberName(name) && isCardNumber(member)) return path;
      if (worthALook(member)) places.push({ value: member, path, readable, texts: place.texts + (fromText ? 1 : 0) });
    }
  }
  return null;
}

// A path ends where a string begins to hold JSON (`readable` false); JSON within JSON is followed three times.
type Place = { value: unknown; path: string[]; readable: boolean; texts: number };

const worthALook = (value: unknown): boolean =>
  (typeof value === 'object' && value !== null) || (typeof value === 'string' && value.length > 13);

function jsonIn(text: string, texts: number): unknown {
  if (texts >= 3 || !/^\s*[[{]/.test(text) || !/[0-9](?:[ -]?[0-9]){12}/.test(text)) return null;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const isNumberName = (name: string): boolean =>
  name.length < 40 && numberNames.has(name.toLowerCase().replace(/[^a-z]/g, ''));

const numberNames = new Set(
  `number pan fpan dpan fullpan cardpan pannumber primaryaccountnumber cardnumber cardnum cardno ccnumber ccnum
   creditcard creditcardnumber debitcardnumber paymentcardnumber`.split(/\s+/),
);

function isCardNumber(value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  const digits = String(value).trim().replace(/[ -]/g, '');
  return /^[0-9]{13,19}$/.test(digits) && hasLuhnDigit(digits) && isIssued(digits);
}

/** Whether a text holds what may be a card number, wherever in it. One with more digits than can be looked at is held to do so. */
export function holdsCardNumber(text: string): boolean {
  let looks = 0;
  for (const [run] of text.matchAll(/[0-9](?:[ -]?[0-9]){12,}/g)) {
    const digits = run.replace(/[ -]/g, '');
    for (let from = 0; from + 13 <= digits.length; from += 1) {
      if ((looks += 1) > MOST_LOOKS) return true;
      for (let length = 13; length <= 19; length += 1) if (isCardNumber(digits.slice(from, from + length))) return true;
    }
  }
  return false;
}

const MOST_LOOKS = 20_000;

function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function isIssued(digits: string): boolean {
  return issuers.some(({ from, to, lengths }) => {
    const prefix = Number(digits.slice(0, String(from).length));
    return prefix >= from && prefix <= to && lengths.includes(digits.length);
  });
}

// ISO/IEC 7812 issuer ranges of the card schemes.
const issuers: { from: number; to: number; lengths: number[] }[] = [
  { from: 4, to: 4, lengths: [13, 16, 19] }, // Visa
  { from: 51, to: 55, lengths: [16] }, // Mastercard
  { from: 2221, to: 2720, lengths: [16] }, // Mastercard
  { from: 34, to: 34, lengths: [15] }, // American Express
  { from: 37, to: 37, lengths: [15] }, // American Express
  { from: 6011, to: 6011, lengths: [16, 17, 18, 19] }, // Discover
  { from: 644, to: 659, lengths: [16, 17, 18, 19] }, // Discover, RuPay
  { from: 300, to: 305, lengths: [14, 16, 17, 18, 19] }, // Diners Club
  { from: 3095, to: 3095, lengths: [14, 16, 17, 18, 19] }, // Diners Club
  { from: 36, to: 36, lengths: [14, 15, 16, 17, 18, 19] }, // Diners Club
  { from: 38, to: 39, lengths: [14, 16, 17, 18, 19] }, // Diners Club
  { from: 3528, to: 3589, lengths: [16, 17, 18, 19] }, // JCB
  { from: 62, to: 62, lengths: [16, 17, 18, 19] }, // UnionPay
  { from: 81, to: 82, lengths: [16, 17, 18, 19] }, // UnionPay, RuPay
  { from: 50, to: 50, lengths: [13, 14, 15, 16, 17, 18, 19] }, // Maestro, RuPay
  { from: 56, to: 58, lengths: [13, 14, 15, 16, 17, 18, 19] }, // Maestro
  { from: 63, to: 63, lengths: [13, 14, 15, 16, 17, 18, 19] }, // Maestro
  { from: 67, to: 67, lengths: [13, 14, 15, 16, 17, 18, 19] }, // Maestro
  { from: 60, to: 60, lengths: [16] }, // RuPay
  { from: 2200, to: 2204, lengths: [16, 17, 18, 19] }, // Mir
  { from: 9792, to: 9792, lengths: [16] }, // Troy
];
