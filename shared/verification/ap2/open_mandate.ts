import { hash } from 'node:crypto';
import { canonicalJson, NotCanonical } from '#shared/json/canonical_json.ts';
import { SECOND } from '#shared/values/time.ts';
import type { Delegated } from './content.ts';
import { isObject, type JsonObject } from '#shared/verification/json.ts';
import { isTime } from '#shared/verification/jose/times.ts';
import type { OpenMandate } from '#shared/verification/verifier.ts';

/**
 * An open mandate as signed, identified by the hash of what the signature covers: other disclosures, or the signature's other form, make no
 * other mandate. The fields it fixes become equivalent constraints.
 */
export function openMandateOf({ mandate, hop }: Delegated, issuer: string): OpenMandate {
  const { constraints } = mandate;
  const parts = [hop.claims, mandate];
  return {
    hash: hash('sha256', hop.jwt.signed, 'base64url'),
    name: `AP2 mandate from ${issuer}`.slice(0, 200),
    valid_from: latest(parts.flatMap(({ nbf, iat }) => [nbf, iat])),
    valid_until: earliest(parts.map(({ exp }) => exp)),
    constraints: [...(Array.isArray(constraints) ? constraints.filter(isObject) : []), ...fixedFields(mandate)],
  };
}

const latest = (times: readonly unknown[]) => bound(times, Math.max);
const earliest = (times: readonly unknown[]) => bound(times, Math.min);

function bound(times: readonly unknown[], choose: (...times: number[]) => number): number | null {
  const sound_times = times.filter(isTime).map(seconds => Math.floor(seconds * SECOND));
  return sound_times.length === 0 ? null : choose(...sound_times);
}

function fixedFields({ payee, payment_amount, payment_instrument, pisp, execution_date }: JsonObject): JsonObject[] {
  const fixed: JsonObject[] = [];
  if (isObject(payee)) fixed.push({ type: 'payment.allowed_payees', allowed: [payee] });
  if (isObject(payment_amount)) {
    const { amount, currency } = payment_amount;
    fixed.push({ type: 'payment.amount_range', min: amount, max: amount, currency });
  }
  if (isObject(payment_instrument))
    fixed.push({ type: 'payment.allowed_payment_instruments', allowed: [payment_instrument] });
  if (isObject(pisp)) fixed.push({ type: 'payment.allowed_pisps', allowed: [pisp] });
  if (typeof execution_date === 'string')
    fixed.push({ type: 'payment.execution_date', not_before: execution_date, not_after: execution_date });
  return fixed;
}

/**
 * The identity of an unsigned open mandate (AP2 issue #265): the SHA-256 in hex of its canonical JSON (RFC 8785). Null without canonical
 * JSON.
 */
export function openMandateHash(mandate: JsonObject): string | null {
  try {
    return hash('sha256', canonicalJson(mandate));
  } catch (error) {
    if (error instanceof NotCanonical) return null;
    throw error;
  }
}
