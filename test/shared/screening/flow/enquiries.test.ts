import test from 'ava';
import { createEnquiries } from '#shared/screening/flow/enquiries.ts';
import { enquiryOf } from '#shared/screening/flow/screen_on_demand.ts';
import { NewScreening } from '#shared/screening/store/screening_input.ts';
import { saveThreshold } from '#shared/screening/store/screening_settings.ts';
import { sql } from '#shared/platform/db.ts';
import { entry } from '#test/helpers/lists.ts';
import { screening, shipping } from '#test/helpers/screening.ts';

test('a question is searched for once without asking for the lists, and again only where other lists or another threshold hold', async t => {
  const w = await screening(t);
  await w.load([shipping]);
  let searches = 0;
  const search: typeof w.services.search = {
    ...w.services.search,
    find(...wanted) {
      searches += 1;
      return w.services.search.find(...wanted);
    },
  };
  let reads = 0;
  const lists: typeof w.services.lists = {
    ...w.services.lists,
    current(org_id) {
      reads += 1;
      return w.services.lists.current(org_id);
    },
  };
  const enquiries = createEnquiries({ ...w.services, environment: w.tenant.environment, search, lists });
  const asker = { actor_id: null, request_id: null };
  const enquiry = enquiryOf(NewScreening.parse({ payee: { name: 'Nordwind Freight' } }) as NewScreening, asker);
  const ask = async () => {
    searches = reads = 0;
    const { state, threshold } = await enquiries.one(w.tenant, enquiry);
    return { state, threshold, searches, reads };
  };
  t.deepEqual(await ask(), { state: 'clear', threshold: 0.85, searches: 1, reads: 1 });
  t.deepEqual(await ask(), { state: 'clear', threshold: 0.85, searches: 1, reads: 0 });
  await w.db.query(sql.unsafe`update screening_lists set loaded_at = loaded_at + interval '1 hour'`);
  t.deepEqual(await ask(), { state: 'clear', threshold: 0.85, searches: 1, reads: 1 }, 'its publisher had nothing new');
  await saveThreshold(w.db, w.tenant, 0.5, Date.now());
  t.deepEqual(await ask(), { state: 'clear', threshold: 0.5, searches: 2, reads: 1 });
  await w.load([shipping, entry('2', 'Nordwind Freight')]);
  t.is((await ask()).state, 'potential_match');
  t.deepEqual(await ask(), { state: 'potential_match', threshold: 0.5, searches: 1, reads: 0 });
  t.is((await w.screenings()).length, 6, 'each is kept once');
});
