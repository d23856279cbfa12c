import { assetKey } from '#shared/values/assets.ts';
import { breach, compliant, type ConstraintOf, listed, type Rule, unresolved } from './rule.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';

export const allowedRails = ({ values }: ConstraintOf<'payment.allowed_rails'>): Rule =>
  allowed({ code: 'rail_not_allowed', read: event => event.rail, has: among(values), values });

/** A token is not the currency it follows: a payment in USDC is in no currency, and so in none that is allowed. */
export const allowedCurrencies = ({ values }: ConstraintOf<'payment.allowed_currencies'>): Rule =>
  allowed({ code: 'currency_not_allowed', read: event => event.amount.currency, has: among(values), values });

/** A payment on no network is on none that is allowed. */
export const allowedNetworks = ({ values }: ConstraintOf<'payment.allowed_networks'>): Rule =>
  allowed({ code: 'network_not_allowed', read: networkOf, has: among(values), values });

export function allowedAssets({ assets }: ConstraintOf<'payment.allowed_assets'>): Rule {
  const values = assets.map(({ network, address }) => assetKey(network, address));
  const read = ({ amount }: ReportedEvent) => amount.asset && amount.denomination;
  return allowed({ code: 'asset_not_allowed', read, has: among(values), values });
}

const country = ({ payee }: ReportedEvent) => payee.country;

export const allowedCountries = ({ values }: ConstraintOf<'payment.allowed_countries'>): Rule =>
  allowed({ code: 'country_not_allowed', unknown: 'country_unknown', read: country, has: among(values), values });

export const blockedCountries = ({ values }: ConstraintOf<'payment.blocked_countries'>): Rule =>
  blocked({ code: 'country_blocked', unknown: 'country_unknown', read: country, has: among(values), values });

const category = (event: ReportedEvent) => event.category;

export const allowedCategories = ({ mcc }: ConstraintOf<'payment.allowed_categories'>): Rule =>
  allowed({
    code: 'category_not_allowed',
    unknown: 'category_unknown',
    read: category,
    has: withinRanges(mcc),
    values: mcc,
  });

export const blockedCategories = ({ mcc }: ConstraintOf<'payment.blocked_categories'>): Rule =>
  blocked({
    code: 'category_blocked',
    unknown: 'category_unknown',
    read: category,
    has: withinRanges(mcc),
    values: mcc,
  });

export const allowedInstruments = ({ ids }: ConstraintOf<'payment.allowed_payment_instruments'>): Rule =>
  allowed({
    code: 'instrument_not_allowed',
    unknown: 'instrument_unknown',
    read: event => event.instrument?.id ?? null,
    has: among(ids),
    values: ids,
  });

/** Events do not name who initiates a payment. A merchant's key names who takes it, which is as near as a report comes. */
export const allowedPisps = ({ ids }: ConstraintOf<'payment.allowed_pisps'>): Rule =>
  allowed({
    code: 'pisp_not_allowed',
    unknown: 'pisp_unknown',
    read: ({ payee }) => /^merchant:([^:]+):/.exec(payee.key)?.[1] ?? null,
    has: among(ids.map(id => id.toLowerCase())),
    values: ids,
  });

/** Compared as URLs are normalised, so that case, escapes and dots in the path open no way around. */
export const allowedResources = ({ prefixes }: ConstraintOf<'payment.allowed_resources'>): Rule =>
  allowed({
    code: 'resource_not_allowed',
    unknown: 'resource_unknown',
    read: event => event.resource_url,
    has(address) {
      const href = URL.parse(address)?.href;
      return href !== undefined && prefixes.some(prefix => href.startsWith(prefix));
    },
    values: prefixes,
  });

/** `read` finds what is compared; when the event does not say, it is open with the code `unknown`, else as not in the list. */
type List = {
  code: string;
  unknown?: string;
  read(event: ReportedEvent): string | null;
  has(value: string): boolean;
  values: readonly string[];
};

const allowed = (list: List): Rule => listRule(list, true);
const blocked = (list: List): Rule => listRule(list, false);

function listRule({ code, unknown, read, has, values }: List, wanted: boolean): Rule {
  const limit = listed(values);
  return {
    judge({ event }) {
      const observed = read(event);
      if (observed === null && unknown !== undefined) return unresolved(unknown, { observed, limit });
      const isListed = observed !== null && has(observed);
      return isListed === wanted ? compliant({ observed, limit }) : breach(code, { observed, limit });
    },
  };
}

function among(values: readonly string[]): (value: string) => boolean {
  const set = new Set(values);
  return value => set.has(value);
}

/** Codes of four digits sort as text as they do as numbers. */
function withinRanges(ranges: readonly string[]): (code: string) => boolean {
  const bounds = ranges.map(range => [range.slice(0, 4), range.slice(-4)] as const);
  return code => bounds.some(([first, last]) => first <= code && code <= last);
}

/** Where the token lives; for a payment that is not in tokens, where the payee's account does (a CAIP-10 key). */
const networkOf = ({ amount, payee }: ReportedEvent): string | null =>
  amount.asset?.network ??
  /^(?!iban:|merchant:|agent:)([-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}):/.exec(payee.key)?.[1] ??
  null;
