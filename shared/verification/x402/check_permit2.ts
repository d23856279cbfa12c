import type { Checklist } from '#shared/verification/checklist.ts';
import type { Permit2Transfer } from './payment_payload.ts';
import { readAs, Address } from './read_evidence.ts';
import type { Terms } from './terms.ts';
import { permit2Proxies } from './typed_data.ts';

/** Notes what holds for Permit2 transfers alone: who may move the money, which token, and who settles. */
export function checkPermit2(
  list: Checklist,
  { spender, token, facilitator }: Permit2Transfer,
  { scheme, asset, terms }: { scheme: string; asset: string | null; terms: Terms | null },
): void {
  // Another spender could send the money anywhere: only the proxy of x402 is bound by the witness.
  const proxy = permit2Proxies[scheme === 'upto' ? 'upto' : 'exact'];
  list.check('spender', spender === proxy, 'invalid_permit2_spender', `${spender} is not ${proxy}`);
  if (asset === null) list.open('token', 'asset_unknown', `nothing says that ${token} was asked for`);
  else list.check('token', token === asset, 'permit2_token_mismatch', `${token} is not ${asset}`);
  if (scheme !== 'upto') return;
  const named = readAs(Address, terms?.extra.facilitatorAddress);
  if (named.ok)
    list.check(
      'facilitator',
      facilitator === named.value,
      'upto_facilitator_mismatch',
      `${facilitator} is not ${named.value}`,
    );
  else list.check('facilitator', facilitator !== null, 'upto_facilitator_mismatch', 'nobody is named who may settle');
}
