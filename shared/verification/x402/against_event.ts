import { assetByKey, assetKey } from '#shared/values/assets.ts';
import { parseDomainName } from '#shared/values/domain_name.ts';
import { chainAccountOf } from '#shared/values/payee_key.ts';
import { priceInUsd } from '#shared/values/price_in_usd.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import type { Checklist } from '#shared/verification/checklist.ts';

/** An amount of a token, in atomic units, on a network (CAIP-2). */
type TokenAmount = { network: string; asset: string; value: bigint };

/** How what was signed, offered or moved has to compare to what was reported. */
export type Relation = 'equal' | 'at_least' | 'at_most';

/** Notes whether an amount fits the event's; one in another currency, whose rate nobody signed, stays open. */
export function checkAmount(
  list: Checklist,
  event: ReportedEvent,
  { amount, relation, code }: { amount: TokenAmount; relation: Relation; code: string },
): boolean {
  const order = compareAmounts(event, amount);
  const { value, denomination } = event.amount;
  const reported = `${value} ${denomination} were reported, ${amount.value} of ${amount.asset} ${relations[relation]}`;
  if (order === null) return list.open('amount', 'amount_not_comparable', reported);
  return list.check('amount', fits(order, relation), code, reported);
}

/** Whether an amount stands in a relation to the event's; false where they cannot be compared. */
export function amountFits(event: ReportedEvent, amount: TokenAmount, relation: Relation): boolean {
  const order = compareAmounts(event, amount);
  return order !== null && fits(order, relation);
}

/** Notes whether the asset is the one that was reported; with an amount in a currency there is none to compare. */
export function checkAsset(
  list: Checklist,
  event: ReportedEvent,
  { network, asset, code }: { network: string; asset: string; code: string },
): boolean {
  if (!event.amount.asset) return list.pass('asset', assetKey(network, asset));
  const key = assetKey(network, asset);
  return list.check('asset', key === event.amount.denomination, code, `${key} is not ${event.amount.denomination}`);
}

/** Notes whether a network is the one that was reported. */
export function checkNetwork(list: Checklist, event: ReportedEvent, network: string, code: string): boolean {
  const reported = event.amount.asset?.network ?? network;
  return list.check('network', network === reported, code, `${network} is not ${reported}`);
}

/**
 * Notes whether an account is the payee. That a domain asked to be paid there is said by nobody who signed, so it stays open; one known by
 * anything else cannot be told from an address.
 */
export function checkPayee(
  list: Checklist,
  { payee }: ReportedEvent,
  {
    network,
    address,
    resource_url,
    code,
  }: { network: string; address: string; resource_url: string | null; code: string },
): boolean {
  const account = payeeAccount(payee.key);
  if (account) {
    const key = assetKey(network, address);
    return list.check('payee', key === account, code, `${key} is not the payee ${account}`);
  }
  const domain = payee.key.startsWith('domain:') ? payee.key.slice('domain:'.length) : null;
  const host = resource_url && hostOf(resource_url);
  if (domain && host && isWithin(host, domain))
    return list.open('payee', 'payee_unconfirmed', `nothing signed says that ${address} is ${host}'s`);
  return list.open('payee', 'payee_not_comparable', `nothing says that ${address} is ${payee.key}`);
}

/** The account of a CAIP-10 payee key as `<CAIP-2>/<address>`, EVM addresses in lower case; null for other keys. */
export function payeeAccount(key: string): string | null {
  const account = chainAccountOf(key);
  return account && assetKey(account.network, account.address);
}

/** The host of a URL in its comparable form, null when it has none. */
export function hostOf(url: string): string | null {
  const host = URL.canParse(url) ? parseDomainName(new URL(url).hostname) : null;
  return host?.ok ? host.value : null;
}

/** Whether a host is a domain or below it. */
export const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`);

/** Whether an event tells of a payment that is over, so that what was signed for it may have run out meanwhile. */
export const isAfterwards = ({ type }: ReportedEvent): boolean =>
  type === 'payment.failed' ||
  type === 'payment.canceled' ||
  type === 'payment.refunded' ||
  type === 'payment.disputed';

/** Whether an event's amount may be a part of what was paid. */
export const isPartial = ({ type }: ReportedEvent): boolean =>
  type === 'payment.refunded' || type === 'payment.disputed';

const relations: Record<Relation, string> = {
  equal: 'must be as much',
  at_least: 'must cover it',
  at_most: 'must not exceed it',
};

const fits = (order: number, relation: Relation) =>
  order === 0 || (relation === 'at_least' && order > 0) || (relation === 'at_most' && order < 0);

/** Negative when the amount is less than the event's, positive when it is more; null when there is no telling. */
function compareAmounts({ amount, usd_micro }: ReportedEvent, { network, asset, value }: TokenAmount): number | null {
  const key = assetKey(network, asset);
  if (amount.asset) return amount.denomination === key ? compare(value, amount.value) : null;
  const usd = amount.currency === 'USD' && priceInUsd({ amount: value, asset: assetByKey(key), rate: null });
  return usd && usd_micro !== null ? compare(usd.usd_micro, usd_micro) : null;
}

const compare = (one: bigint, other: bigint) => (one < other ? -1 : one > other ? 1 : 0);
