import { parseDomainName } from '#shared/values/domain_name.ts';
import { fold } from '#shared/values/fold.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { MANDATE_SCOPE_MISMATCH } from './codes.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import { isObject, quoted, textOf } from '#shared/verification/json.ts';

/** The seller, as AP2 names it (types/merchant.json). */
export type Merchant = { id: string | null; name: string | null; website: string | null };

/** A merchant that has an id or a name, else null. */
export function readMerchant(value: unknown): Merchant | null {
  if (!isObject(value)) return null;
  const merchant = { id: textOf(value, 'id'), name: textOf(value, 'name'), website: textOf(value, 'website') };
  return merchant.id || merchant.name ? merchant : null;
}

/** Whether two descriptions mean one merchant: by id if both have one, otherwise by name and website. */
function isSameMerchant(a: Merchant, b: Merchant): boolean {
  if (a.id && b.id) return a.id === b.id;
  if (!a.name || !b.name || !a.website || !b.website) return false;
  return fold(a.name) === fold(b.name) && hostOf(a.website) !== null && hostOf(a.website) === hostOf(b.website);
}

/**
 * Checks that `merchant`, whom the agent says it paid, is an allowed one. The id alone may match, but the agent claims which website and
 * name belong to it: if the event pays by these, the allowed merchant must agree with it as well.
 */
export function judgeAllowed(
  allowed: readonly (Merchant | null)[],
  merchant: Merchant,
  payee: ReportedEvent['payee'],
): 'met' | 'broken' | 'unresolved' {
  const same = allowed.flatMap(entry => (entry !== null && isSameMerchant(entry, merchant) ? [entry] : []));
  if (same.length === 0) return 'broken';
  return same.some(entry => isPaidAs(entry, merchant, payee)) ? 'met' : 'unresolved';
}

/** Whether the event pays `allowed` whenever it pays `merchant`; `checkPayee` checks the latter. */
export const isPaidAs = (allowed: Merchant, merchant: Merchant, payee: ReportedEvent['payee']): boolean =>
  isPaid(allowed, payee) || !isPaid(merchant, payee);

function isPaid(merchant: Merchant, payee: ReportedEvent['payee']): boolean {
  const compared = comparePayee(merchant, payee);
  return compared !== null && compared[0] === compared[1];
}

/**
 * Compares a mandate's merchant with the event's payee, by the best attribute of both: the id is the last part of a `merchant:` key, the
 * website's host is the `domain:` key, otherwise the names are equal.
 */
export function checkPayee(list: Checklist, merchant: Merchant, { payee }: ReportedEvent): void {
  const compared = comparePayee(merchant, payee);
  if (!compared) {
    list.open(
      'payee',
      'payee_not_comparable',
      'The mandate and the event name the payee in ways that cannot be compared',
    );
    return;
  }
  const [authorized, paid] = compared;
  const detail = `The mandate is for ${quoted(authorized)}, the event pays ${quoted(paid)}`;
  list.check('payee', authorized === paid, MANDATE_SCOPE_MISMATCH, detail);
}

function comparePayee({ id, name, website }: Merchant, payee: ReportedEvent['payee']): [string, string] | null {
  const { key } = payee;
  if (key.startsWith('merchant:') && id) return [id, key.slice(key.lastIndexOf(':') + 1)];
  const host = website && hostOf(website);
  if (key.startsWith('domain:') && host) return [host, key.slice('domain:'.length)];
  return name && payee.name ? [fold(name), fold(payee.name)] : null;
}

/** The host of a website, with or without a scheme, in the form of `domain:` keys; null when invalid. */
export function hostOf(website: string): string | null {
  const url = URL.parse(website.includes('://') ? website : `https://${website}`);
  const host = url ? parseDomainName(url.hostname) : null;
  return host?.ok ? host.value : null;
}
