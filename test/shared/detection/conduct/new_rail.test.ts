import test from 'ava';
import { DAY } from '#shared/values/time.ts';
import { every, type EventStep, HOUR, noon } from '#test/helpers/play.ts';
import { conduct } from './judged.ts';

const wallet = { to: 'eip155:8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' };
/** A few purchases a day by card, one of them as large. */
const purchases = every(7 * HOUR, 30, noon - 9 * DAY).map((step, index) => ({
  ...step,
  usd: index === 4 ? 210 : 20 + 7 * (index % 9),
  payee_id: `shop-${index % 6}`,
}));
const sent: EventStep = { at: noon + HOUR, usd: 185, payee_id: 'to', rail: 'stablecoin' };
const told = (steps: EventStep[], keys: Record<string, string> = wallet) =>
  conduct(steps, { keys }).map(({ title, explanation }) => ({ title, explanation }));

test('a first payment over a rail that goes to a wallet without a name, for nothing that is named, is told', t => {
  const [finding, ...more] = told([...purchases, sent]);
  t.deepEqual(more, []);
  t.is(finding?.title, '$185.00 to a wallet that names nobody');
  t.regex(
    finding?.explanation ?? '',
    /^The agent's first payment to \{payee\}, \$185\.00 over the stablecoin rail, goes to a wallet for which nobody is named, and names nothing that it is for; of its 28 payments on other days \(over 9 d\), none went over that rail \(about one in /,
  );
});

test('a known rail, a merchant, a resource that is named and a small sum are none', t => {
  const none = (steps: EventStep[], why: string, keys?: Record<string, string>) =>
    t.deepEqual(told(steps, keys), [], why);
  none([...purchases, { ...sent, rail: 'card' }], 'its own rail');
  none([...purchases, sent], 'a merchant', {});
  none([...purchases, { ...sent, resource_key: 'report' }], 'something that is named');
  none([...purchases, { ...sent, usd: 95 }], 'less than $100');
  const before = every(3 * HOUR, 4, noon - 3 * DAY, { usd: 30, payee_id: 'known', rail: sent.rail });
  none(
    [...purchases, ...before, sent].toSorted((a, b) => a.at - b.at),
    'a rail that it has paid over',
  );
});
