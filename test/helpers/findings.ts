import { z } from 'zod';
import { raiseAlerts } from '#shared/detection/consumer/raise_alerts.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { activeDetectors } from '#shared/detection/settings/detector_settings.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { DAY } from '#shared/values/time.ts';
import { event } from './make.ts';
import type { World } from './world.ts';

/** When the first of what is found occurred. */
export const start = Date.now() - 40 * DAY;

/** Something that a detector is said to have found, `at` milliseconds after the start. */
type Found = {
  at: number;
  agent?: string;
  detector?: string;
  /** Findings of one subject go to one alert. */
  subject?: string;
  cents?: string;
  currency?: string;
  payment_id?: string;
  score?: number;
  /** Its title, where the latest words are those of the alert. */
  gathered?: string;
  /** It is about conduct, which one alert tells of for as long as it goes on. */
  conduct?: boolean;
};

/** Sends an event for each finding, and raises what was found at them in one transaction. Answers with the number of its statements. */
export async function find({ as, db, tenant }: World, found: readonly Found[]): Promise<number> {
  const events = found.map(({ at, agent = 'agent-1', cents = '1000', currency = 'USD', payment_id }) =>
    event({ at: start + at, agent, cents, currency, ...(payment_id && { payment_id }) }),
  );
  for (let from = 0; from < events.length; from += 1_000)
    await as.post('/v1/events', { events: events.slice(from, from + 1_000) });
  const rows = await db.any(sql.type(Row)`
    select id, chain_seq, agent_id, payee_id from events
    where org_id = ${tenant.org_id} and id = any(${sql.array(
      events.map(({ id }) => id),
      'text',
    )})`);
  const stored = new Map(rows.map(row => [row.id, row]));
  const findings = found.flatMap(
    ({ at, detector = 'velocity_count', subject = '', score = 60, gathered, conduct }, index) => {
      const row = stored.get(events[index]?.id ?? '');
      const words = {
        title: gathered ?? `${detector} ${score}`,
        explanation: 'As planted.',
        ...(gathered && { gathers: true as const }),
      };
      const finding = { score, ...words, subject, ...(conduct && { conduct_at: start + at }) };
      return row ? [{ detector, event: row, finding: { ...finding, seqs: [row.chain_seq] } }] : [];
    },
  );
  let statements = 0;
  await db.transaction(async tx => {
    const active = await activeDetectors(tx, tenant, detectors);
    await raiseAlerts(
      counted(tx, () => (statements += 1)),
      tenant,
      findings,
      active,
      Date.now(),
    );
    await moveVersions(tx, tenant, ['alerts']);
  });
  return statements;
}

const Row = z.object({ id: z.string(), chain_seq: z.number(), agent_id: z.string(), payee_id: z.string() });

/** The database, which says so whenever it is asked something, within its transactions too. */
export const counted = (db: Db, tell: () => void): Db =>
  new Proxy(db, {
    get(target, name) {
      if (typeof name === 'string' && /^(any|one|many|maybe|query)/.test(name)) tell();
      if (name !== 'transaction') return Reflect.get(target, name);
      return (run: (tx: Db) => Promise<unknown>) => target.transaction(tx => run(counted(tx, tell)));
    },
  });

/** The incidents there are, newest first, as the API lists them. */
export const incidentsOf = async ({ as }: World, query = '') =>
  (await as.get(`/v1/incidents?limit=200${query}`)).body.data;
