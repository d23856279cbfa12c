import { assetByKey, assetKey } from '#shared/values/assets.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import { parseSignature, recoverSigner } from '#shared/verification/evm/signature.ts';
import { codesOf } from './codes.ts';
import type { Eip3009Transfer, Permit2Transfer } from './payment_payload.ts';
import type { PaymentTerms } from './terms.ts';
import { eip3009Hash, permit2Hash } from './typed_data.ts';

/** What a transfer is checked with: `network` an EVM chain, `asset` an address, null when nothing names one. */
type SignedContext = { network: string; asset: string | null; scheme: string; terms: PaymentTerms | null };

/** Whether the payer made a signature: yes, no, or only something else than the signature can tell. */
export type PayerAnswer = 'yes' | 'no' | 'unknown';

/** Notes whether the payer signed the transfer. */
export function checkSignature(
  list: Checklist,
  transfer: Eip3009Transfer | Permit2Transfer,
  context: SignedContext,
): PayerAnswer {
  const codes = codesOf(transfer);
  const hash = hashOf(list, transfer, context);
  if (hash === null) return 'unknown';
  const signature = parseSignature(transfer.signature);
  if (signature.kind === 'contract') {
    list.open(
      'signature',
      'contract_signature',
      'longer than 65 bytes: only the wallet’s own contract can judge it (ERC-1271)',
    );
    return 'unknown';
  }
  if (signature.kind === 'malformed') {
    list.fail('signature', codes.signature, `the signature ${signature.reason}`);
    return 'no';
  }
  const signer = recoverSigner(hash, signature.bytes);
  const detail = signer ? `signed by ${signer}, not by ${transfer.from}` : 'no key made this signature';
  return list.check('signature', signer === transfer.from, codes.signature, detail) ? 'yes' : 'no';
}

/** What the payer has to have signed; null, and noted, when it cannot be told. */
function hashOf(
  list: Checklist,
  transfer: Eip3009Transfer | Permit2Transfer,
  { network, asset, scheme, terms }: SignedContext,
): Uint8Array | null {
  const chain_id = BigInt(network.slice('eip155:'.length));
  if (transfer.method === 'permit2')
    return permit2Hash(scheme === 'upto' ? transfer : { ...transfer, facilitator: null }, chain_id);
  const domain = asset && assetByKey(assetKey(network, asset))?.eip712;
  if (!asset || !domain) {
    const what = asset ? `the signing domain of ${asset} on ${network}` : 'the asset that was paid with';
    list.open('eip712_domain', asset ? 'eip712_domain_unknown' : 'asset_unknown', `${what} is not known`);
    return null;
  }
  // What the seller calls the token is no evidence of how it calls itself, but a wrong name is one of a mix-up.
  const { name, version } = terms?.extra ?? {};
  if (name !== undefined && name !== domain.name) {
    list.fail('eip712_domain', 'invalid_exact_evm_token_name_mismatch', `${asset} calls itself "${domain.name}"`);
  } else if (version !== undefined && version !== domain.version) {
    list.fail('eip712_domain', 'invalid_exact_evm_token_version_mismatch', `${asset} has version ${domain.version}`);
  } else list.pass('eip712_domain', `"${domain.name}" version ${domain.version} on ${network}`);
  return eip3009Hash(transfer, { chain_id, asset, ...domain });
}
