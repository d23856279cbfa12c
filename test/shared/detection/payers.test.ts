import test from 'ava';
import { amongPayers } from '#shared/detection/conduct/among_payers.ts';
import type { Look } from '#shared/detection/conduct/look.ts';
import { otherPayers, type Payers, withPayer } from '#shared/detection/model/payers.ts';
import { unpaidPayee } from '#shared/detection/model/payees.ts';
import { type Payment, withEvent } from '#shared/events/log/payment.ts';
import { events, noon } from '#test/helpers/play.ts';

const paid = (usd: number): Payment => {
  const [event] = events([{ at: noon, usd }]);
  if (!event) throw new Error('there is one');
  return withEvent(undefined, event);
};

const payersOf = (usd: readonly number[]): Payers =>
  usd.reduce<Payers>((payers, each, index) => withPayer(payers, `agt_${index}`, paid(each)), []);

test('of each of the first sixteen agents that pay a payee the largest payment is kept, of a dollar or more', t => {
  const payers = payersOf([300, 0.99, 1]);
  t.deepEqual(payers, [
    ['agt_0', 300],
    ['agt_2', 1],
  ]);
  t.is(withPayer(payers, 'agt_0', paid(320)), payers, 'hardly more is nothing new');
  t.deepEqual(new Map(withPayer(payers, 'agt_0', paid(123_456.78))).get('agt_0'), 123_500);
  const full = payersOf(Array.from({ length: 20 }, () => 5));
  t.is(full.length, 16);
  t.deepEqual(new Map(withPayer(full, 'agt_3', paid(9))).get('agt_3'), 9);
});

test('an agent is compared with others, two thirds of an amount being as much', t => {
  const payers = payersOf([300, 200, 199, 20]);
  t.deepEqual(otherPayers(payers, 'agt_9', paid(300)), { all: 4, as_much: 2 });
  t.deepEqual(otherPayers(payers, 'agt_0', paid(300)), { all: 3, as_much: 1 });
});

test('what one in four others paid a payee is more common for it, but neither a pace nor what is no purchase of its own', t => {
  const look: Look = {
    detector: 'amount_outlier',
    group: 'money',
    expected: 0.01,
    per_month: 30,
    begins: 0.001,
    tell: () => ({ title: '', reason: '', subject: '', payments: [], among: 'payments' }),
  };
  const { begins: _, ...withoutBegins } = look;
  const looks: Look[] = [look, { ...look, group: 'pace' }, withoutBegins];
  const judged = (usd: readonly number[], is_new_payee = false, payment = paid(300)) => {
    const payee = { ...unpaidPayee({ key: 'k', name: null, type: null }), payers: payersOf(usd) };
    return amongPayers(looks, { agent_id: 'agt_9' }, { payment, payee, is_new_payee });
  };
  const [first, ...others] = judged([250, 300, 20, 30, 40]);
  t.is(first?.expected, 0.05);
  t.deepEqual(first?.around, [
    '{payee} was paid about as much at a time by 2 of 5 other agents known to pay it, which makes this 5 times as likely.',
  ]);
  t.deepEqual(others, looks.slice(1));
  t.is(first?.begins, 0.001);
  t.is(judged([250, 300, 20, 30], true)[0]?.begins, 0.121, 'it begins what others do');
  t.is(judged([250], true)[0]?.begins, 0.001, 'one other is no custom');
  t.is(judged([250, 300, 20, 30, 40], true)[0]?.begins, 0.001, 'nor are two of five');
  t.is(judged([800, 900], true, paid(800))[0]?.begins, 0.001, 'much is told of each');
  t.regex(judged([250])[0]?.around?.[0] ?? '', /by the one other agent known to pay it/);
  for (const usd of [[], [20], [250, 20, 30, 40, 50], [250, 300, 1, 2, 3, 4, 5, 6, 7]]) t.deepEqual(judged(usd), looks);
});
