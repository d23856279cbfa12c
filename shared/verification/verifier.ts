import type { JWK } from 'jose';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';

/** What is verified; each kind has one verifier. */
export const verificationKinds = [
  'x402_authorization',
  'x402_settlement',
  'x402_receipt',
  'ap2_mandate',
  'ap2_receipt',
  'psp_webhook',
  'agent_signature',
  'kyapay_token',
  'acp_allowance',
  'source_signature',
  'onchain_transfer',
] as const;
export type VerificationKind = (typeof verificationKinds)[number];

export type Result = 'verified' | 'failed' | 'inconclusive';

/** One step of a verification. `code` says why it failed or could not be done; `detail` says so to a person, with the values compared. */
export type Check = { name: string; result: 'pass' | 'fail' | 'skip'; code?: string; detail?: string };

/**
 * Something that only one payment may use: a nonce, a closed mandate, a token id. `value` identifies it within its scope, network and
 * account included. `code` is the failure of a second payment that uses it. What is only claimed, such as a transaction that was not read from
 * its chain, is told of too, but does not fail the second payment: it may be the one that is true.
 */
export type Fact = { scope: string; value: string; code: string; is_claimed?: true };

/** A transaction to fetch from a chain: `network` is a CAIP-2 id, `hash` the transaction's. */
export type ChainLookup = { network: string; hash: string };

/** The result of a verifier. */
export type Outcome = {
  result: Result;
  checks: Check[];
  facts: Fact[];
  /** Transactions that would decide what is open. */
  lookups: ChainLookup[];
  /** The mandate a person signed for the agent, if the evidence contains a valid one. */
  open_mandate?: OpenMandate;
};

/** An AP2 open mandate as signed; `constraints` in the shapes of AP2, not yet in ours. */
export type OpenMandate = {
  /** Identifies it: base64url SHA-256 of what was signed. */
  hash: string;
  name: string;
  valid_from: number | null;
  valid_until: number | null;
  constraints: Record<string, unknown>[];
};

/** A piece of evidence of the event; base64 has been decoded to text. `value` is null when it was erased. */
export type Evidence = { id: string; kind: string; value: string | Record<string, unknown> | null };

export type KeyUse = 'ap2_issuer' | 'agent' | 'source' | 'kyapay' | 'receipt';

/** A trusted public key. `issuer` is whom it is trusted for; null means anybody. */
export type BelievedKey = { kid: string; thumbprint: string; issuer: string | null; jwk: JWK };

/** The trusted keys. A key is valid for its use (or any), between its start and its end, both compared with `at` (ms since 1970). */
export type KeyResolver = {
  /** Keys with this kid or RFC 7638 thumbprint; all of a use when no kid is given. */
  find(query: { use: KeyUse; kid?: string | undefined; at: number }): readonly BelievedKey[];
  /** Root certificates (PEM) at which certificate chains may end. */
  roots(query: { use: KeyUse; at: number }): readonly { certificate: string; issuer: string | null }[];
  /** The key registered with the event's source; null when it has none. */
  source(): JWK | null;
};

/** How the payment service of the event's source signs its webhooks. */
export type WebhookSecret = {
  scheme: 'stripe' | 'standard_webhooks' | 'adyen' | 'generic';
  config: Record<string, unknown> | null;
  secret: string;
};

/** A log entry of a transaction receipt; hex in lower case. */
export type ChainLog = { address: string; topics: string[]; data: string };

/** A transaction according to its chain. `block_time` in milliseconds since 1970. */
export type ChainTransaction = { succeeded: boolean; block_time: number; logs: ChainLog[] };

/** Answers fetched from chains earlier: undefined when not fetched, null when the chain does not know the transaction. */
export type ChainReader = { transaction(lookup: ChainLookup): ChainTransaction | null | undefined };

/** Everything a verifier may look at. It makes no requests and reads no clock: times are compared with `event.occurred_at`. */
export type VerificationInput = {
  event: ReportedEvent;
  evidence: readonly Evidence[];
  /**
   * Detached JWS over the event, with the text it covers (RFC 8785 of the event as sent, without `signature`). A text with a `chain_seq`
   * belongs to an event read from a log: what was signed may have been written differently.
   */
  signature: { jws: string; signed_input: string } | null;
  keys: KeyResolver;
  webhook_secret: WebhookSecret | null;
  chain: ChainReader;
};

/**
 * A verifier judges one piece of evidence by its input alone. It returns an outcome for any input: malformed evidence fails with a code,
 * and what cannot be known is inconclusive.
 */
export type Verifier = {
  kind: VerificationKind;
  /** Changes when the same evidence could get another outcome. */
  version: string;
  /** It runs once for each piece of evidence of these kinds. `signature` stands for the event's own signature. */
  reads: readonly string[];
  verify(evidence: Evidence, input: VerificationInput): Outcome | Promise<Outcome>;
};
