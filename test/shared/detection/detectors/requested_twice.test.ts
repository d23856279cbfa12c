import test from 'ava';
import { HOUR, noon, play } from '#test/helpers/play.ts';
import { SECOND } from '#shared/values/time.ts';

test('duplicate: what was asked for twice at once is told, though a bank settled one of them days later', t => {
  for (const tool_call_key of ['c1', 'c2']) {
    const first = { payment_id: 'first', tool_call_key: 'c1' };
    const asked = { ...first, type: 'payment.requested' as const, at: noon };
    const second = { payment_id: 'second', tool_call_key, at: noon + 28 * SECOND };
    const found = play([asked, second, { ...first, at: noon + 50 * HOUR }], 'duplicate_payment');
    t.regex(
      found.map(({ explanation }) => explanation).join(),
      /^Two payments .* requested 28 s apart and paid 2\.1 d apart/,
    );
    t.is(found[0]?.score, 85, 'as long apart as a client waits for an answer');
    const late = play([asked, { ...first, at: noon + 50 * HOUR }, second], 'duplicate_payment');
    t.is(late.length, 1, 'whichever is reported first');
  }
});
