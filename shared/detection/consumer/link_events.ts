import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { holding } from '#shared/events/log/holding.ts';
import type { Finding } from '#shared/detection/model/detector.ts';
import { type CountedMark, markOf } from './counted_mark.ts';
import type { FindingEntry } from './quiet_findings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** What is linked to an alert. */
export type AlertLinks = {
  alert_id: string;
  is_new: boolean;
  /** What its words count is new. */
  reworded: boolean;
  /** What its words counted until now, and their score. */
  payments_before: number;
  mark_before: (CountedMark & { score: number }) | null;
  /** Of what its words count now; null where that is not all new, or not the newest events of payments. */
  mark: CountedMark | null;
  links: Link[];
};

/**
 * An event, and all events of its payment up to `until_seq`, if given. `counted`: the alert's text is about that payment. `is_newest`: it
 * is the payment's latest event, so if this one is counted already, all are.
 */
type Link = { chain_seq: number; until_seq: number | null; counted: boolean; is_newest: boolean };

/** Links per payment: of a payment with more events than is plausible, the newest. */
const MOST_OF_PAYMENT = 100;

/** The links from one alert's findings. `graver` are those that provided its text in turn, the current one last. */
export function linksOf(
  findings: readonly FindingEntry[],
  graver: readonly FindingEntry[],
): Pick<AlertLinks, 'reworded' | 'mark' | 'links'> {
  const links = new Map<number, Link>();
  for (const { event, finding } of findings)
    for (const chain_seq of [event.chain_seq, ...(isOfFew(finding) ? finding.seqs : [])])
      links.set(chain_seq, { chain_seq, until_seq: null, counted: false, is_newest: false });
  const gathers = findings.some(({ finding }) => finding.gathers === true);
  for (const entry of gathers ? findings : graver) {
    const { seqs, counted } = entry.finding;
    const is_newest = counted?.settled !== undefined;
    for (const chain_seq of seqs) {
      const until_seq = Math.max(chain_seq, entry.event.chain_seq);
      links.set(chain_seq, { chain_seq, until_seq, counted: gathers || entry === graver.at(-1), is_newest });
    }
  }
  const reworded = graver.length > 0 && !gathers;
  const list = [...links.values()];
  const words = reworded ? graver.at(-1) : undefined;
  return { reworded, mark: words ? markOf(newestCounted(list), words.finding.score) : null, links: list };
}

const newestCounted = (links: readonly Link[]): number[] =>
  links.flatMap(({ chain_seq, counted, is_newest }) => (counted && is_newest ? [chain_seq] : []));

/** A rule that names a few events: another pair of equal payments is two events, whatever the text is about. */
const isOfFew = ({ seqs, conduct_at }: Finding) => conduct_at === undefined && seqs.length <= FEW;

const FEW = 10;

/**
 * Links events to alerts: those with its findings, and all events of every payment that its text is about, as far as they had arrived when
 * it was written. The latter are its evidence (`counted`), which stays unchanged until the text is replaced: later reports on such a
 * payment change neither. Events counted earlier stay linked. For findings that gather, the evidence only grows. An alert that grows from
 * range to range costs only its additions: payments already counted are skipped, and looked up only if one is missing. Returns the new
 * links.
 */
export async function linkEvents(tx: Db, tenant: Tenant, alerts: readonly AlertLinks[]): Promise<readonly Linked[]> {
  const grown = alerts.filter(({ reworded, payments_before }) => reworded && payments_before > 0);
  const kept = grown.flatMap(knownByMark);
  const by_mark = new Set(kept.map(({ alert_id }) => alert_id));
  const looked_up = await knownOf(
    tx,
    tenant,
    grown.filter(({ alert_id }) => !by_mark.has(alert_id)),
  );
  const stored = new Map([...kept, ...looked_up].map(row => [row.alert_id, row]));
  await uncount(
    tx,
    tenant,
    alerts.filter(each => each.reworded && stored.get(each.alert_id)?.known !== each.payments_before),
  );
  const rows = alerts.flatMap(({ alert_id, links }) => {
    const passed = new Set(stored.get(alert_id)?.seqs);
    return links.flatMap(({ chain_seq, until_seq, counted }) =>
      passed.has(chain_seq) ? [] : [[alert_id, chain_seq, until_seq, counted]],
    );
  });
  return insertLinks(tx, tenant, rows);
}

const Linked = z.object({ alert_id: z.string(), chain_seq: z.number() });
type Linked = z.infer<typeof Linked>;

const KnownRow = z.object({ alert_id: z.string(), known: z.number(), seqs: z.array(z.int()) });

/** The same as `knownOf` of an alert that still counts all that it counted before, and maybe more; otherwise none. */
function knownByMark({ alert_id, payments_before, mark_before, links }: AlertLinks): z.infer<typeof KnownRow>[] {
  if (!mark_before) return [];
  const seqs = newestCounted(links).filter(seq => seq <= mark_before.until);
  const is_same = seqs.length === payments_before && markOf(seqs, mark_before.score)?.mark === mark_before.mark;
  return is_same ? [{ alert_id, known: seqs.length, seqs }] : [];
}

/** Which of the newest events of payments that alerts count now were counted before. */
async function knownOf(tx: Db, { org_id, environment }: Tenant, alerts: readonly AlertLinks[]) {
  const rows = alerts.flatMap(({ alert_id, links }) => newestCounted(links).map(chain_seq => [alert_id, chain_seq]));
  if (rows.length === 0) return [];
  return tx.any(sql.type(KnownRow)`
    select r.alert_id, count(*) as known, array_agg(r.chain_seq) as seqs
    from ${sql.unnest(rows, ['text', 'int8'])} as r (alert_id, chain_seq)
    join alert_events n on n.org_id = ${org_id} and n.environment = ${environment} and n.alert_id = r.alert_id
      and n.chain_seq = r.chain_seq and n.counted
    group by r.alert_id`);
}

/** Uncounts events that these alerts are no longer about. */
async function uncount(tx: Db, { org_id, environment }: Tenant, alerts: readonly AlertLinks[]): Promise<void> {
  const before = alerts.filter(({ is_new }) => !is_new);
  if (before.length === 0) return;
  const ids = before.map(({ alert_id }) => alert_id);
  const rows = before.flatMap(({ alert_id, links }) =>
    links.flatMap(({ chain_seq, counted }) => (counted ? [[alert_id, chain_seq]] : [])),
  );
  // `not in` is hashed, however few rows are expected.
  await tx.query(sql.unsafe`
    update alert_events n set counted = false from events e
    where n.org_id = ${org_id} and n.environment = ${environment} and n.alert_id = any(${sql.array(ids, 'text')}) and n.counted
      and e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = n.chain_seq
      and (n.alert_id, e.agent_id, e.payment_id) not in (
        select r.alert_id, o.agent_id, o.payment_id from ${sql.unnest(rows, ['text', 'int8'])} as r (alert_id, chain_seq)
        join events o on o.org_id = ${org_id} and o.environment = ${environment} and o.chain_seq = r.chain_seq)`);
}

/** Inserts links as rows of alert, event, last event of its payment (null: only this one), and whether it is counted. */
async function insertLinks(
  tx: Db,
  { org_id, environment }: Tenant,
  rows: (string | number | boolean | null)[][],
): Promise<readonly Linked[]> {
  if (rows.length === 0) return [];
  return tx.any(sql.type(Linked)`
    with asked as (
      select r.alert_id, r.until_seq, r.counted, e.chain_seq, e.id, e.payment_id, e.agent_id
      from ${sql.unnest(rows, ['text', 'int8', 'int8', 'bool'])} as r (alert_id, chain_seq, until_seq, counted)
      join events e on e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = r.chain_seq
    ), wanted as (
      select w.alert_id, w.chain_seq, w.id, bool_or(w.counted) as counted from (
        select alert_id, chain_seq, id, counted from asked
        union all
        select a.alert_id, p.chain_seq, p.id, a.counted
        from (
          select alert_id, payment_id, agent_id, bool_or(counted) as counted, max(until_seq) as until_seq from asked
          where until_seq is not null group by alert_id, payment_id, agent_id
        ) a
        cross join lateral (
          select e.chain_seq, e.id from events e
          where ${holding('payment_id', { org_id, environment }, sql.fragment`a.payment_id`)} and e.agent_id = a.agent_id
            and e.chain_seq <= a.until_seq
          order by e.chain_seq desc limit ${MOST_OF_PAYMENT}) p
      ) w group by w.alert_id, w.chain_seq, w.id
    ), placed as (
      -- Nobody else links: the caller holds the incidents. Rows that may be there already cost twice as much to insert.
      select w.*, n.counted as was_counted from wanted w left join lateral (
        select n.counted from alert_events n
        where n.org_id = ${org_id} and n.environment = ${environment} and n.alert_id = w.alert_id and n.chain_seq = w.chain_seq
        limit 1) n on true
    ), counted as (
      update alert_events n set counted = true from placed p
      where n.org_id = ${org_id} and n.environment = ${environment} and n.alert_id = p.alert_id and n.chain_seq = p.chain_seq
        and p.counted and not p.was_counted
    )
    insert into alert_events (org_id, environment, alert_id, chain_seq, event_id, counted)
    select ${org_id}, ${environment}, alert_id, chain_seq, id, counted from placed where was_counted is null
    returning alert_id, chain_seq`);
}
