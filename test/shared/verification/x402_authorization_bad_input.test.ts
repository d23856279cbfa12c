import test from 'ava';
import * as fc from 'fast-check';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { x402Authorization } from '#shared/verification/x402/authorization.ts';
import type { Evidence, Outcome } from '#shared/verification/verifier.ts';
import { evidenceOf, inputOf, paymentEvent, signPayment, wallet } from '#test/helpers/proofs/x402.ts';
import { runs } from '#test/helpers/runs.ts';

async function verify(value: Evidence['value'], event = paymentEvent()): Promise<Outcome> {
  const evidence = evidenceOf('x402.payment_payload', value);
  return x402Authorization.verify(evidence, inputOf(event, [evidence]));
}

const failedCodes = ({ checks }: Outcome) => checks.filter(({ result }) => result === 'fail').map(({ code }) => code);

const SIGNATURE = 'invalid_exact_evm_payload_signature';

test('a signature of another key, cut short, malleable or with a strange v fails', async t => {
  const { payload } = await signPayment();
  const { signature } = payload.payload;
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const flipped = (secp256k1.Point.Fn.ORDER - s).toString(16).padStart(64, '0');
  const other = (await signPayment({ payer: wallet('thief') })).payload.payload.signature;
  for (const [forged, why] of [
    [other, /signed by 0x/],
    [signature.slice(0, -2), /64 bytes/],
    ['0x', /0 bytes/],
    ['', /hexadecimal/],
    [signature.slice(2), /hexadecimal/],
    [signature.slice(0, 66) + flipped + (signature.endsWith('1b') ? '1c' : '1b'), /upper half/],
    [signature.slice(0, -2) + '00', /v 0/],
    [signature.slice(0, -2) + '1d', /v 29/],
    [`0x${'00'.repeat(64)}1b`, /no key/],
    [`0x${'ff'.repeat(32)}${'11'.repeat(32)}1b`, /no key/],
  ] as const) {
    const outcome = await verify({ ...payload, payload: { ...payload.payload, signature: forged } });
    const check = outcome.checks.find(({ name }) => name === 'signature');
    t.deepEqual([outcome.result, check?.code, outcome.facts], ['failed', SIGNATURE, []]);
    t.regex(check?.detail ?? '', why);
    t.false(check?.detail?.includes(signature.slice(2, 40)) ?? false);
  }
});

test('payloads that are none fail with what is wrong with them', async t => {
  const { payload } = await signPayment();
  const { authorization, signature } = payload.payload as unknown as { authorization: object; signature: string };
  const signed = (change: object) => ({
    ...payload,
    payload: { signature, authorization: { ...authorization, ...change } },
  });
  const json = JSON.stringify(payload);
  for (const [value, code] of [
    ['', 'invalid_payload'],
    ['{', 'invalid_payload'],
    ['[]', 'invalid_payload'],
    ['not base64!', 'invalid_payload'],
    [json.replace('{', '{"x402Version":1,'), 'invalid_payload'],
    [Buffer.from(json).toString('base64').replace('=', '') + '=A', 'invalid_payload'],
    ['{"a":'.repeat(5_000), 'invalid_payload'],
    ['['.repeat(50_000), 'invalid_payload'],
    [{}, 'invalid_x402_version'],
    [{ ...payload, x402Version: 3 }, 'invalid_x402_version'],
    [{ ...payload, x402Version: '2' }, 'invalid_x402_version'],
    [{ x402Version: 2 }, 'invalid_payload'],
    [{ ...payload, payload: [] }, 'invalid_payload'],
    [{ ...payload, payload: {} }, 'invalid_payload'],
    [{ ...payload, payload: { ...payload.payload, permit2Authorization: {} } }, 'invalid_payload'],
    [{ ...payload, accepted: { ...payload.accepted, scheme: 'exactly' } }, 'invalid_scheme'],
    [{ ...payload, accepted: { ...payload.accepted, scheme: 'upto' } }, 'unsupported_payload_type'],
    [{ ...payload, accepted: { ...payload.accepted, network: 'atlantis' } }, 'invalid_network'],
    [{ ...payload, accepted: { ...payload.accepted, network: 'eip155:0' } }, 'invalid_network'],
    [{ ...payload, accepted: { ...payload.accepted, amount: '010000' } }, 'invalid_payload'],
    [signed({ value: '1e4' }), 'invalid_payload'],
    [signed({ value: '-1' }), 'invalid_payload'],
    [signed({ value: 10_000.5 }), 'invalid_payload'],
    [signed({ value: (2n ** 256n).toString() }), 'invalid_payload'],
    [signed({ value: '9'.repeat(100_000) }), 'invalid_payload'],
    [signed({ nonce: '0x12' }), 'invalid_payload'],
    [signed({ from: wallet('payer').address.toLowerCase().replace('0x', '') }), 'invalid_payload'],
    [signed({ from: wrongChecksum(wallet('payer').address) }), 'invalid_payload'],
    [signed({ validBefore: null }), 'invalid_payload'],
    [JSON.parse('{"__proto__":{"x402Version":2}}'), 'invalid_x402_version'],
  ] as [Evidence['value'], string][]) {
    const outcome = await verify(value);
    t.deepEqual([outcome.result, ...failedCodes(outcome)], ['failed', code], JSON.stringify(value).slice(0, 300));
  }
});

const wrongChecksum = (address: string) =>
  `0x${address.slice(2).replace(/[a-f]/i, letter => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))}`;

test('erased evidence leaves the payment inconclusive', async t => {
  const outcome = await verify(null);
  t.deepEqual([outcome.result, outcome.checks.map(({ code }) => code)], ['inconclusive', ['evidence_erased']]);
});

test('a payment with any signed byte changed is never verified', async t => {
  for (const method of ['eip3009', 'permit2'] as const) {
    const { payload_v1 } = await signPayment({ method });
    const json = JSON.stringify(payload_v1);
    await fc.assert(
      fc.asyncProperty(fc.nat(json.length - 1), fc.integer({ min: 1, max: 127 }), async (at, flip) => {
        const changed = json.slice(0, at) + String.fromCharCode(json.charCodeAt(at) ^ flip) + json.slice(at + 1);
        const { result } = await verify(changed);
        // Letters of hex may change their case as long as no checksum says otherwise.
        if (changed.toLowerCase() !== json.toLowerCase()) t.not(result, 'verified', changed);
      }),
      { numRuns: runs(400) },
    );
  }
});

test('whatever stands where a payload should be, the answer is a result', async t => {
  const { payload, required } = await signPayment();
  const anything = fc.jsonValue({ maxDepth: 4 });
  const members = ['x402Version', 'accepted', 'payload', 'resource', 'extensions'] as const;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...members), anything, anything, async (name, value, accepts) => {
      const evidence = evidenceOf('x402.payment_payload', { ...payload, [name]: value });
      const more = evidenceOf('x402.payment_required', { ...required, accepts });
      const outcome = await x402Authorization.verify(evidence, inputOf(paymentEvent(), [evidence, more]));
      t.not(outcome.result, 'verified');
    }),
    { numRuns: runs(300) },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.object()), async value => {
      t.is((await verify(value as Evidence['value'])).result, 'failed');
    }),
    { numRuns: runs(300) },
  );
});
