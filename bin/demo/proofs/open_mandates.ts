import { DAY } from '#shared/values/time.ts';
import type { Purchase } from '#bin/demo/purchase.ts';
import type { Random } from '#bin/demo/random.ts';
import type { WorldSpan } from '#bin/demo/rhythm.ts';
import { largest } from '#bin/demo/spending.ts';
import type { DemoAgent } from '#bin/demo/agent.ts';
import { signOpenMandate } from './ap2.ts';
import type { Keyring } from './keyring.ts';
import { merchantOf } from './proven.ts';

/** The AP2 open mandate of an agent that buys by card, signed by its owner's wallet: one for each, made when it is first asked for. */
export type OpenMandates = (agent: DemoAgent) => string;

/** How many of its dearest purchases an agent may make in all, and how much dearer than the dearest so far one may be. */
const PURCHASES = 100;
const ROOM = 1.5;

/** `normal` tells what the agents usually buy. */
export function createOpenMandates(
  keyring: Keyring,
  normal: ReadonlyMap<DemoAgent, readonly Purchase[]>,
  { from, to }: WorldSpan,
  random: Random,
): OpenMandates {
  const signed = new Map<DemoAgent, string>();
  return agent => {
    const signed_before = signed.get(agent);
    if (signed_before) return signed_before;
    const { currency } = agent.owner;
    // Minor units here, whole units in a budget.
    const max = Math.ceil((ROOM * largest(normal.get(agent) ?? [])) / 100) * 100;
    const mandate = signOpenMandate({
      issuer: keyring.issuer,
      agent: keyring.key(agent.external_id),
      constraints: [
        { type: 'payment.amount_range', currency, max },
        { type: 'payment.allowed_payees', allowed: agent.suppliers.map(({ payee }) => merchantOf(payee)) },
        { type: 'payment.allowed_payment_instruments', allowed: [{ id: agent.card.id, type: agent.card.type }] },
        { type: 'payment.budget', currency, max: (PURCHASES * max) / 100 },
      ],
      at: from,
      until: to + 30 * DAY,
      salt: random.fork(agent.external_id),
    });
    signed.set(agent, mandate);
    return mandate;
  };
}
