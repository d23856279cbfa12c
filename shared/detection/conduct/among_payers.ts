import type { Context } from '#shared/detection/model/detector.ts';
import { otherPayers } from '#shared/detection/model/payers.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { type Look, moreOften } from './look.ts';

/** Where so many other agents, and one in four, pay a payee as much, that is what it sells for: a payment of it is so many times as common. */
const [LEAST, ONE_IN, TIMES] = [2, 4, 5];

/**
 * The looks at a payment as common as they are for its payee: whoever sells for $300 is paid $300 by one agent as by another, whatever else each of
 * them buys. That nobody else pays as much says little, and no price explains many payments.
 */
export function amongPayers(
  looks: readonly Look[],
  { agent_id }: Pick<DetectionEvent, 'agent_id'>,
  { payment, payee }: Pick<Context, 'payment' | 'payee'>,
): Look[] {
  const { all, as_much } = otherPayers(payee.payers, agent_id, payment);
  if (as_much < LEAST || as_much * ONE_IN < all) return [...looks];
  const known = `${as_much} of ${all} other agents known to pay this payee paid it as much at a time`;
  return looks.map(look => (look.of_payment ? moreOften(look, TIMES, known) : look));
}
