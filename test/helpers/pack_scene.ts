import type { ExecutionContext } from 'ava';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';
import { budget, type Flow, flow, noon } from '#test/shared/assessment/flow.ts';

const evidence = [
  { kind: 'acme.note', value: 'a text', label: 'note' },
  { kind: 'acme.scan', value: Buffer.from([0, 255]).toString('base64'), encoding: 'base64' },
  { kind: 'psp.webhook', value: { headers: {}, body: '{}' } },
];

/** An agent that broke its mandate, with evidence, an alert, a case about it, and somebody else's payment. */
export async function scene(t: ExecutionContext, options: Parameters<typeof flow>[1] = {}) {
  const w = await flow(t, options);
  const mandate = await w.mandate([budget(20)], { valid_from: timestamp(noon - DAY) });
  const paid = [
    w.pay({ at: 0, cents: '1500', payment_id: 'order-1', more: { evidence } }),
    w.pay({ at: HOUR, cents: '1500', payment_id: 'order-2', payee_name: 'Гостиница «Заря»' }),
  ];
  const other = w.pay({ at: 2 * HOUR, more: { agent_id: undefined, agent: { external_id: 'other' } } });
  await w.send([...paid, other]);
  await w.analyze();
  const [breach] = await w.alerts('detector=mandate_breach');
  const opened = await w.as.post('/v1/cases', { title: 'Over budget', alert_ids: [breach.id] });
  return { ...w, mandate, paid, breach, case_id: opened.body.id as string };
}

/** What the agent did on the days around. */
export const scopeOf = ({ agent_id }: Flow) => ({ agent_id, from: timestamp(noon - DAY), to: timestamp(noon + DAY) });
