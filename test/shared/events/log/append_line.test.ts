import test, { type ExecutionContext } from 'ava';
import { BackendTerminatedUnexpectedlyError } from 'slonik';
import { z } from 'zod';
import { createAppendLine } from '#shared/events/log/append_line.ts';
import { type LogEntry, openEventLog } from '#shared/events/log/event_log.ts';
import { createRegistry } from '#shared/events/log/registry.ts';
import { newId } from '#shared/interface/ids.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { eventInput, normalized, now } from '#test/helpers/event_input.ts';
import { world } from '#test/helpers/world.ts';

/** An open log, a line before it, and what makes requests of events with these ids. */
async function openLine(t: ExecutionContext) {
  const { db, tenant } = await world(t);
  await openEventLog(db, tenant);
  const registry = createRegistry(db, () => now);
  const source_id = await db.oneFirst(sql.type(z.object({ id: z.string() }))`
    select id from sources where org_id = ${tenant.org_id} limit 1`);
  const request = async (...ids: string[]): Promise<LogEntry[]> => {
    const events = ids.map(id => normalized(eventInput({ id })));
    const { references } = await registry.resolve(tenant, events, source_id);
    return references.flatMap((each, index) => {
      const event = events[index];
      return event ? [{ event, references: { ...each, source_id } }] : [];
    });
  };
  const stored = () =>
    db.any(sql.type(z.object({ id: z.string(), chain_seq: z.number(), received_at: z.string() }))`
      select id, chain_seq, received_at from events
      where org_id = ${tenant.org_id} and environment = ${tenant.environment} order by chain_seq`);
  return { db, tenant, request, stored };
}

const ids = (count: number) => Array.from({ length: count }, () => newId('evt'));

/** A database that counts the statements it is given, and answers each of them so. */
const counting = (answer: () => Promise<unknown>) => {
  const asked = { statements: 0 };
  const maybeOne = () => {
    asked.statements += 1;
    return answer();
  };
  return { asked, db: { maybeOne } as unknown as Db };
};

test('requests that wait are written together, each at its place', async t => {
  const { db, tenant, request, stored } = await openLine(t);
  const requests = await Promise.all([3, 1, 2, 5, 1, 4].map(count => request(...ids(count))));
  const append = createAppendLine(db);
  const places = await Promise.all(requests.map(entries => append(tenant, entries, 0)));
  const rows = await stored();
  t.deepEqual(
    requests.map(entries => entries.map(({ event }) => event.id)),
    requests.map(({ length }, index) => {
      const from = (places[index]?.first_seq ?? 0) - 1;
      return rows.slice(from, from + length).map(({ id }) => id);
    }),
  );
  t.deepEqual(
    rows.map(({ chain_seq }) => chain_seq),
    rows.map((_, index) => index + 1),
  );
  // The third to the last waited while the first two were written.
  t.is(new Set(places.slice(2).map(place => place?.received_at)).size, 1);
  t.deepEqual(
    places.map(place => place?.received_at),
    places.map(place => rows[(place?.first_seq ?? 0) - 1]?.received_at),
  );
});

test('one that the log refuses keeps no other from it', async t => {
  const { db, tenant, request, stored } = await openLine(t);
  const [known = '', ...others] = ids(5);
  const append = createAppendLine(db);
  t.truthy(await append(tenant, await request(known), 0));
  const requests = await Promise.all(others.map(id => request(id)));
  const again = await request(known);
  const [first = [], second = [], third = [], fourth = []] = requests;
  const places = await Promise.all([
    append(tenant, first, 0),
    append(tenant, second, 0),
    append(tenant, third, 0),
    append(tenant, again, 0),
    append(tenant, third, 0),
    append(tenant, fourth, 1),
  ]);
  const [, , one, refused, other] = places.map(place => place !== null);
  t.deepEqual([places[0] !== null, places[1] !== null, refused, places[5]], [true, true, false, null]);
  // Whichever of two requests with one id was first.
  t.not(one, other);
  t.deepEqual((await stored()).map(({ id }) => id).toSorted(), [known, ...others.slice(0, 3)].toSorted());
});

test('trouble that lasts reaches all that wait, and that of one connection only those it wrote', async t => {
  const { tenant, request } = await openLine(t);
  const { asked, db } = counting(() => Promise.reject(new BackendTerminatedUnexpectedlyError(new Error('gone'))));
  const append = createAppendLine(db);
  const requests = await Promise.all(ids(9).map(id => request(id)));
  const answers = await Promise.allSettled(requests.map(entries => append(tenant, entries, 0)));
  t.true(answers.every(({ status }) => status === 'rejected'));
  // Two at once, and all others when the first of them had failed.
  t.is(asked.statements, 3);
  const once = counting(async () => {
    if (once.asked.statements === 1) throw new BackendTerminatedUnexpectedlyError(new Error('gone'));
    return { first_seq: 1, received_at: '2026-11-20T10:00:00.000Z' };
  });
  const appendOnce = createAppendLine(once.db);
  const others = await Promise.allSettled(requests.map(entries => appendOnce(tenant, entries, 0)));
  t.deepEqual(
    others.map(({ status }) => status === 'rejected'),
    requests.map((_, index) => index === 0),
  );
});

test('no more than a thousand events are written together, but those of one request', async t => {
  const { tenant, request } = await openLine(t);
  const { asked, db } = counting(async () => ({ first_seq: 1, received_at: '2026-11-20T10:00:00.000Z' }));
  const append = createAppendLine(db);
  const requests = await Promise.all([1, 1, 500, 500, 1_500, 500, 1].map(count => request(...ids(count))));
  await Promise.all(requests.map(entries => append(tenant, entries, 0)));
  // Two at once, then two halves, then what is more than a thousand, then half of it and one.
  t.is(asked.statements, 5);
});
