import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createRandom } from '#bin/demo/random.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { startAccount } from '#shared/screening/account.ts';
import { newEntry } from '#shared/screening/lists/draft.ts';
import { createOrganization } from '#shared/people/organizations.ts';
import { loadList } from '#shared/screening/store/list_load.ts';
import { EVERYBODY } from '#shared/screening/store/screening_lists.ts';
import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import type { Bench } from './run.ts';

const PAYEES = Number(process.env['BENCH_PAYEES'] ?? 100_000);
const ENTRIES = 8_000;
/** Entries that a new version of the list adds, changes and removes; a publisher's daily change is a tenth of that. */
const CHANGED = 200;
/** Every so many of them is somebody who is paid. */
const PAID = 10;

/**
 * From a new version of a list to the last of 100,000 payees held against what changed in it: the worker and the schedule run as processes of
 * their own, on the machine that also runs the database.
 */
export async function rescreening({ services, startWorker, figure }: Bench): Promise<void> {
  const { db, config, now } = services;
  const tenant = {
    org_id: (await createOrganization(db, config.environment, 'rescreened', now())).id,
    environment: config.environment,
  };
  const Count = z.object({ count: z.number() });
  /** Payees that are due, and what they are still to be held against. */
  const waiting = () =>
    db.oneFirst(sql.type(Count)`
      select (select count(*) from payee_screenings where due_at is not null)::int + (select count(*) from screening_rescreens)::int as count`);
  const screenedAnew = () =>
    db.oneFirst(sql.type(Count)`
      select count(*)::int as count from screenings where lists->0->>'version' = '2'`);

  const name = nameMaker();
  const payees = Array.from({ length: PAYEES }, () => name());
  await addDuePayees(db, tenant, payees);
  const entries = Array.from({ length: ENTRIES }, (_, index) => entryOf(String(index), name()));
  const workers = [await startWorker('screen'), await startWorker('schedule')];

  const first = performance.now();
  await load(entries);
  await until(async () => (await waiting()) === 0);
  const seconds = (performance.now() - first) / 1_000;
  figure(
    'payees screened per second, first list',
    PAYEES / seconds,
    `${Math.round(seconds)} s, with their records (goal 40 s)`,
  );

  const next = entries.slice(CHANGED);
  for (let index = 0; index < CHANGED; index += 1) {
    next.push(entryOf(`new-${index}`, index % PAID === 0 ? (payees[index * 31] ?? '') : name()));
    next[index] = entryOf(next[index]?.entry_id ?? '', name());
  }
  const second = performance.now();
  await load(next);
  const loaded = performance.now();
  await until(async () => (await waiting()) === 0);
  const ended = performance.now();
  figure(
    'seconds from a changed list to the last payee',
    (ended - second) / 1_000,
    `limit 60; ${Math.round(loaded - second)} ms of it to load; ${3 * CHANGED} entries changed, ${await screenedAnew()} payees screened anew`,
  );
  for (const worker of workers) await worker.stop();

  function load(list: readonly ListEntry[]) {
    async function* all() {
      yield* list;
    }
    const sha256 = createHash('sha256').update(JSON.stringify(list)).digest('hex');
    const summary = () => ({ sha256, skipped: 0, account: startAccount().total() });
    const ref = { org_id: EVERYBODY, name: 'fictional', format: 'csv', insist: false };
    return loadList(db, { ...ref, entries: all(), summary, loaded_by: 'operator', environment: null }, now());
  }
}

/** Payees of these names, all to be screened. */
export async function addDuePayees(db: Db, tenant: Tenant, names: readonly string[]): Promise<void> {
  for (let at = 0; at < names.length; at += 10_000) {
    const rows = names.slice(at, at + 10_000).map(name => {
      const id = newId('pye');
      return [id, `merchant:bench:${id}`, name];
    });
    await db.query(sql.unsafe`
      with added as (
        insert into payees (org_id, environment, id, key, type, name, folded, first_seen_at)
        select ${tenant.org_id}, ${tenant.environment}, r.id, r.key, 'business', r.name, lower(r.name), now()
        from ${sql.unnest(rows, ['text', 'text', 'text'])} as r (id, key, name)
        returning org_id, environment, id, first_seen_at)
      insert into payee_screenings (org_id, environment, payee_id, first_seen_at, due_at)
      select org_id, environment, id, first_seen_at, first_seen_at from added`);
  }
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await sleep(100);
}

export const entryOf = (entry_id: string, name: string): ListEntry => ({
  ...newEntry(entry_id, 'organization', name),
  programs: ['BENCH'],
});

/** Names as companies have them, of made-up words and usual ones. */
export function nameMaker(): () => string {
  const random = createRandom(20_261_122);
  const { pick } = random;
  const word = () => {
    const text = Array.from({ length: 2 + random.int(0, 1) }, () => pick(starts) + pick(vowels)).join('');
    return text.slice(0, 1).toUpperCase() + text.slice(1) + pick(ends);
  };
  return () => [word(), random.chance(0.6) ? word() : '', pick(usual), pick(forms)].filter(Boolean).join(' ');
}

const starts = 'b br c d dr f g gr h j k kl l m n p pr qu r s sch st t tr v w z'.split(' ');
const vowels = 'a e i o u ai ei ou'.split(' ');
const ends = ' n r s l m x'.split(' ');
const usual = 'Trading Shipping Foods Services Logistics Media Energy Travel Software Consulting Supplies'.split(' ');
const forms = 'Ltd LLC GmbH Inc SA'.split(' ');
