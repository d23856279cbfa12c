import type { KeyType } from '#shared/screening/matcher/entry.ts';
import { parseEvmAddress } from '#shared/values/evm_address.ts';
import { parseIban } from '#shared/values/iban.ts';

/** What kind of identifier a value is by its own form, where that leaves no doubt; `other` where it does. */
export function kindOfIdentifier(value: string): KeyType {
  if (/^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(value)) return 'email';
  if (/^(https?:\/\/|www\.)\S+$/i.test(value)) return 'domain';
  if (parseEvmAddress(value).ok || /^(bitcoin:)?bc1[a-z0-9]{11,87}$/i.test(value)) return 'wallet';
  if (parseIban(value).ok) return 'iban';
  if (isLei(value)) return 'lei';
  return 'other';
}

/** A legal entity identifier with right check digits (ISO 17442, ISO 7064 mod 97-10). */
function isLei(text: string): boolean {
  if (!/^[A-Z0-9]{18}[0-9]{2}$/.test(text)) return false;
  let rest = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** Seven digits of which the last checks the others: a company's or an owner's number (IMO resolution MSC.160(78)). */
function isCompanyImo(text: string): boolean {
  const sum = [8, 6, 4, 2, 9, 7].reduce((total, weight, place) => total + weight * Number(text[place]), 0);
  return (11 - (sum % 11)) % 10 === Number(text[6]);
}

/** Seven digits of which the last checks the others: a ship's number (IMO resolution A.1117(30)). */
export function isImo(text: string): boolean {
  if (!/^\d{7}$/.test(text)) return false;
  let sum = 0;
  for (let place = 0; place < 6; place += 1) sum += Number(text[place]) * (7 - place);
  return sum % 10 === Number(text[6]);
}

/** The numbers of ships and companies that a text calls so: `IMO number: 9187629`, `Company Number IMO 5434358`. */
export const imosIn = (text: string): string[] =>
  [...text.matchAll(/\bIMO\b[^\d;,]{0,12}(\d{7})(?!\d)/gi)].flatMap(([, number = '']) =>
    isImo(number) || isCompanyImo(number) ? [number] : [],
  );
