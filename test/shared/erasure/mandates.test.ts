import test from 'ava';
import { timestamp, DAY, HOUR } from '#shared/values/time.ts';
import { eraseSubject } from '#test/helpers/erasing.ts';
import { budget, flow, noon } from '#test/shared/assessment/flow.ts';

test('payments that were erased go on counting, and keep the verdicts they had', async t => {
  const w = await flow(t);
  const payees = { type: 'payment.allowed_payees', payees: [{ domain: 'shop.example.com' }] };
  await w.mandate([budget(50), payees], { valid_from: timestamp(noon - DAY) });
  const first = w.pay({ at: 2 * HOUR, cents: '2000' });
  await w.send([first]);
  await w.analyze();
  const read = async (id: string) => (await w.as.get(`/v1/events/${id}`)).body;
  const { mandate_evaluation, payee_id } = await read(first.id);
  t.is(mandate_evaluation.result, 'compliant');
  await eraseSubject(w.services, w.tenant, { kind: 'payee', id: payee_id });

  // Reported late, so that the erased payment is looked at again; and too much with it.
  const late = w.pay({ at: HOUR, cents: '1000' });
  const later = w.pay({ at: 3 * HOUR, cents: '3000' });
  await w.send([late, later]);
  await w.analyze();
  await w.recheck();
  t.is((await read(first.id)).mandate_evaluation.result, 'compliant');
  t.is((await read(late.id)).mandate_evaluation.result, 'compliant');
  t.is((await read(later.id)).mandate_evaluation.result, 'breach', 'the erased payment counts');
  t.is((await w.alerts('detector=mandate_breach')).length, 1);

  await w.mandate([{ type: 'payment.allowed_payees', payees: [{ domain: 'other.example.com' }] }], {
    valid_from: timestamp(noon - DAY),
  });
  await w.recheck();
  t.is((await read(first.id)).mandate_evaluations.length, 1, 'what it was paid for is not known any more');
});
