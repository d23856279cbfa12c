import test from 'ava';
import type { Verifier } from '#shared/verification/verifier.ts';
import { verifyEvent } from '#shared/verification/verify_event.ts';
import { evidenceOf, shown } from '#test/helpers/proofs/jwt.ts';

const sound: Verifier = {
  kind: 'source_signature',
  version: '7',
  reads: ['signature', 'a'],
  verify: () => ({ result: 'verified', checks: [], facts: [], lookups: [] }),
};
const throwing: Verifier = {
  ...sound,
  kind: 'kyapay_token',
  verify: () => {
    throw new RangeError('no');
  },
};

test('each piece goes to whoever reads its kind, and the signature of the event is one of them', async t => {
  const signature = { jws: 'x..y', signed_input: '{}' };
  const runs = await verifyEvent(shown(evidenceOf({ a: 'x', b: 'y' }), [], { signature }), [sound]);
  t.deepEqual(
    runs.map(({ evidence_id, kind, verifier_version }) => [evidence_id, kind, verifier_version]),
    [
      ['evd_0', 'source_signature', '7'],
      [null, 'source_signature', '7'],
    ],
  );
});

test('a verifier that throws leaves its piece open, and the others are judged', async t => {
  const told: unknown[] = [];
  const runs = await verifyEvent(shown(evidenceOf({ a: 'x' }), []), [throwing, sound], (kind, error) =>
    told.push([kind, error instanceof RangeError]),
  );
  t.deepEqual(
    runs.map(({ kind, result, checks }) => [kind, result, checks[0]?.code]),
    [
      ['kyapay_token', 'inconclusive', 'internal'],
      ['source_signature', 'verified', undefined],
    ],
  );
  t.deepEqual(told, [['kyapay_token', true]]);
});
