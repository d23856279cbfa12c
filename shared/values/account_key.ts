import { parseDomainName } from './domain_name.ts';
import { parseIban } from './iban.ts';
import { type Parsed, parsed, unparsed } from './parsed.ts';

/**
 * A payee key `account:<scheme>:<id>` in its one form, from what follows `account:`. The schemes below have rules; the id of any other
 * is taken as it is.
 */
export function parseAccountKey(rest: string): Parsed<string> {
  const colon = rest.indexOf(':');
  const scheme = rest.slice(0, Math.max(colon, 0)).trim().toLowerCase();
  const id = rest.slice(colon + 1).trim();
  if (!/^[a-z0-9][a-z0-9_.-]{0,31}$/.test(scheme) || id === '')
    return unparsed('must be account:<scheme>:<id>, such as account:ach:021000021-123456789');
  const checked = schemes.get(scheme)?.(id) ?? parsed(id);
  if (!checked.ok) return checked;
  return parsed(scheme === 'iban' ? `iban:${checked.value}` : `account:${scheme}:${checked.value}`);
}

const schemes = new Map<string, (id: string) => Parsed<string>>([
  ['ach', ach],
  ['uk', uk],
  ['pix', pix],
  ['upi', upi],
  ['lightning', lightning],
  ['iban', parseIban],
]);

/** Routing number and account, `021000021-123456789`: nine digits with the ABA's check digit, and up to 17 of the account. */
function ach(id: string): Parsed<string> {
  const [, routing = '', account = ''] = /^(\d{9})[- ]([0-9a-z]{1,17})$/i.exec(id) ?? [];
  if (!routing) return unparsed('must be account:ach:<routing>-<account>, such as account:ach:021000021-123456789');
  const sum = [...routing].reduce((total, digit, at) => total + Number(digit) * (abaWeights[at % 3] ?? 0), 0);
  return sum > 0 && sum % 10 === 0
    ? parsed(`${routing}-${account.toUpperCase()}`)
    : unparsed('has a routing number with a wrong ABA check digit; copy it again');
}

const abaWeights = [3, 7, 1];

/** Sort code and account, `200000-55779911`: six and eight digits. The sort code may have its hyphens. */
function uk(id: string): Parsed<string> {
  const [, one, two, three, account] = /^(\d\d)[- ]?(\d\d)[- ]?(\d\d)[- ](\d{8})$/.exec(id) ?? [];
  return account
    ? parsed(`${one}${two}${three}-${account}`)
    : unparsed('must be account:uk:<sort code>-<account>, six and eight digits, such as account:uk:200000-55779911');
}

/** A key of the Brazilian directory (DICT): CPF, CNPJ, telephone, e-mail address or random key. */
function pix(id: string): Parsed<string> {
  const bare = id.replace(/[.\-/ ]/g, '').toUpperCase();
  if (/^\d{11}$/.test(bare) && /^[\d.-]+$/.test(id) && hasTaxDigits(bare, [11, 12])) return parsed(bare);
  if (/^[0-9A-Z]{12}\d\d$/.test(bare) && hasTaxDigits(bare, [9, 9])) return parsed(bare);
  if (/^\+55\d{10,11}$/.test(bare)) return parsed(bare);
  if (id.length <= 77 && /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(id)) return parsed(id.toLowerCase());
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return parsed(id.toLowerCase());
  return unparsed(
    'must be account:pix:<key> with a CPF or CNPJ that checks, a telephone such as +5511987654321, an email address or a random key (UUID)',
  );
}

/** Whether the last two characters check those before them (modulo 11), with weights from 2 up to so many. A CNPJ may have letters. */
function hasTaxDigits(text: string, most: readonly [number, number]): boolean {
  if (new Set(text).size === 1) return false;
  return most.every((highest, which) => {
    const end = text.length - 2 + which;
    let sum = 0;
    for (let at = 0; at < end; at += 1) sum += (text.charCodeAt(at) - 48) * (2 + ((end - 1 - at) % (highest - 1)));
    return Number(text[end]) === (sum % 11 < 2 ? 0 : 11 - (sum % 11));
  });
}

/** A virtual payment address, `name@bank`, the same in any case. */
function upi(id: string): Parsed<string> {
  return /^[a-z0-9][a-z0-9._-]{1,254}@[a-z][a-z0-9.]{1,63}$/i.test(id)
    ? parsed(id.toLowerCase())
    : unparsed('must be account:upi:<name>@<bank>, such as account:upi:acme@okhdfcbank');
}

/** A node's public key, a lightning address (LUD-16), an LNURL (LUD-01) or an offer (BOLT 12). An invoice names one payment only. */
function lightning(id: string): Parsed<string> {
  const text = id.toLowerCase();
  if (/^0[23][0-9a-f]{64}$/.test(text) || /^(?:lnurl1|lno1)[ac-hj-np-z02-9]{20,}$/.test(text)) return parsed(text);
  const [, name = '', host = ''] = /^([a-z0-9._+-]+)@([^@\s]+)$/.exec(text) ?? [];
  const domain = parseDomainName(host);
  if (name && domain.ok) return parsed(`${name}@${domain.value}`);
  return unparsed(
    'must be account:lightning:<id> with a node key (66 hexadecimal digits), a lightning address such as acme@pay.example.com, an LNURL or an offer; an invoice names a payment and not a payee',
  );
}
