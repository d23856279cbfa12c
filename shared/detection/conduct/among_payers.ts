import type { Context } from '#shared/detection/model/detector.ts';
import { otherPayers } from '#shared/detection/model/payers.ts';
import { type DetectionEvent, spendOf } from '#shared/events/log/payment.ts';
import { type Look, moreOften } from './look.ts';

/** Where one other agent in so many pays a payee as much, that is what it sells for: a payment of it is so many times as common. */
const [ONE_IN, TIMES] = [4, 5];
/**
 * Where two others or more do, and half of those that pay it, an agent begins to as well, such as with a weekly fee of all: so often, for each of
 * them. Of more dollars each is told, for it may be what all are robbed of.
 */
const [JOINED, MOST_JOINED] = [0.06, 500];

/**
 * The looks as common as they are for the payee: whoever sells for $300 is paid $300 by one agent as by another, whatever else each of them buys.
 * Of several payments it is enough that the one at hand is ordinary there: those that are not are looked at in their turn. That nobody else
 * pays as much says little. What many agents do, how often an agent pays, on how many days, and that it
 * pays at all after a long time, no price explains.
 */
export function amongPayers(
  looks: readonly Look[],
  { agent_id }: Pick<DetectionEvent, 'agent_id'>,
  { payment, payee, is_new_payee }: Pick<Context, 'payment' | 'payee' | 'is_new_payee'>,
): Look[] {
  const { all, as_much } = otherPayers(payee.payers, agent_id, payment);
  if (as_much === 0 || as_much * ONE_IN < all) return [...looks];
  const isFew = spendOf(payment) <= BigInt(MOST_JOINED) * 1_000_000n;
  const joins = is_new_payee && isFew && as_much >= 2 && as_much * 2 >= all ? as_much * JOINED : 0;
  const known = `{payee} was paid about as much at a time by ${all === 1 ? 'the one other agent' : `${as_much} of ${all} other agents`} known to pay it`;
  return looks.map(look =>
    look.group === 'pace' || look.begins === undefined || look.of_days
      ? look
      : { ...moreOften(look, TIMES, known), begins: look.begins + joins },
  );
}
