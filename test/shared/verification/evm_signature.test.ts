import test from 'ava';
import * as fc from 'fast-check';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hashTypedData, keccak256, toHex } from 'viem';
import {
  addressWord,
  structHash,
  textWord,
  typedDataHash,
  typeHash,
  uintWord,
} from '#shared/verification/evm/eip712.ts';
import { parseSignature, recoverSigner } from '#shared/verification/evm/signature.ts';
import { wallet } from '#test/helpers/proofs/x402.ts';
import { runs } from '#test/helpers/runs.ts';

const types = {
  Payment: [
    { name: 'to', type: 'address' },
    { name: 'amount', type: 'uint256' },
    { name: 'note', type: 'string' },
  ],
} as const;
const paymentType = typeHash('Payment(address to,uint256 amount,string note)');

test('typed data is hashed as viem hashes it, with and without version and contract in the domain', t => {
  const address = fc.nat(50).map(index => wallet(String(index)).address);
  fc.assert(
    fc.property(
      fc.record({ to: address, amount: fc.bigInt(0n, 2n ** 256n - 1n), note: fc.string({ unit: 'binary' }) }),
      fc.string(),
      fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
      fc.bigInt(1n, 2n ** 53n - 1n),
      fc.option(address, { nil: undefined }),
      (message, name, version, chain_id, verifying_contract) => {
        const struct = structHash(
          paymentType,
          addressWord(message.to),
          uintWord(message.amount),
          textWord(message.note),
        );
        const ours = typedDataHash(
          {
            name,
            chain_id,
            ...(version !== undefined && { version }),
            ...(verifying_contract && { verifying_contract }),
          },
          struct,
        );
        const domain = { name, version, chainId: Number(chain_id), verifyingContract: verifying_contract };
        const theirs = hashTypedData({ domain, types, primaryType: 'Payment', message });
        t.is(toHex(ours), theirs);
      },
    ),
    { numRuns: 200 },
  );
});

test('the signer of a hash is recovered, and no other', async t => {
  const hash = keccak256(toHex('a payment'));
  for (const name of ['a', 'b', 'c', 'd']) {
    const signature = parseSignature(await wallet(name).sign({ hash }));
    t.is(signature.kind, 'account');
    if (signature.kind !== 'account') return;
    t.is(recoverSigner(Buffer.from(hash.slice(2), 'hex'), signature.bytes), wallet(name).address.toLowerCase());
    t.not(recoverSigner(Buffer.alloc(32, 1), signature.bytes), wallet(name).address.toLowerCase());
  }
});

test('a signature has one spelling: s in the upper half of the group is refused', t => {
  const order = secp256k1.Point.Fn.ORDER;
  const half = order >> 1n;
  const withS = (s: bigint) => parseSignature(`0x${'11'.repeat(32)}${s.toString(16).padStart(64, '0')}1b`).kind;
  t.is(withS(half), 'account');
  t.is(withS(half + 1n), 'malformed');
  t.is(withS(order - 1n), 'malformed');
});

test('whatever bytes are given for a signature, there is an answer', t => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), fc.uint8Array({ maxLength: 40 }), (bytes, hash) => {
      const signature = parseSignature(toHex(bytes));
      t.is(signature.kind, bytes.length > 65 ? 'contract' : signature.kind);
      const signer = recoverSigner(hash, bytes);
      t.true(signer === null || /^0x[0-9a-f]{40}$/.test(signer));
    }),
    { numRuns: runs(300) },
  );
});
