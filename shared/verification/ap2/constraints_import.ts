import { canonicalJson } from '#shared/json/canonical_json.ts';
import { Constraint } from '#shared/mandates/constraints.ts';
import { timestamp } from '#shared/values/time.ts';
import { isMinorUnits, minorUnits } from './amounts.ts';
import { periodOf } from './dates.ts';
import { hostOf, type Merchant, readMerchant } from './merchants.ts';
import { isObject, type JsonObject, textOf } from '#shared/verification/json.ts';

type ImportedConstraint = { type: string } & Record<string, unknown>;

/**
 * AP2's constraints (v0.2, open_payment_mandate.json) as ours, with the originals beside. What is not known, or
 * cannot be said in our terms, stays as it was signed: the engine then leaves it unresolved. What only says which checkout a mandate
 * belongs to is left out: the verifier compares it where the checkout is, and no later payment can be held against it.
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

/** The parameters of our constraint; null when they cannot be said. */
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

/** Minor units there and here. */
function amountRange({ min, max, currency }: JsonObject): JsonObject | null {
  if (!isMinorUnits(max) || !(min === undefined || isMinorUnits(min))) return null;
  return { ...(min !== undefined && { min: String(min) }), max: String(max), currency };
}

/** Whole units there, minor units here: what the exponent of the currency makes of it. It counts over the mandate's whole life. */
function budget({ max, currency }: JsonObject): JsonObject | null {
  const limit = typeof max === 'number' && typeof currency === 'string' ? minorUnits(String(max), currency) : null;
  return limit === null ? null : { max: String(limit), currency, interval: 'per_mandate' };
}

/** All of them or none: who is left out would look as if it was not allowed. */
function allowedPayees({ allowed }: JsonObject): JsonObject | null {
  const merchants = Array.isArray(allowed) ? allowed.map(readMerchant) : [null];
  return merchants.includes(null)
    ? null
    : { payees: merchants.flatMap(merchant => merchant && payeeMatches(merchant)) };
}

/** By its id, which names no payment service and so makes no payee key; without one, by domain and by name. */
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

/** All that the service may be called by in a payee key. */
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
 * The constraints of one mandate as two presentations of it disclose them: lists of what is allowed are put together, since a holder
 * shows of each only what it needs. Null when the second discloses nothing more.
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
