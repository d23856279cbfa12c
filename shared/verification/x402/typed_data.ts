import {
  addressWord,
  bytes32Word,
  structHash,
  typedDataHash,
  typeHash,
  uintWord,
} from '#shared/verification/evm/eip712.ts';
import type { Eip3009Transfer, Permit2Transfer } from './payment_payload.ts';

/** The hash that the payer of an EIP-3009 transfer signs; `name` and `version` are the token's own EIP-712 domain. */
export const eip3009Hash = (
  { from, to, value, valid_after, valid_before, nonce }: Eip3009Transfer,
  { chain_id, asset, name, version }: { chain_id: bigint; asset: string; name: string; version: string },
): Uint8Array =>
  typedDataHash(
    { name, version, chain_id, verifying_contract: asset },
    structHash(
      eip3009Type,
      addressWord(from),
      addressWord(to),
      uintWord(value),
      uintWord(valid_after),
      uintWord(valid_before),
      bytes32Word(nonce),
    ),
  );

/**
 * The hash that the payer of a Permit2 transfer signs, with the witness of x402's proxy for `exact`, or for `upto` when it names a
 * facilitator.
 */
export function permit2Hash(transfer: Permit2Transfer, chain_id: bigint): Uint8Array {
  const { token, value, spender, nonce, valid_before, to, facilitator, valid_after } = transfer;
  const permitted = structHash(tokenPermissionsType, addressWord(token), uintWord(value));
  const witness =
    facilitator === null
      ? structHash(exactWitnessType, addressWord(to), uintWord(valid_after))
      : structHash(uptoWitnessType, addressWord(to), addressWord(facilitator), uintWord(valid_after));
  return typedDataHash(
    { name: 'Permit2', chain_id, verifying_contract: permit2Contract },
    structHash(
      facilitator === null ? exactPermitType : uptoPermitType,
      permitted,
      addressWord(spender),
      uintWord(BigInt(nonce)),
      uintWord(valid_before),
      witness,
    ),
  );
}

/** The contracts that move the money of each scheme, the same on every EVM chain (x402 specs, scheme_exact_evm and scheme_upto_evm). */
export const permit2Proxies: Record<'exact' | 'upto', string> = {
  exact: '0x402085c248eea27d92e8b30b2c58ed07f9e20001',
  upto: '0x4020a4f3b7b90cca423b9fabcc0ce57c6c240002',
};

/** Uniswap's Permit2, the same on every EVM chain. */
const permit2Contract = '0x000000000022d473030f116ddee9f6b43ac78ba3';

const eip3009Type = typeHash(
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
);

const permit =
  'PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,Witness witness)';
const tokenPermissions = 'TokenPermissions(address token,uint256 amount)';
const exactWitness = 'Witness(address to,uint256 validAfter)';
const uptoWitness = 'Witness(address to,address facilitator,uint256 validAfter)';

const tokenPermissionsType = typeHash(tokenPermissions);
const exactWitnessType = typeHash(exactWitness);
const uptoWitnessType = typeHash(uptoWitness);
const exactPermitType = typeHash(permit + tokenPermissions + exactWitness);
const uptoPermitType = typeHash(permit + tokenPermissions + uptoWitness);
