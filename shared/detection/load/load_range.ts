import type { Db } from '#shared/platform/db.ts';
import type { History } from '#shared/detection/model/history.ts';
import type { NamedPayee } from '#shared/detection/model/almost_named.ts';
import { MOST_AHEAD } from '#shared/detection/model/late.ts';
import type { Needs } from '#shared/detection/model/needs.ts';
import type { Payees } from '#shared/detection/model/payees.ts';
import type { PaidElsewhere, PaymentReport } from '#shared/detection/model/detector.ts';
import type { DetectionEvent, Payment } from '#shared/events/log/payment.ts';
import { type LoggedEvent, loadPayments } from '#shared/events/ranges/load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { DetectionCache } from './detection_cache.ts';
import { type HoursReader, loadHours } from './load_activity.ts';
import { loadReports } from './load_contradictions.ts';
import { loadCountries, loadPaidPayees, loadPaidNamesakes } from './load_firsts.ts';
import { type Endpoints, loadEndpoints } from './load_endpoints.ts';
import { loadHistories } from './load_histories.ts';
import { type Purposes, loadPurposes } from './load_purposes.ts';
import { loadNames } from './load_names.ts';
import { loadNeededActivity } from './load_needed_activity.ts';
import { loadPaidElsewhere } from './load_paid_elsewhere.ts';
import { loadPayees, type Unknown } from './load_payees.ts';

/** The past that detectors need to judge a range: a few queries, however many events it has. */
export type LoadedRange = {
  histories: Map<string, History>;
  /** Payments of the range that are older than their agent's history. */
  outside: Map<string, Payment>;
  payees: Payees;
  /** All reports on payments with contradicting reports, by `paymentKey`. */
  reports: Map<string, PaymentReport[]>;
  /** What was paid for, where a price was paid twice. */
  purposes: Purposes;
  /** Which resources are asked for, whatever their queries, where one may be dearer than it was. */
  endpoints: Endpoints;
  /** The names of payees that were never paid before, and of those that their agents paid last, by id. */
  names: ReadonlyMap<string, NamedPayee>;
  /** Other agents' payments of the same invoice, by the place of the event in the log. */
  elsewhere: ReadonlyMap<number, PaidElsewhere>;
  /** The events are in the order in which they occurred, not in that of the log. */
  as_it_happened?: true;
};

/**
 * Loads what is not in the cache, as of `cursor`: histories, payments too old for them, known payees and countries, hours where they may
 * matter, and the state of payees. `needs` are those of the detectors that will judge: see needs.ts. A replay of the past has its own
 * `readHours`: the stored hours are the current ones. `of_payees`: what is known of payees, where that is not all there is at `cursor`.
 */
export async function loadRange(
  db: Db,
  tenant: Tenant,
  events: readonly LoggedEvent[],
  cursor: number,
  { histories: cache, payees: payeeCache }: DetectionCache,
  needs: Needs,
  readHours: HoursReader = loadHours,
  of_payees: { cursor: number; unknown?: Unknown } = { cursor },
): Promise<LoadedRange> {
  const byAgent = Map.groupBy(events, event => event.agent_id);
  const cached = [...byAgent.keys()].flatMap((agent_id): [string, History][] => {
    const history = cache.get(tenant, agent_id);
    return history ? [[agent_id, history]] : [];
  });
  const histories = new Map(cached);
  const missing = [...byAgent.keys()].filter(agent_id => !histories.has(agent_id));
  const newest = (events[0]?.received_at ?? 0) + MOST_AHEAD;
  for (const [agent_id, history] of await loadHistories(db, tenant, missing, cursor, newest))
    histories.set(agent_id, history);
  await loadCountries(db, tenant, missing, histories, cursor);

  const isKept = ({ agent_id, payment_id }: DetectionEvent) => histories.get(agent_id)?.by_id.has(payment_id) ?? false;
  const older = events.filter(event => !isKept(event)).map(event => event.payment_id);
  const outside = await loadPayments(db, tenant, [...new Set(older)], cursor);
  await loadPaidPayees(db, tenant, events, histories, cursor);
  await loadNeededActivity(db, tenant, byAgent, histories, { cursor, needs, readHours, outside });
  const payees = await loadPayees(db, tenant, events, of_payees.cursor, payeeCache, of_payees.unknown);
  await loadPaidNamesakes(db, tenant, events, histories, payees, cursor);
  const reports = await loadReports(db, tenant, events, histories, outside);
  const purposes = await loadPurposes(db, tenant, events, histories);
  const endpoints = await loadEndpoints(db, tenant, events, { histories, payees: payees.states });
  const names = await loadNames(db, tenant, events, histories, payees.states);
  const elsewhere = await loadPaidElsewhere(db, tenant, events, payees.states);
  for (const [agent_id, history] of histories) cache.set(tenant, agent_id, history);
  return { histories, outside, payees, reports, purposes, endpoints, names, elsewhere };
}
