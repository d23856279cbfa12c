import test from 'ava';
import { isWorse } from '#shared/detection/model/counted.ts';
import { MOST_PAYMENTS } from '#shared/detection/model/history.ts';
import { every, noon, play, SECOND } from '#test/helpers/play.ts';

test('a run of as many payments as are kept at hand may be longer, and says so', t => {
  const titles = (count: number, detector: string) =>
    play(every(SECOND, count, noon, { payee_id: 'shop', usd: 310 }), detector).at(-1)?.title;
  t.is(titles(MOST_PAYMENTS - 1, 'runaway_loop'), '255 payments to {payee} in a loop within 5 min');
  t.is(titles(300, 'runaway_loop'), '256 or more payments to {payee} in a loop within 5 min');
  t.is(titles(300, 'duplicate_payment'), 'Paid {payee} $310.00 256 or more times');
});

test('what is told of conduct is brought up to date where no more payments are kept at hand, and a rule’s is not', t => {
  const told = (payments: number, conduct_at?: number) => ({
    score: 90,
    title: '',
    explanation: '',
    subject: '',
    seqs: Array.from({ length: payments }, (_, seq) => seq),
    ...(conduct_at !== undefined && { conduct_at }),
  });
  const before = (payments: number) => ({ score: 90, payments });
  t.true(isWorse(told(MOST_PAYMENTS, noon), before(MOST_PAYMENTS)));
  t.false(isWorse(told(MOST_PAYMENTS), before(MOST_PAYMENTS)));
  t.false(isWorse(told(5, noon), before(5)));
  t.true(isWorse(told(6), before(5)));
});
