import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { HOUR, SECOND } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { type World, world } from '#test/helpers/world.ts';
import { createHandler as createDetectHandler } from '#workers/handlers/detect.ts';

const EVENTS = 5_000;

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
