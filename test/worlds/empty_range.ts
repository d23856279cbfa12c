import { spell } from '#shared/detection/model/almost_named.ts';
import { amountOfKey } from './log.ts';
import { emptyHistory, type History } from '#shared/detection/model/history.ts';
import { endpointOf } from '#shared/detection/load/load_endpoints.ts';
import { isSameInvoice } from '#shared/detection/load/load_paid_elsewhere.ts';
import { contradictingPayments } from '#shared/detection/load/load_contradictions.ts';
import { paymentKey } from '#shared/events/ranges/load.ts';
import type { LoadedRange } from '#shared/detection/load/load_range.ts';
import { identitiesOf, type PayeeRecord, type Payees, unpaidPayee } from '#shared/detection/model/payees.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { PaidElsewhere, PaymentReport } from '#shared/detection/model/detector.ts';

/** The kind of merchant (MCC) that an event names; null: it names none. */
export type CategoryOf = (event: DetectionEvent) => string | null;

/**
 * What detection would load for events before which nothing happened; `recordOf` gives what is known of a payee, its canonical key at least;
 * `category` is what an event says of its merchant, `purposes` what events are for.
 */
export function emptyRange(
  events: readonly DetectionEvent[],
  recordOf: (payee_id: string) => Partial<PayeeRecord> & { key: string },
  category: CategoryOf = () => null,
  purposes: LoadedRange['purposes'] = new Map(),
): LoadedRange {
  const histories = new Map<string, History>();
  const payees: Payees = { states: new Map(), waiting: new Map() };
  for (const event of events) {
    const { agent_id, payee_id } = event;
    if (!histories.has(agent_id))
      histories.set(agent_id, { ...emptyHistory(), hours: [], minutes: new Map(), new_payees: [] });
    const state = payees.states.get(payee_id) ?? unpaidPayee({ name: null, type: null, ...recordOf(payee_id) });
    payees.states.set(payee_id, state);
    for (const identity of identitiesOf(event, state.key)) {
      state.namesakes.set(identity, []);
      payees.waiting.set(identity, (payees.waiting.get(identity) ?? new Set()).add(state));
    }
  }
  return {
    histories,
    outside: new Map(),
    payees,
    reports: reportsOf(events, histories, payee_id => recordOf(payee_id).key, category),
    purposes,
    endpoints: new Map(
      events.flatMap((event): [string, string][] => {
        const endpoint = endpointOf(event.resource_key ?? '');
        return endpoint === null ? [] : [[paymentKey(event), endpoint]];
      }),
    ),
    names: namesOf(payees, events),
    elsewhere: paidElsewhere(events, purposes),
  };
}

/** The names of all payees that are no people, each in the country that the last of the events said. */
function namesOf({ states }: Payees, events: readonly DetectionEvent[]) {
  const countries = new Map(events.map(({ payee_id, payee_country }) => [payee_id, payee_country]));
  return new Map(
    [...states].flatMap(([id, { key, name, type }]) =>
      name === null || type === 'individual'
        ? []
        : [[id, { key, name, country: countries.get(id) ?? null, spelled: [spell(name)] }] as const],
    ),
  );
}

const dollarToken = { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };

/** The amount that a price key of tests names, such as `900 EUR` or atomic units of an asset; dollars where it names none. */
function amountOf({ price_key, usd_micro }: DetectionEvent): PaymentReport['amount'] {
  const [, value, denomination = ''] = /^(\d+) (.+)$/.exec(amountOfKey(price_key)) ?? [];
  if (value === undefined) return { value: String(usd_micro ?? 0n), asset: dollarToken };
  const [network, address] = denomination.split('/');
  return network && address ? { value, asset: { network, address } } : { value, currency: denomination };
}

function reportsOf(
  events: readonly DetectionEvent[],
  histories: ReadonlyMap<string, History>,
  keyOf: (payee_id: string) => string,
  category: CategoryOf,
) {
  const contradicting = contradictingPayments(events, histories, new Map());
  const reports = new Map<string, PaymentReport[]>();
  for (const event of events) {
    if (!contradicting.has(event.payment_id)) continue;
    const { chain_seq, source_id, type, occurred_at, usd_micro, price_key } = event;
    const key = paymentKey(event);
    const report = {
      chain_seq,
      source_id,
      source_name: source_id,
      type,
      occurred_at,
      usd_micro,
      price_key,
      amount: amountOf(event),
      category: category(event),
      payee_id: event.payee_id,
      payee_key: keyOf(event.payee_id),
    };
    reports.set(key, [...(reports.get(key) ?? []), report]);
  }
  return reports;
}

/** The latest payment of another agent for the invoice that an event names, to the same payee and of the same price, by the event's place in the log. */
function paidElsewhere(events: readonly DetectionEvent[], purposes: LoadedRange['purposes']) {
  const earlier = new Map<string, DetectionEvent[]>();
  return new Map(
    events.flatMap((event): [number, PaidElsewhere][] => {
      const { chain_seq, agent_id, payee_id, price_key, type } = event;
      if (!purposes.get(chain_seq)?.invoice) return [];
      const equal = earlier.get(`${payee_id} ${price_key}`) ?? [];
      const other = equal.findLast(
        each => each.agent_id !== agent_id && isSameInvoice(chain_seq, each.chain_seq, purposes, purposes),
      );
      if (type === 'payment.settled') earlier.set(`${payee_id} ${price_key}`, [...equal, event]);
      return other ? [[chain_seq, { ...other, agent_name: other.agent_id }]] : [];
    }),
  );
}
