import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { type Checklist, createChecklist } from '#shared/verification/checklist.ts';
import type { Outcome, VerificationInput, Verifier } from '#shared/verification/verifier.ts';
import { checkAmount, checkAsset, checkNetwork, checkPayee, isPartial, type Relation } from './against_event.ts';
import { type ClaimedTransfer, readClaim } from './claim.ts';
import { checkSettledOnChain } from './check_settled_on_chain.ts';
import { openEvidence } from './read_evidence.ts';
import { readSettlementResponse, type SettlementResponse } from './settlement_response.ts';

/**
 * x402 settlement responses: compares what a facilitator says about a payment with what the payer signed, what was reported, and what its
 * chain says. The response is unsigned, so it is inconclusive until the transaction has been fetched.
 */
export const x402Settlement: Verifier = {
  kind: 'x402_settlement',
  version: '2',
  reads: ['x402.settlement_response'],
  verify(evidence, input): Outcome {
    const list = createChecklist();
    const raw = openEvidence(list, evidence);
    if (!raw) return list.outcome();
    const parsed = readSettlementResponse(raw);
    if (!parsed.ok) list.fail('payload', 'invalid_payload', parsed.reason);
    else if (list.pass('payload')) checkResponse(list, parsed.value, input);
    return list.outcome();
  },
};

function checkResponse(list: Checklist, response: SettlementResponse, input: VerificationInput): void {
  const { event } = input;
  const { network } = response;
  checkStatus(list, event, response);
  if (network === null) return void list.fail('network', 'invalid_network', 'unknown network');
  checkNetwork(list, event, network, 'invalid_network');
  const claim = readClaim(input, network, response);
  checkAgainstAuthorization(list, response, claim);
  const relation = settledRelation(event, claim);
  checkAgainstEvent(list, event, { network, claim, relation });
  checkSettledOnChain(list, input, { response: { ...response, network }, claim, relation });
}

/** A payment that settled did not fail, and vice versa. */
function checkStatus(list: Checklist, { type }: ReportedEvent, { success, error_reason }: SettlementResponse): void {
  const contradicted = success
    ? type === 'payment.failed' || type === 'payment.canceled'
    : type === 'payment.settled' || type === 'payment.refunded' || type === 'payment.disputed';
  const reason = error_reason && /^[\w.: -]{1,100}$/.test(error_reason) ? ` (${error_reason})` : '';
  const said = success ? 'it was settled' : `settlement failed${reason}`;
  list.check('status', !contradicted, 'settlement_status_conflict', `${said}, ${type} was reported`);
}

function checkAgainstAuthorization(
  list: Checklist,
  response: SettlementResponse,
  { authorization }: ClaimedTransfer,
): void {
  if (!authorization) return list.skip('authorization', 'no readable x402.payment_payload to compare with');
  const { network, payer, amount } = response;
  const { exact } = authorization;
  const same = authorization.network === network;
  list.check(
    'authorization_network',
    same,
    'invalid_network',
    `authorized on ${authorization.network}, settled on ${network}`,
  );
  if (payer !== null && authorization.from !== null)
    list.check('payer', payer === authorization.from, 'payer_mismatch', `${payer} is not ${authorization.from}`);
  if (amount === null || authorization.value === null) return;
  const code = exact ? 'settlement_amount_mismatch' : 'invalid_upto_evm_payload_settlement_exceeds_amount';
  const within = exact ? amount === authorization.value : amount <= authorization.value;
  list.check('authorized_amount', within, code, `${amount} settled, ${authorization.value} authorized`);
}

type Compared = { network: string; claim: ClaimedTransfer; relation: Relation };

function checkAgainstEvent(list: Checklist, event: ReportedEvent, { network, claim, relation }: Compared): void {
  const { asset, to, resource_url, value } = claim;
  if (asset !== null) checkAsset(list, event, { network, asset, code: 'asset_mismatch' });
  if (to !== null) checkPayee(list, event, { network, address: to, resource_url, code: 'recipient_mismatch' });
  if (asset !== null && value !== null)
    checkAmount(list, event, { amount: { network, asset, value }, relation, code: 'settlement_amount_mismatch' });
}

/** Of an amount authorized up to a maximum, less may be settled than an earlier event said. */
function settledRelation(event: ReportedEvent, { authorization }: ClaimedTransfer): Relation {
  if (isPartial(event)) return 'at_least';
  const before = event.type === 'payment.requested' || event.type === 'payment.authorized';
  return before && authorization && !authorization.exact ? 'at_most' : 'equal';
}
