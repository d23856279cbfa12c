import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import type { Queue } from '#shared/platform/queue.ts';
import { HOUR, SECOND } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { asOwnerOf } from '#test/helpers/owner.ts';
import { type World, world } from '#test/helpers/world.ts';
import { createHandler as createDetectHandler } from '#workers/handlers/detect.ts';

const EVENTS = 5_000;
const FAULTY = 1_234;

/** An organization whose log is far ahead of its detection; every fifth event comes with evidence. */
async function backlog(w: World, name: string) {
  const org = await w.organization(name);
  const client = w.client((await w.key(org.id)).key);
  const begin = Date.now() - HOUR;
  for (let from = 0; from < EVENTS; from += 1_000) {
    const events = Array.from({ length: 1_000 }, (_, index) =>
      event({
        at: begin + (from + index) * 100,
        agent: `agent-${index % 100}`,
        cents: String(5 + (index % 50)),
        ...(index % 5 === 0 && { more: { evidence: [{ kind: 'acme.note', value: 'text' }] } }),
      }),
    );
    await client.post('/v1/events', { events });
  }
  return { org_id: org.id, environment: w.tenant.environment };
}

test('two long backlogs are worked off over as few connections as are allowed', async t => {
  t.timeout(60 * SECOND);
  const w = await world(t, { settings: { DATABASE_POOL: '2' } });
  const tenants = [await backlog(w, 'one'), await backlog(w, 'two')];
  const handle = createDetectHandler(w.services, new AbortController().signal);
  const org_ids = sql.array(
    tenants.map(({ org_id }) => org_id),
    'text',
  );
  const readSeqs = () =>
    w.db.anyFirst(
      sql.type(z.object({ seq: z.number() }))`select seq from detection_cursors where org_id = any(${org_ids})`,
    );
  // What a job leaves, the next one takes.
  for (let jobs = 0; jobs < EVENTS && (await readSeqs()).some(seq => seq < EVENTS); jobs += 1)
    await Promise.all(tenants.map(tenant => handle(tenant)));
  t.deepEqual(await readSeqs(), [EVENTS, EVENTS]);
});

test('an event that cannot be analyzed leaves nothing behind it', async t => {
  t.timeout(180 * SECOND);
  const w = await world(t, { own_database: true });
  const tenant = await backlog(w, 'faulty');
  await asOwnerOf(
    w.database,
    `create function spoil() returns trigger language plpgsql as $$ begin
      if new.failures is null and ${FAULTY} between new.from_seq and new.to_seq then
        raise exception 'spoiled' using errcode = 'check_violation';
      end if;
      return new;
    end $$`,
    'create trigger spoil before insert on analyzed_ranges for each row execute function spoil()',
  );
  let asked = 1;
  const queue: Queue = {
    ...w.services.queue,
    add: (kind, jobs) => {
      if (kind === 'detect') asked += 1;
      return w.services.queue.add(kind, jobs);
    },
  };
  const handle = createDetectHandler({ ...w.services, queue }, new AbortController().signal);
  for (; asked > 0; asked -= 1) await handle(tenant);
  const ranges = await w.db.any(
    sql.type(z.object({ from_seq: z.number(), to_seq: z.number(), failed: z.boolean() }))`
      select from_seq, to_seq, failures is not null as failed from analyzed_ranges where org_id = ${tenant.org_id} order by from_seq`,
  );
  t.is(ranges.at(-1)?.to_seq, EVENTS);
  t.deepEqual(
    ranges.filter(({ failed }) => failed),
    [{ from_seq: FAULTY, to_seq: FAULTY, failed: true }],
  );
});
