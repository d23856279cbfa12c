import test, { type ExecutionContext } from 'ava';
import { createPool, sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { growWhole } from '#test/helpers/grow_whole.ts';
import { growTreeFrom } from '#shared/ledger/growing_tree.ts';
import { provesGrowth, rootOfPath } from '#shared/ledger/merkle.ts';
import { createProver } from '#shared/ledger/proofs.ts';
import { findTree, lockTree, saveGrowth } from '#shared/ledger/tree_store.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { event } from '#test/helpers/make.ts';
import { naiveConsistency, naivePath, naiveRoot, someLeaves } from '#test/helpers/naive_tree.ts';
import { ownerOf } from '#test/helpers/owner.ts';
import { world } from '#test/helpers/world.ts';

const hex = (hashes: readonly Buffer[]) => hashes.map(hash => hash.toString('hex'));

/** A log whose tree has these leaves, saved in steps of these sizes; there are no events of them. */
async function planted(t: ExecutionContext, leaves: readonly Buffer[], steps: readonly number[]) {
  const { service_url } = await testDatabase(end => t.teardown(end));
  const db = await createPool(service_url, { max: 4, application_name: 'test' });
  t.teardown(() => db.end());
  const tenant = { org_id: newId('org'), environment: 'sandbox' };
  let { size, edge } = await lockTree(db, tenant, 'log.example.com');
  for (const to of steps) {
    const tree = growTreeFrom(size, edge);
    for (const leaf of leaves.slice(size, to)) tree.add(leaf, 0);
    [size, edge] = [tree.size, tree.edge()];
    await saveGrowth(db, tenant, { size, edge, tiles: tree.takeFull() });
  }
  return { db, tenant };
}

test('proofs for any older size come out of the tiles of a tree that has grown since', async t => {
  const leaves = someLeaves(700);
  const { db, tenant } = await planted(t, leaves, [1, 255, 256, 257, 300, 700]);
  for (const size of [1, 2, 255, 256, 257, 300, 511, 512, 513, 699, 700]) {
    const some = leaves.slice(0, size);
    const prover = createProver(db, tenant, size);
    t.true((await prover.root()).equals(naiveRoot(some)), `${size}`);
    for (const index of [0, 100, 254, 255, 256, 257, 511, 512, size - 1].filter(each => each < size))
      t.deepEqual(hex(await prover.path(index)), hex(naivePath(index, some)), `${index} of ${size}`);
    for (const from of [1, 128, 255, 256, 257, 512, size].filter(each => each <= size))
      t.deepEqual(hex(await prover.consistency(from)), hex(naiveConsistency(from, some)), `${from} of ${size}`);
    t.deepEqual(await prover.consistency(0), []);
  }
});

test('proofs reach through three levels of tiles', async t => {
  const leaves = someLeaves(66_000);
  const { db, tenant } = await planted(t, leaves, [65_535, 65_536, 65_537, 66_000]);
  const roots = new Map([40_000, 65_536, 66_000].map(size => [size, naiveRoot(leaves.slice(0, size))]));
  for (const size of [65_536, 66_000]) {
    const prover = createProver(db, tenant, size);
    const root = await prover.root();
    t.true(root.equals(roots.get(size) ?? Buffer.alloc(0)));
    for (const index of [0, 40_000, 65_535, size - 1]) {
      const reached = rootOfPath(index, size, leaves[index] ?? Buffer.alloc(0), await prover.path(index));
      t.true(reached?.equals(root), `${index} of ${size}`);
    }
    for (const from of [40_000, 65_536]) {
      const growth = { from, to: size, from_root: roots.get(from) ?? root, to_root: root };
      t.true(provesGrowth(growth, await prover.consistency(from)), `${from} of ${size}`);
    }
  }
});

test('a proof of a tree that has not grown so far is refused, not made up', async t => {
  const { db, tenant } = await planted(t, someLeaves(300), [300]);
  await t.throwsAsync(createProver(db, tenant, 301).path(3), { name: 'LogFault' });
  await t.throwsAsync(createProver(db, tenant, 70_000).root(), { name: 'LogFault' });
});

test('the tree of a log grows by what arrived, whoever lets it grow and how often', async t => {
  const { as, db, tenant } = await world(t, { own_database: true });
  const send = (count: number) => as.post('/v1/events', { events: Array.from({ length: count }, () => event()) });
  await send(200);
  t.is(await growWhole(db, tenant, 'log.example.com'), 200);
  await send(150);
  t.deepEqual(
    await Promise.all(Array.from({ length: 5 }, () => growWhole(db, tenant, 'other.example.com'))),
    Array(5).fill(350),
  );
  t.is(await growWhole(db, tenant, 'log.example.com'), 350);
  const { data } = (await as.get('/v1/events?limit=200')).body;
  const older = (await as.get(`/v1/events?limit=200&cursor=${(await as.get('/v1/events?limit=200')).body.next_cursor}`))
    .body.data;
  const ids = [...data, ...older].map(({ id }: { id: string }) => id).toReversed();
  const leaves = await Promise.all(
    ids.map(async id => Buffer.from((await as.get(`/v1/events/${id}`)).body.leaf_hash, 'hex')),
  );
  t.true((await createProver(db, tenant, 350).root()).equals(naiveRoot(leaves)));
  t.like(await findTree(db, tenant), { origin: 'log.example.com', size: 350, checkpoint_size: 0 });
});

test('a log with a gap, or one that became shorter, lets no tree grow', async t => {
  const { as, db, tenant, database } = await world(t, { own_database: true });
  const asOwner = await ownerOf(t, database);
  const send = (count: number) => as.post('/v1/events', { events: Array.from({ length: count }, () => event()) });
  await send(5);
  await growWhole(db, tenant, 'log.example.com');
  await send(5);
  await asOwner('delete from events where chain_seq = 8');
  await t.throwsAsync(growWhole(db, tenant, 'log.example.com'), { name: 'LogFault', message: /between 6 and 10/i });
  await asOwner('delete from events where chain_seq > 3');
  await asOwner('update event_logs set size = 3');
  await t.throwsAsync(growWhole(db, tenant, 'log.example.com'), { name: 'LogFault', message: /shorter/ });
  t.like(await findTree(db, tenant), { size: 5 });
});

test('the service itself cannot change what was signed, nor the tiles of a tree', async t => {
  const { as, db, tenant } = await world(t, { own_database: true });
  await as.post('/v1/events', event());
  await growWhole(db, tenant, 'log.example.com');
  for (const statement of [
    sql.unsafe`update log_tiles set hashes = hashes`,
    sql.unsafe`delete from log_tiles`,
    sql.unsafe`update log_checkpoints set note = note`,
    sql.unsafe`delete from log_checkpoints`,
    sql.unsafe`delete from log_trees`,
    sql.unsafe`update log_trees set origin = origin`,
    sql.unsafe`delete from log_signing_keys`,
    sql.unsafe`update log_signing_keys set x = x`,
  ])
    await t.throwsAsync(db.query(statement), { message: /permission denied/ }, statement.sql);
});
