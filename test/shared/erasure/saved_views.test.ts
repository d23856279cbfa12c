import test from 'ava';
import { countErasure } from '#shared/erasure/count_erasure.ts';
import { sql } from '#shared/platform/db.ts';
import { createHandler } from '#workers/handlers/export.ts';
import { erasing } from '#test/helpers/erasing.ts';
import { event } from '#test/helpers/make.ts';

type View = { name: string; query: string };
type Entry = { before: View | null; after: View | null };

/** A payee of this name, with views that members have saved. */
async function viewed(t: Parameters<typeof erasing>[0], payee_name: string, views: (payee_id: string) => View[]) {
  const here = await erasing(t);
  const { as, person } = here;
  const { payee_id } = (await as.post('/v1/events', event({ payee: 'domain:one.example.com', payee_name }))).body;
  const owner = await person('owner');
  for (const { name, query } of views(payee_id))
    t.is((await owner.post('/v1/saved-views', { page: '/events', name, query })).status, 201, name);
  const left = async () => {
    const { data } = (await owner.get('/v1/saved-views')).body;
    return data.map(({ name }: View) => name).toSorted();
  };
  return { ...here, owner, payee_id, left };
}

test('saved views that name an erased payee go, however their address writes it, and are counted before', async t => {
  const another = {
    name: 'Another',
    query: 'q=M%C3%BCller%20and%20Sons&payee_key=domain%3Atwo.example.com&empty=&&flag',
  };
  const here = await viewed(t, 'Müller & Sons', () => [
    { name: 'At MÜLLER & Sons', query: 'status=failed' },
    { name: 'Encoded', query: 'status=failed&q=M%C3%BCller%20%26%20Sons' },
    { name: 'With plus', query: 'q=to+m%c3%bcller+%26+sons' },
    { name: 'Not UTF-8', query: 'q=%ff%00one%2Eexample.com&x=%' },
    another,
  ]);
  const { owner, payee_id, left, erase, db, tenant } = here;
  const gone = (await owner.get('/v1/saved-views')).body.data.find(({ name }: View) => name === 'With plus');
  await owner.delete(`/v1/saved-views/${gone.id}`);
  const filters = { q: 'Müller & Sons' };
  const asked = { kind: 'events', format: 'csv', to: '2020-01-01T00:00:00Z', filters };
  const { status, body } = await owner.post('/v1/exports', asked);
  t.is(status, 202);
  await createHandler(here.services, new AbortController().signal)({ ...tenant, export_id: body.id });
  const subject = { kind: 'payee', id: payee_id } as const;
  const counts = { events: 1, names: 1, packs: 1, saved_views: 3 };
  t.like(await countErasure(db, tenant, subject), counts);
  t.false(await db.exists(sql.unsafe`select 1 from erasure_words`));
  t.is((await left()).length, 4);
  t.like(await erase(subject), counts);
  t.deepEqual(await left(), ['Another']);
  const { data } = (await owner.get('/v1/audit-log')).body;
  const told = (data as Entry[]).map(({ before, after }) => after ?? before).filter(view => view?.query !== undefined);
  t.deepEqual(
    told.map(view => [view?.name, view?.query]),
    [
      ['With plus', '[erased]'],
      ['Another', another.query],
      ['Not UTF-8', '[erased]'],
      ['With plus', '[erased]'],
      ['Encoded', '[erased]'],
      ['At [erased]', 'status=failed'],
    ],
  );
});

test('a saved view is read as a browser reads it, whatever stands in its address', async t => {
  const { erase, payee_id, left } = await viewed(t, 'Müller & Sons', () => [
    { name: 'Not UTF-8 around it', query: 'q=x%FFM%C3%BCller+%26+Sons%C3' },
    { name: 'Nested', query: `x=${'%'.repeat(600)}${'FF'.repeat(600)}` },
  ]);
  t.like(await erase({ kind: 'payee', id: payee_id }), { saved_views: 1 });
  t.deepEqual(await left(), ['Nested']);
});

test('a name that is one word takes the views of its payee or that search for it alone', async t => {
  const here = await viewed(t, 'Payment', payee_id => [
    { name: 'Payment of mine', query: `payee_id=${payee_id}` },
    { name: 'Alone', query: 'q=payment' },
    { name: 'In a phrase', query: 'q=payment+to+Acme' },
    { name: 'Payment types', query: 'rail=card' },
    { name: 'Of mine', query: `payee_id=${payee_id}` },
  ]);
  const { payee_id, erase, left, db, tenant } = here;
  const subject = { kind: 'payee', id: payee_id } as const;
  t.like(await countErasure(db, tenant, subject), { saved_views: 2 });
  t.like(await erase(subject), { saved_views: 2 });
  t.deepEqual(await left(), ['In a phrase', 'Of mine', 'Payment types']);
});
