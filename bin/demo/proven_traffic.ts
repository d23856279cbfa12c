import { DAY } from '#shared/values/time.ts';
import type { Keyring } from '#bin/demo/proofs/keyring.ts';
import type { OpenMandates } from '#bin/demo/proofs/open_mandates.ts';
import { withAp2, withX402 } from '#bin/demo/proofs/proven.ts';
import type { Purchase } from './purchase.ts';
import type { Random } from './random.ts';
import type { WorldSpan } from './rhythm.ts';
import type { RoleName } from './agent.ts';

/** How many of the purchases that could come with a proof do: not every client keeps it, and each takes some milliseconds to sign. */
const X402_SHARE = 0.08;
const AP2_SHARE = 0.5;
/** AP2 came into use so long before now; x402 clients keep their payloads since the day began. */
const AP2_SINCE = 7 * DAY;

const x402Roles = new Set<RoleName>(['research', 'watcher']);
const ap2Roles = new Set<RoleName>(['procurement', 'travel']);

/** What is paid at once, and to somebody the agent is known to pay. */
const canBeProven = ({ agent, payee, course: [first], near_miss }: Purchase): boolean =>
  (first?.type === 'payment.authorized' || first?.type === 'payment.settled') &&
  near_miss !== 'settled minutes later' &&
  agent.suppliers.some(supplier => supplier.payee.key.split(':').at(-1) === payee.key.split(':').at(-1));

/** The traffic, some of it with what authorized it: x402 payloads signed by the agents' wallets, AP2 mandates closed with their keys. */
export function withProofs(
  normal: readonly Purchase[],
  { day, to }: WorldSpan,
  keyring: Keyring,
  openMandates: OpenMandates,
  random: Random,
): Purchase[] {
  return normal.map(purchase => {
    const { agent, rail, at } = purchase;
    if (!canBeProven(purchase)) return purchase;
    if (rail === 'x402' && x402Roles.has(agent.role) && at >= day && random.chance(X402_SHARE))
      return withX402(purchase, keyring, random);
    if (rail === 'card' && ap2Roles.has(agent.role) && at >= to - AP2_SINCE && random.chance(AP2_SHARE))
      return withAp2(purchase, openMandates(agent), keyring, random);
    return purchase;
  });
}
