import test from 'ava';
import { HOUR, MINUTE, noon, play } from '#test/helpers/play.ts';

test('one payment that is authorized for one account and settled to another raises an alert, in whatever order', t => {
  const keys = {
    pye_1: 'iban:DE89370400440532013000',
    pye_2: 'iban:LT121000011101001000',
    pye_3: 'domain:vendor.example',
    pye_4: 'merchant:visa:2',
    pye_5: 'merchant:visa:1',
    pye_6: 'account:pix:a@shop.example',
    pye_7: 'account:pix:123e4567',
  };
  const authorized = { at: noon, payment_id: 'p', type: 'payment.authorized' } as const;
  const settled = { at: noon + HOUR, payment_id: 'p', payee_id: 'pye_2' } as const;
  for (const steps of [
    [authorized, settled],
    [settled, authorized],
  ]) {
    const [finding, ...more] = play(steps, 'payee_substitution', { keys });
    t.deepEqual(more, []);
    t.like(finding, {
      score: 80,
      subject: 'pye_2',
      title: 'A payment was settled to another bank account than authorized',
    });
    t.regex(
      finding?.explanation ?? '',
      /^This payment was authorized for the DE account ending in 3000 at .* and settled for the LT account ending in 1000 at /,
    );
  }
  // What is asked for, fails, or is given back in between changes nothing.
  for (const type of ['payment.requested', 'payment.refunded', 'payment.disputed'] as const) {
    const between = { ...settled, at: noon + MINUTE, type };
    t.is(play([authorized, between, settled], 'payee_substitution', { keys }).length, 1, type);
  }
  // Accounts of two kinds may be one payee's, as may those of a merchant's shops and aliases; and who asks is not yet paid.
  for (const [first, second] of [
    ['pye_3', 'pye_2'],
    ['pye_5', 'pye_4'],
    ['pye_6', 'pye_7'],
    ['pye_1', 'pye_1'],
  ] as const)
    t.deepEqual(
      play(
        [
          { ...authorized, payee_id: first },
          { ...settled, payee_id: second },
        ],
        'payee_substitution',
        { keys },
      ),
      [],
    );
  t.deepEqual(play([{ ...authorized, type: 'payment.requested' }, settled], 'payee_substitution', { keys }), []);
  // A payment that failed, and was authorized anew for the right account.
  const again = { ...authorized, at: noon + 2 * MINUTE, payee_id: 'pye_2' };
  const failed = { ...authorized, at: noon + MINUTE, type: 'payment.failed' } as const;
  t.deepEqual(play([authorized, failed, again, settled], 'payee_substitution', { keys }), []);
  t.deepEqual(play([authorized, again], 'payee_substitution', { keys }), []);
});
