import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import type { Evidence, VerificationInput } from '#shared/verification/verifier.ts';

/** The moment test events occur at, in milliseconds since 1970. */
export const OCCURRED_AT = Date.parse('2026-11-20T09:30:00.000Z');
export const SECONDS = OCCURRED_AT / 1_000;

/** A settled card payment of 199.00 USD to a merchant known by its id; `changes` replace members. */
export const reported = (changes: Partial<ReportedEvent> = {}): ReportedEvent => ({
  id: 'evt_01KADG3M5QJ8V2X4Z6B7C9D0EF',
  type: 'payment.settled',
  occurred_at: OCCURRED_AT,
  environment: 'sandbox',
  source_id: 'src_1',
  agent_id: 'agt_1',
  owner_id: 'own_1',
  mandate_id: null,
  payment_id: 'pay_1',
  rail: 'card',
  status: 'settled',
  amount: { value: 19_900n, denomination: 'USD', currency: 'USD', asset: null },
  usd_micro: 199_000_000n,
  payee: { key: 'merchant:stripe:merchant_1', type: 'merchant', name: 'Demo Merchant', country: 'US' },
  resource_url: null,
  category: null,
  instrument: null,
  human_present: null,
  evidence_kinds: [],
  ...changes,
});

/** A piece of evidence, as the log has it. */
export const pieceOf = (kind: string, value: Evidence['value'], id = `evd_${kind}`): Evidence => ({ id, kind, value });

/** All that a verifier is shown: nothing is believed and no chain was read, unless `changes` say it. */
export const inputOf = (changes: Partial<VerificationInput> = {}): VerificationInput => ({
  event: reported(),
  evidence: [],
  signature: null,
  keys: nobody,
  webhook_secret: null,
  chain: { transaction: () => undefined },
  ...changes,
});

const nobody: VerificationInput['keys'] = { find: () => [], roots: () => [], source: () => null };
