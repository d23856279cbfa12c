import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { publishCheckpoint } from '#shared/ledger/publish.ts';
import { verifyLog } from '#shared/ledger/verify/verify_log.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { archiveEvents } from '#shared/running/retention/archive_events.ts';
import { setRetention, showRetention } from '#shared/running/retention/policies.ts';
import { removeExpired } from '#shared/running/retention/run.ts';
import { DAY } from '#shared/values/time.ts';
import { fullEvent } from './inhabit.ts';
import { event } from './make.ts';
import { ownerOf } from './owner.ts';
import { world } from './world.ts';
import { insertArchive } from '#shared/packs/archive/archives.ts';

export const DAYS = 401;
export const SIZE = 600;
/** Whole tiles of 256. */
export const ARCHIVED = 512;

/** A log of 600 events that is analyzed and signed, some of them with all that an event can have; the law lets them go at once where `may_go`. */
export async function oldLog(t: ExecutionContext, { may_go = true } = {}) {
  let time = Date.now();
  const here = await world(t, { own_database: true, now: () => time });
  const { as, services, db, tenant, database, config } = here;
  const asOwner = await ownerOf(t, database);
  // The database has a clock of its own, which no test can move on.
  if (may_go)
    await asOwner(
      'create or replace function is_past_law(of_environment text, made_at timestamptz) returns boolean language sql stable as $$ select true $$',
    );
  const send = async (events: object[]) => {
    const { body } = await as.post('/v1/events', { events });
    t.is(body.accepted, events.length, JSON.stringify(body).slice(0, 500));
  };
  const all = Array.from({ length: SIZE }, (_, index) =>
    index % 100 === 5
      ? fullEvent({ agent: 'agent-0', payment_id: `full-${index}`, more: { description: 'a\u2028b' } })
      : event({ agent: `agent-${index % 7}` }),
  );
  await send(all);
  await here.analyze();
  await publishCheckpoint(services, tenant);
  return {
    ...here,
    asOwner,
    send,
    all,
    now: () => time,
    pass: (days: number) => void (time += days * DAY),
    keep: (days: number) => db.transaction(tx => setRetention(tx, tenant, { kind: 'events', days }, config, time)),
    unset: (tx: Db) => setRetention(tx, tenant, { kind: 'events', days: null }, config, time),
    shown: async () => (await showRetention(db, tenant, config)).find(({ kind }) => kind === 'events'),
    run: () => removeExpired(services, new AbortController().signal),
    archive: () => archiveEvents(services, tenant),
    verify: () => verifyLog(services, tenant),
    /** Notes an archive of all events up to this one, of which there is no file. */
    forge: (to_seq: number, root_hash: string) => insertArchive(db, tenant, { ...forged, to_seq, root_hash }, time),
    /** The names of the archives in the storage. */
    async files() {
      const names: string[] = [];
      for await (const name of glob('archives/**/*.zip', { cwd: join(config.data_dir, 'files') })) names.push(name);
      return names.toSorted();
    },
    left: () =>
      db.one(sql.type(Left)`
        select count(*) as events, min(chain_seq) as first,
          (select count(*) from evidence where org_id = ${tenant.org_id}) as evidence
        from events where org_id = ${tenant.org_id}`),
  };
}

const Left = z.object({ events: z.int(), first: z.int(), evidence: z.int() });

const forged = {
  from_seq: 1,
  file: 'none',
  sha256: '00',
  size_bytes: 1,
  leaves_digest: '00'.repeat(32),
  runs: 0,
  evaluations: 0,
  evidence_values: 0,
  erasures: 0,
  checkpoint_size: SIZE,
  statement: 'x',
};
