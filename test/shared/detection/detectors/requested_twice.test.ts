import test from 'ava';
import { HOUR, noon, play } from '#test/helpers/play.ts';
import { SECOND } from '#shared/values/time.ts';

const first = { payment_id: 'first', tool_call_key: 'c1' };
const requested = { ...first, type: 'payment.requested' as const, at: noon };
const second = { payment_id: 'second', tool_call_key: 'c1', at: noon + 28 * SECOND };
const settled = { ...first, at: noon + 50 * HOUR };

test('what one call requested twice is told, though a bank settled one of them days later, whichever is reported first', t => {
  const found = play([requested, second, settled], 'duplicate_payment');
  t.regex(
    found.map(({ explanation }) => explanation).join(),
    /^Two payments .* requested 28 s apart and paid 2\.1 d apart/,
  );
  t.is(found[0]?.score, 85, 'as long apart as a client waits for an answer');
  t.is(play([requested, settled, second], 'duplicate_payment').length, 1);
});

test('what two calls requested at once, or what falls due much later, is not', t => {
  t.deepEqual(play([requested, { ...second, tool_call_key: 'c2' }, settled], 'duplicate_payment'), []);
  t.deepEqual(play([requested, second, { ...settled, at: noon + 80 * HOUR }], 'duplicate_payment'), []);
});

test('what one call paid twice is told where it settles at once, though one of them was held for days before', t => {
  const held = { ...first, type: 'payment.authorized' as const, at: noon };
  const paid = { ...first, at: noon + 49 * HOUR };
  const again = { ...second, at: noon + 49 * HOUR + 31 * SECOND };
  t.regex(
    play([held, paid, again], 'duplicate_payment')
      .map(({ explanation }) => explanation)
      .join(),
    /^Two payments .* settled 31 s apart, one of them authorized 2 d before, for one tool call\. (?!.*timeout)/,
  );
  t.deepEqual(play([held, paid, { ...again, tool_call_key: 'c2' }], 'duplicate_payment'), []);
  t.deepEqual(play([held, paid, { ...again, at: noon + 75 * HOUR }], 'duplicate_payment'), []);
});
