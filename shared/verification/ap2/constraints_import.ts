import { canonicalJson } from '#shared/json/canonical_json.ts';
import { Constraint } from '#shared/mandates/constraints.ts';
import { timestamp } from '#shared/values/time.ts';
import { isMinorUnits, minorUnits } from './amounts.ts';
import { periodOf } from './dates.ts';
import { hostOf, type Merchant, readMerchant } from './merchants.ts';
import { isObject, type JsonObject, textOf } from '#shared/verification/json.ts';

type ImportedConstraint = { type: string } & Record<string, unknown>;

/**
 * AP2's constraints (v0.2, open_payment_mandate.json) in our terms, with the originals. Unknown ones, and those without an equivalent, stay
 * as signed: the engine leaves them unresolved. A constraint that only ties a mandate to a checkout is left out: it is verified with the
 * checkout, and does not apply to later payments.
 */
export function importConstraints(constraints: readonly JsonObject[]): {
  imported: ImportedConstraint[];
  originals: JsonObject[];
} {
  const limits = constraints.filter(constraint => textOf(constraint, 'type') !== 'payment.reference');
  return { imported: limits.map(importConstraint), originals: [...constraints] };
}

function importConstraint(original: JsonObject): ImportedConstraint {
  const type = textOf(original, 'type') ?? 'unknown';
  const ours = Constraint.safeParse({ type, ...importers.get(type)?.(original) });
  return importers.has(type) && ours.success ? ours.data : { ...original, type };
}

/** The parameters of our constraint; null without an equivalent. */
type Importer = (original: JsonObject) => JsonObject | null;

const importers: ReadonlyMap<string, Importer> = new Map<string, Importer>([
  ['payment.amount_range', amountRange],
  ['payment.budget', budget],
  ['payment.agent_recurrence', original => original],
  ['payment.allowed_payees', allowedPayees],
  ['payment.allowed_payment_instruments', ({ allowed }) => ({ ids: objects(allowed).map(({ id }) => id) })],
  ['payment.allowed_pisps', ({ allowed }) => ({ ids: objects(allowed).flatMap(pispNames) })],
  ['payment.execution_date', executionDate],
]);

/** Both in minor units. */
function amountRange({ min, max, currency }: JsonObject): JsonObject | null {
  if (!isMinorUnits(max) || !(min === undefined || isMinorUnits(min))) return null;
  return { ...(min !== undefined && { min: String(min) }), max: String(max), currency };
}

/** AP2's are whole units, ours minor units, by the exponent of the currency. It counts over the mandate's whole life. */
function budget({ max, currency }: JsonObject): JsonObject | null {
  const limit = typeof max === 'number' && typeof currency === 'string' ? minorUnits(String(max), currency) : null;
  return limit === null ? null : { max: String(limit), currency, interval: 'per_mandate' };
}

/** All or none: a missing payee would look forbidden. */
function allowedPayees({ allowed }: JsonObject): JsonObject | null {
  const merchants = Array.isArray(allowed) ? allowed.map(readMerchant) : [null];
  return merchants.includes(null)
    ? null
    : { payees: merchants.flatMap(merchant => merchant && payeeMatches(merchant)) };
}

/** By id, which has no payment service and so is no payee key; without one, by domain and name. */
function payeeMatches(merchant: Merchant): JsonObject[] {
  const domain = merchant.website && hostOf(merchant.website);
  const website = domain ? `https://${domain}/` : undefined;
  const name = merchant.name ?? undefined;
  if (merchant.id) return [{ merchant_id: merchant.id, ...(name && { name }), ...(website && { website }) }];
  return [
    ...(domain ? [{ domain }] : []),
    ...(merchant.name ? [{ name: merchant.name, ...(website && { website }) }] : []),
  ];
}

/** All names of the service in payee keys. */
function pispNames(pisp: JsonObject): string[] {
  const names = ['domain_name', 'brand_name'].flatMap(name => textOf(pisp, name) ?? []);
  // In payee keys the service of stripe.com is `stripe`.
  names.push(...(textOf(pisp, 'domain_name')?.split('.').slice(0, 1) ?? []));
  return [...new Set([...names, ...names.map(name => name.toLowerCase())])];
}

function executionDate({ not_before, not_after }: JsonObject): JsonObject | null {
  const earliest = not_before === undefined ? undefined : periodOf(not_before);
  const latest = not_after === undefined ? undefined : periodOf(not_after);
  if (earliest === null || latest === null) return null;
  return {
    ...(earliest && { not_before: timestamp(earliest.from) }),
    ...(latest && { not_after: timestamp(latest.until) }),
  };
}

const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/**
 * The combined constraints of two presentations of one mandate: lists of allowed values are merged, since a holder discloses only what it
 * needs. Null when the second discloses nothing new.
 */
export function mergeDisclosed(stored: readonly JsonObject[], shown: readonly JsonObject[]): JsonObject[] | null {
  if (stored.length !== shown.length) return null;
  const merged = stored.map((constraint, index) => withMore(constraint, shown[index] ?? {}));
  return merged.some((constraint, index) => constraint !== stored[index]) ? merged : null;
}

function withMore(stored: JsonObject, shown: JsonObject): JsonObject {
  if (stored['type'] !== shown['type'] || !Array.isArray(stored['allowed']) || !Array.isArray(shown['allowed']))
    return stored;
  const allowed: unknown[] = stored['allowed'];
  const stored_entries = new Set(allowed.map(entry => canonicalJson(entry)));
  const more = shown['allowed'].filter(entry => !stored_entries.has(canonicalJson(entry)));
  return more.length > 0 ? { ...stored, allowed: [...allowed, ...more] } : stored;
}
