import test from 'ava';
import { byTenant } from '#shared/interface/by_tenant.ts';

const row = (org_id: string, id: number) => ({ org_id, environment: 'sandbox', id });

test('an organization whose work fails holds up no others, and is heard of where nothing else came', async t => {
  const rows = [row('org_a', 1), row('org_b', 2), row('org_a', 3), row('org_c', 4)];
  const claim = (failing: readonly string[]) =>
    byTenant(rows, async ({ org_id }, own) => {
      if (failing.includes(org_id)) throw new Error(`${org_id} is locked`);
      return own.map(({ id }) => id);
    });
  t.deepEqual(new Set(await claim(['org_b'])), new Set([1, 3, 4]));
  await t.throwsAsync(claim(['org_a', 'org_b', 'org_c']), { message: 'org_a is locked' });
});

test('a few organizations are worked on at once, each with all of its rows', async t => {
  let [running, most] = [0, 0];
  const given: number[][] = [];
  await byTenant(
    Array.from({ length: 40 }, (_, id) => row(`org_${id % 20}`, id)),
    async (_tenant, own) => {
      most = Math.max(most, (running += 1));
      given.push(own.map(({ id }) => id));
      await new Promise(resolve => setImmediate(resolve));
      running -= 1;
      return [];
    },
  );
  t.is(most, 4);
  t.deepEqual(
    given.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0)),
    Array.from({ length: 20 }, (_, id) => [id, id + 20]),
  );
});
