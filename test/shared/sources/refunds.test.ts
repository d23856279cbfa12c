import test from 'ava';
import * as fc from 'fast-check';
import { addNotice, type RefundNotice, type RefundRow } from '#shared/sources/refunds.ts';

const refund = (name: string, amount: number): RefundNotice => ({
  charge_id: 'ch_1',
  name,
  amount: String(amount),
  up_to: null,
});
const step = (up_to: number, amount: number): RefundNotice => ({
  charge_id: 'ch_1',
  name: String(up_to),
  amount: String(amount),
  up_to: String(up_to),
});

/** What each notice adds. */
function added(notices: readonly RefundNotice[]): number[] {
  const told: RefundRow[] = [];
  return notices.map((notice, index) => {
    const known = told.length;
    const result = addNotice(told, notice, `evt_${index}`);
    if (!told.includes(result)) told.push(result);
    return told.length > known ? Number(result.counted) : 0;
  });
}

test('a refund counts once, whether it is told by itself, with its charge, or in both ways', t => {
  t.deepEqual(added([refund('re_1', 500), step(500, 500), refund('re_1', 500)]), [500, 0, 0]);
  t.deepEqual(added([step(500, 500), refund('re_1', 500)]), [500, 0]);
  t.deepEqual(added([step(500, 500), refund('re_2', 500), step(1_000, 500), refund('re_1', 500)]), [500, 0, 500, 0]);
  t.deepEqual(added([step(1_000, 500), step(500, 500)]), [500, 500], 'out of order');
  t.deepEqual(
    added([step(500, 500), step(1_000, 1_000)]),
    [500, 500],
    'one that does not say what was refunded before',
  );
});

test('of notices that overlap, however wide they are, no part counts twice and none is taken back', t => {
  t.deepEqual(added([step(15, 15), step(10, 5), step(5, 5)]), [15, 0, 0]);
  t.deepEqual(added([step(10, 5), step(15, 15), step(5, 5)]), [5, 10, 0]);
});

test('in any order, no refund counts twice, and all of one kind of notices count all refunds', t => {
  const amounts = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(amounts, fc.infiniteStream(fc.nat()), fc.boolean(), fc.boolean(), (refunds, order, leave, ofCharge) => {
      let up_to = 0;
      const byRefund = refunds.map((amount, index) => refund(`re_${index}`, amount));
      const byCharge = refunds.map(amount => step((up_to += amount), amount));
      const some = (list: RefundNotice[]) => (leave ? list.filter(() => (order.next().value ?? 0) % 2 === 0) : list);
      const notices = ofCharge ? [...byCharge, ...some(byRefund)] : [...byRefund, ...some(byCharge)];
      const shuffled = notices
        .map(notice => ({ notice, at: order.next().value ?? 0 }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ notice }) => notice);
      let sum = 0;
      for (const more of added([...shuffled, ...shuffled])) {
        if (more < 0) throw new Error('a refund was taken back');
        sum += more;
        if (sum > up_to) throw new Error('a refund counted twice');
      }
      if (sum !== up_to) throw new Error('a refund was left out');
    }),
    { seed: 20_261_124, numRuns: 300 },
  );
  t.pass();
});
