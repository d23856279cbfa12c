import test from 'ava';
import { MINUTE } from '#shared/values/time.ts';
import { type Flow, flow } from './flow.ts';

const approval = { type: 'payment.approval_required', above: '10000', currency: 'USD' };
const context = { human_present: true };

/** An agent's authorization that a person approved, and the settlement as a payment service knows it. */
const reports = (w: Flow, { cents = '20000', payment_id = 'p', currency = 'USD' } = {}) => ({
  agent: w.pay({ payment_id, type: 'payment.authorized', cents: '20000', more: { context } }),
  service: w.pay({ payment_id, at: MINUTE, cents, currency }),
});

for (const [name, constraints, more] of [
  ['above an amount', [approval], {}],
  ['always', [], { human_presence: 'required' }],
] as const)
  test(`what a person approved is approved, whichever report says so: a mandate that asks for it ${name}`, async t => {
    const w = await flow(t);
    await w.mandate([...constraints], more);
    const { agent, service } = reports(w);
    const unapproved = w.pay({ cents: '20000' });
    await w.send([agent]);
    await w.analyze();
    await w.send([service, unapproved]);
    await w.analyze();
    t.deepEqual(await w.results([agent, service, unapproved]), ['compliant', 'compliant', 'breach approval_missing']);
    t.is((await w.alerts('detector=mandate_breach')).length, 1);
  });

test('an approval that is reported later takes the breach back', async t => {
  const w = await flow(t);
  await w.mandate([approval]);
  const { agent, service } = reports(w);
  await w.send([service]);
  await w.analyze();
  t.deepEqual(await w.results([service]), ['breach approval_missing']);
  await w.send([agent]);
  await w.analyze();
  await w.recheck();
  t.deepEqual(await w.results([agent, service]), ['compliant', 'compliant']);
  const [alert] = await w.alerts('detector=mandate_breach');
  t.is(alert.actions[0]?.action, 'comment');
});

test('an approval covers the amount that it came with, and in another currency about as much', async t => {
  const w = await flow(t);
  await w.mandate([approval]);
  const more = reports(w, { cents: '20001' });
  const euros = reports(w, { payment_id: 'e', cents: '17000', currency: 'EUR' });
  const many_euros = reports(w, { payment_id: 'm', cents: '30000', currency: 'EUR' });
  await w.send([more, euros, many_euros].flatMap(({ agent, service }) => [agent, service]));
  await w.analyze();
  t.deepEqual(await w.results([more.service, euros.service, many_euros.service]), [
    'breach approval_missing',
    'compliant',
    'breach approval_missing',
  ]);
});
