import type { KeyType } from '#shared/screening/matcher/entry.ts';
import { webAddressToFind, webAddressToStore } from './web_address.ts';

/**
 * How identifiers are compared: each has one or more forms under which it is indexed and searched. Two that share a form are the same
 * identifier, however they are spelled; identifiers are never merely similar.
 */
type Identifier = {
  toStore: (value: string) => string[];
  /** Where it differs from `toStore`: a page is also searched under its site. */
  toFind?: (value: string) => string[];
};

/** The forms under which a list's identifier is indexed. Empty if the value is invalid. */
export const formsToStore = (type: KeyType | 'payee_key', value: string): string[] => forms(type, value, false);

/** The forms under which an identifier is searched; without a type all that it could be, for a payee's key all but a document. */
export const formsToFind = (type: KeyType | 'payee_key' | null, value: string): string[] =>
  forms(type ?? 'other', value, true);

const LONGEST = 2_048;

function forms(type: KeyType | 'payee_key', value: string, find: boolean): string[] {
  if (value.length > LONGEST) return [];
  const text = latinDigits(value.normalize('NFKC').replace(/\p{Cf}/gu, ''));
  const of = (identifier: Identifier) => (find ? (identifier.toFind ?? identifier.toStore) : identifier.toStore)(text);
  if (type !== 'other' && type !== 'payee_key') return of(identifiers[type]);
  const document = type === 'other' ? guessDocument(text) : [];
  return [...new Set([...guessed.flatMap(kind => of(identifiers[kind])), ...of(identifiers.other), ...document])];
}

const identifiers: Record<KeyType, Identifier> = {
  wallet: { toStore: value => labeled('wallet', walletAddress(value)) },
  domain: { toStore: webAddressToStore, toFind: webAddressToFind },
  email: {
    toStore: value =>
      labeled(
        'email',
        /(?:^|[<:\s])([^\s@<>:/]+@[^\s@?<>,;/]+\.[^\s@?<>,;./]+)[>.,;]*(?:\?.*)?$/i
          .exec(value.trim())?.[1]
          ?.toLowerCase(),
      ),
  },
  // ISO 9362: the branch XXX is the head office, as are eight characters; other branches belong to it.
  bic: {
    toStore: value => labeled('bic', bic(value)),
    toFind: value => [...labeled('bic', bic(value)), ...labeled('bic', bic(value).slice(0, 8))],
  },
  iban: { toStore: value => labeled('iban', /^(?:IBAN)?([A-Z]{2}\d{2}[A-Z0-9]{8,30})$/.exec(bare(value))?.[1]) },
  lei: { toStore: leiForm },
  imo: { toStore: imoForm },
  document: { toStore: documentForm, toFind: value => [...documentForm(value), ...leiForm(value), ...imoForm(value)] },
  other: { toStore: value => labeled('other', value.trim()) },
};

// Function declarations, because the table above uses them. A vessel's or company's number may also be given as a document.
function leiForm(value: string): string[] {
  return labeled('lei', /^[A-Z0-9]{18}\d{2}$/.exec(bare(value))?.[0]);
}
function imoForm(value: string): string[] {
  return labeled('imo', /^(?:IMO)?(?:NO|NUMBER)?(\d{7})$/.exec(bare(value))?.[1]);
}
function documentForm(value: string): string[] {
  return labeled('document', bare(value).length >= SHORTEST_DOCUMENT ? bare(value) : undefined);
}

const guessed: KeyType[] = ['wallet', 'domain', 'email', 'bic', 'iban', 'lei'];

/** A shorter number is too common. */
const SHORTEST_DOCUMENT = 4;
const SHORTEST_GUESSED_DOCUMENT = 6;
const LONGEST_GUESSED_DOCUMENT = 24;

const guessDocument = (value: string) => {
  // A value with a scheme, or as long as an account or a wallet, is no document number.
  if (/[:@/]/.test(value.replace(/^\s*IMO\s*:/i, '')) || value.trim().length > LONGEST_GUESSED_DOCUMENT) return [];
  const text = bare(value);
  const imo = /^IMO(?:NO)?(\d{7})$/.exec(text)?.[1];
  return [
    ...labeled('imo', imo),
    ...labeled('document', text.length >= SHORTEST_GUESSED_DOCUMENT && /\d/.test(text) ? text : undefined),
  ];
};

const bic = (value: string): string =>
  (/^[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.exec(bare(value))?.[0] ?? '').replace(/^(.{8})XXX$/, '$1');

/** Arabic-Indic and Persian digits as 0 to 9. */
const latinDigits = (value: string): string =>
  value.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, digit => String((digit.codePointAt(0) ?? 0) % 16));

/** Letters and digits alone, in capitals. */
const bare = (value: string): string => value.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');

const labeled = (kind: string, value: string | undefined): string[] => (value ? [`${kind} ${value}`] : []);

/**
 * A wallet's address as it is compared, out of any of its usual spellings: alone, as an account of CAIP-10 (`eip155:1:0x…`), in a payment
 * URI (BIP 21, EIP-681). EVM addresses are the same on every chain and in any case; bech32 is the same in capitals (BIP 173); base58 is
 * never folded, since a letter in the other case is another address. Empty where there is none.
 */
function walletAddress(value: string): string {
  const text = value.trim();
  const address =
    /^[-a-z0-9]{2,20}:(?:[-_a-zA-Z0-9]{1,32}:)?(?:\/\/)?(?:pay-)?([^:?@\s]+)(?:[?@].*)?$/i.exec(text)?.[1] ?? text;
  if (/\s/.test(address) || address.length < SHORTEST_ADDRESS || address.length > LONGEST_ADDRESS) return '';
  if (/^0x[0-9a-f]{40}$/i.test(address)) return address.toLowerCase();
  return isBech32.test(address) && isOneCase(address) ? address.toLowerCase() : address;
}

const SHORTEST_ADDRESS = 20;
const LONGEST_ADDRESS = 200;
const isBech32 = /^[a-z]{1,15}1[ac-hj-np-z02-9]{20,90}$/i;
const isOneCase = (text: string) => text === text.toLowerCase() || text === text.toUpperCase();
