import { hash } from 'node:crypto';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { type Checklist, createChecklist } from '#shared/verification/checklist.ts';
import type { Fact, Outcome, VerificationInput, Verifier } from '#shared/verification/verifier.ts';
import {
  checkAmount,
  checkAsset,
  checkNetwork,
  checkPayee,
  isAfterwards,
  isPartial,
  type Relation,
} from './against_event.ts';
import { checkAccepted, findTerms } from './check_accepted.ts';
import { checkSignature, type PayerAnswer } from './check_payer_signature.ts';
import { codesOf } from './codes.ts';
import {
  type Eip3009Transfer,
  isKnownVersion,
  type PaymentPayload,
  type Permit2Transfer,
  readPaymentPayload,
} from './payment_payload.ts';
import { Address, openEvidence, readAs } from './read_evidence.ts';
import { readOffered, type PaymentTerms } from './terms.ts';
import { canonicalAddress } from '#shared/values/assets.ts';
import { timestamp } from '#shared/values/time.ts';
import { permit2Proxies } from './typed_data.ts';

/**
 * x402 payment payloads, versions 1 and 2: the schemes `exact` (EIP-3009, Permit2) and `upto` (Permit2) on EVM chains. The payer's
 * signature is recovered, and what it covers is held against the terms that were offered and the payment that was reported.
 */
export const x402Authorization: Verifier = {
  kind: 'x402_authorization',
  version: '1',
  reads: ['x402.payment_payload'],
  verify(evidence, input): Outcome {
    const list = createChecklist();
    const raw = openEvidence(list, evidence);
    if (!raw) return list.outcome();
    if (!list.check('version', isKnownVersion(raw.x402Version), 'invalid_x402_version', 'x402Version must be 1 or 2'))
      return list.outcome();
    const parsed = readPaymentPayload(raw);
    if (!parsed.ok) list.fail('payload', 'invalid_payload', parsed.reason);
    else if (list.pass('payload')) checkPayload(list, parsed.value, input);
    return list.outcome();
  },
};

function checkPayload(list: Checklist, payload: PaymentPayload, input: VerificationInput): void {
  const { event } = input;
  const { scheme, network, transfer } = payload;
  if (!checkScheme(list, payload)) return;
  if (network === null) return void list.fail('network', 'invalid_network', 'unknown network');
  checkNetwork(list, event, network, 'invalid_network');
  const offered = readOffered(input.evidence);
  const terms = findTerms(payload, offered);
  const asset = terms?.asset ?? reportedAsset(event, network);
  if (asset) checkAsset(list, event, { network, asset, code: 'asset_mismatch' });
  if (transfer.method === 'opaque') list.open('signature', transfer.code);
  else {
    const signature = checkSignature(list, transfer, { network, asset, scheme, terms });
    if (transfer.method === 'permit2') checkPermit2(list, transfer, { scheme, asset, terms });
    checkWindow(list, event, transfer);
    if (signature !== 'no') list.once(nonceOf(transfer, signature, { network, asset }));
  }
  checkTransfer(list, payload, { event, terms, network, asset });
  checkAccepted(list, payload, offered);
}

function checkScheme(list: Checklist, { scheme, transfer }: PaymentPayload): boolean {
  if (laterSchemes.has(scheme)) return list.open('scheme', 'unsupported_scheme', scheme);
  if (scheme !== 'exact' && scheme !== 'upto')
    return list.fail('scheme', 'invalid_scheme', 'it is neither exact nor upto');
  if (scheme === 'upto' && transfer.method === 'eip3009')
    return list.fail('scheme', 'unsupported_payload_type', 'EIP-3009 signs exact amounts; upto needs Permit2');
  return list.pass('scheme', scheme);
}

/** Schemes of the x402 repository whose payloads are settled together, elsewhere. */
const laterSchemes = new Set(['batch-settlement', 'deferred']);

/** Version 1 names no asset; then the event has to. */
const reportedAsset = ({ amount }: ReportedEvent, network: string): string | null =>
  amount.asset?.network === network ? canonicalAddress(network, amount.asset.address) : null;

/**
 * Tokens count the nonces of EIP-3009 for themselves; Permit2 counts an owner's for all tokens of a chain. A payload that anybody may
 * have made up must not use up a nonce that its owner still needs: then only the very signature is used up.
 */
function nonceOf(
  { method, from, nonce, signature }: Eip3009Transfer | Permit2Transfer,
  isSigned: PayerAnswer,
  { network, asset }: { network: string; asset: string | null },
): Fact {
  const owner = method === 'permit2' ? `${network}/${from}` : `${network}/${asset ?? ''}/${from}`;
  const scope = method === 'permit2' ? 'permit2_nonce' : 'x402_nonce';
  const code = 'nonce_reused';
  return isSigned === 'yes'
    ? { scope, value: `${owner}/${nonce}`, code }
    : { scope: `${scope}_unproven`, value: `${owner}/${nonce}/${hash('sha256', signature.toLowerCase())}`, code };
}

type Context = { event: ReportedEvent; terms: PaymentTerms | null; network: string; asset: string | null };

/** Who gets how much: as signed, else as accepted. */
function checkTransfer(list: Checklist, payload: PaymentPayload, { event, terms, network, asset }: Context): void {
  const { scheme, transfer, resource_url } = payload;
  const signed = transfer.method === 'opaque' ? null : transfer;
  const codes = codesOf(transfer);
  if (signed && terms) {
    list.check('recipient', signed.to === terms.pay_to, codes.recipient, `to ${signed.to}, payTo is ${terms.pay_to}`);
    list.check(
      'value',
      signed.value === terms.amount,
      codes.amount,
      `${signed.value} signed, ${terms.amount} requested`,
    );
  }
  const address = signed?.to ?? terms?.pay_to;
  if (address) {
    const url = terms?.resource_url ?? resource_url;
    checkPayee(list, event, { network, address, resource_url: url, code: codes.recipient });
  }
  const value = signed?.value ?? terms?.amount;
  if (!asset || value === undefined) return void list.open('amount', 'amount_not_comparable', 'no asset is named');
  const relation: Relation = scheme === 'upto' || isPartial(event) ? 'at_least' : 'equal';
  const code = scheme === 'upto' ? 'invalid_upto_evm_payload_settlement_exceeds_amount' : codes.amount;
  checkAmount(list, event, { amount: { network, asset, value }, relation, code });
}

/**
 * Seconds after its end in which an authorization may have been used in time and reported late: facilitators reckon with 6 s for
 * a block. Nothing is verified in them, but nothing is called false either.
 */
const GRACE = 6n;

/**
 * Notes whether an authorization was valid when the event occurred: both ends belong to the time, which is counted in whole
 * seconds as blocks count it. What is told of a payment that is over may come after the end.
 */
function checkWindow(list: Checklist, event: ReportedEvent, transfer: Eip3009Transfer | Permit2Transfer): void {
  const { valid_after, valid_before } = transfer;
  const codes = codesOf(transfer);
  const at = BigInt(Math.floor(event.occurred_at / 1000));
  const occurred = `the event occurred at ${at} (${timestamp(event.occurred_at)})`;
  list.check('valid_after', valid_after <= at, codes.too_early, `valid from ${valid_after}, ${occurred}`);
  if (isAfterwards(event)) return list.skip('valid_before', `not judged for ${event.type}`);
  if (at > valid_before && at <= valid_before + GRACE)
    return void list.open(
      'valid_before',
      codes.too_late,
      `valid until ${valid_before}, up to ${GRACE} s before, ${occurred}`,
    );
  list.check('valid_before', at <= valid_before, codes.too_late, `valid until ${valid_before}, ${occurred}`);
}

/** Notes what holds for Permit2 transfers alone: who may move the money, which token, and who settles. */
function checkPermit2(
  list: Checklist,
  { spender, token, facilitator }: Permit2Transfer,
  { scheme, asset, terms }: { scheme: string; asset: string | null; terms: PaymentTerms | null },
): void {
  // Another spender could send the money anywhere: only the proxy of x402 is bound by the witness.
  const proxy = permit2Proxies[scheme === 'upto' ? 'upto' : 'exact'];
  list.check('spender', spender === proxy, 'invalid_permit2_spender', `${spender} is not ${proxy}`);
  if (asset === null) list.open('token', 'asset_unknown', `nothing says that ${token} was requested`);
  else list.check('token', token === asset, 'permit2_token_mismatch', `${token} is not ${asset}`);
  if (scheme !== 'upto') return;
  const facilitator_address = readAs(Address, terms?.extra.facilitatorAddress);
  if (facilitator_address.ok)
    list.check(
      'facilitator',
      facilitator === facilitator_address.value,
      'upto_facilitator_mismatch',
      `${facilitator} is not ${facilitator_address.value}`,
    );
  else
    list.check(
      'facilitator',
      facilitator !== null,
      'upto_facilitator_mismatch',
      'no facilitator is named that may settle',
    );
}
