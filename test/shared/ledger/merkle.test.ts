import { createHash } from 'node:crypto';
import test from 'ava';
import * as fc from 'fast-check';
import { growTreeFrom } from '#shared/ledger/growing_tree.ts';
import { EMPTY_ROOT, provesGrowth, rootOfPath } from '#shared/ledger/merkle.ts';
import { consistencyRanges, foldNodes, inclusionRanges, nodesOf, type Range } from '#shared/ledger/ranges.ts';
import { edgeTiles, openTile, tileOf } from '#shared/ledger/tiles.ts';
import { consistency, emptyRoot, inclusion, leaves, roots } from '#test/fixtures/rfc6962.ts';
import { naiveConsistency, naivePath, naiveRoot, someLeaves } from '#test/helpers/naive_tree.ts';

const bytes = (hex: string) => Buffer.from(hex, 'hex');
const hex = (hashes: readonly Buffer[]) => hashes.map(hash => hash.toString('hex'));
const vectorLeaves = leaves.map(leaf => createHash('sha256').update(Buffer.of(0)).update(bytes(leaf)).digest());

/** The root of a range from its complete subtrees, each hashed on its own. */
const rootIn = (all: readonly Buffer[]) => (range: Range) =>
  foldNodes(
    nodesOf(range).map(({ height, index }) => naiveRoot(all.slice(index * 2 ** height, (index + 1) * 2 ** height))),
  );

const grown = (all: readonly Buffer[]) => {
  const tree = growTreeFrom(0, Buffer.alloc(0));
  for (const leaf of all) tree.add(leaf, 0);
  return tree;
};

test('roots are those of the test vectors of Certificate Transparency', t => {
  t.is(EMPTY_ROOT.toString('hex'), emptyRoot);
  t.is(grown([]).root().toString('hex'), emptyRoot);
  for (const [index, root] of roots.entries())
    t.is(
      grown(vectorLeaves.slice(0, index + 1))
        .root()
        .toString('hex'),
      root,
      `${index + 1}`,
    );
});

test('audit paths are those of the test vectors, and lead to their roots', t => {
  for (const { leaf, size, path } of inclusion) {
    t.deepEqual(hex(inclusionRanges(leaf, size).map(rootIn(vectorLeaves))), path, `${leaf} of ${size}`);
    const root = rootOfPath(leaf, size, vectorLeaves[leaf] ?? Buffer.alloc(0), path.map(bytes));
    t.is(root?.toString('hex'), roots[size - 1]);
  }
});

test('consistency proofs are those of the test vectors, and prove what they should', t => {
  for (const { from, to, path } of consistency) {
    t.deepEqual(hex(consistencyRanges(from, to).map(rootIn(vectorLeaves))), path, `${from} ${to}`);
    const growth = { from, to, from_root: bytes(roots[from - 1] ?? ''), to_root: bytes(roots[to - 1] ?? '') };
    t.true(provesGrowth(growth, path.map(bytes)));
  }
});

test('a proof that was changed in any way proves nothing', t => {
  const garbage = Buffer.alloc(32, 7);
  const flipped = (path: readonly Buffer[], at: number) =>
    path.map((hash, index) =>
      index === at ? Buffer.from(hash.map((byte, place) => (place === 0 ? byte ^ 8 : byte))) : hash,
    );
  for (const { leaf, size, path: given } of inclusion.filter(({ path }) => path.length > 0)) {
    const path = given.map(bytes);
    const [hash, root] = [vectorLeaves[leaf] ?? garbage, roots[size - 1]];
    const leads = (to: readonly Uint8Array[], index = leaf, among = size, from: Uint8Array = hash) =>
      rootOfPath(index, among, from, to)?.toString('hex') === root;
    t.true(leads(path));
    const changed = [
      path.slice(1),
      path.slice(0, -1),
      [...path, garbage],
      [garbage, ...path],
      [...path, Buffer.alloc(0)],
    ];
    for (const wrong of [...changed, ...path.map((_, at) => flipped(path, at))]) t.false(leads(wrong));
    for (const index of [leaf - 1, leaf + 1, leaf ^ 2, size, -1, 2 ** 40]) t.false(leads(path, index), `${index}`);
    for (const among of [0, leaf, size * 2, 2 ** 40]) t.false(leads(path, leaf, among), `${among}`);
    for (const from of [garbage, Buffer.alloc(0)]) t.false(leads(path, leaf, size, from));
  }
  for (const { from, to, path: given } of consistency.filter(({ path }) => path.length > 0)) {
    const path = given.map(bytes);
    const growth = { from, to, from_root: bytes(roots[from - 1] ?? ''), to_root: bytes(roots[to - 1] ?? '') };
    const changed = [[], path.slice(1), path.slice(0, -1), [...path, garbage], [garbage, ...path]];
    for (const wrong of [...changed, ...path.map((_, at) => flipped(path, at))]) t.false(provesGrowth(growth, wrong));
    for (const wrong of [
      { from: from - 1 },
      { from: from + 1 },
      { to: to * 2 },
      { from: to, to: from },
      { from_root: garbage },
      { to_root: garbage },
      { from_root: Buffer.alloc(0) },
    ])
      t.false(provesGrowth({ ...growth, ...wrong }, path), JSON.stringify(wrong));
  }
});

test('any tree begins with the empty one and with itself, and needs no hashes to show it', t => {
  const [root, other] = [bytes(roots[4] ?? ''), bytes(roots[5] ?? '')];
  t.true(provesGrowth({ from: 5, to: 5, from_root: root, to_root: root }, []));
  t.false(provesGrowth({ from: 5, to: 5, from_root: root, to_root: other }, []));
  t.false(provesGrowth({ from: 5, to: 5, from_root: root, to_root: root }, [root]));
  t.true(provesGrowth({ from: 0, to: 5, from_root: EMPTY_ROOT, to_root: root }, []));
  t.false(provesGrowth({ from: 0, to: 5, from_root: other, to_root: root }, []));
  t.deepEqual([consistencyRanges(0, 9), consistencyRanges(9, 9)], [[], []]);
});

test('roots and proofs of every tree of up to 300 leaves are those of the definition', t => {
  const all = someLeaves(300);
  const rootOf = rootIn(all);
  const tree = growTreeFrom(0, Buffer.alloc(0));
  for (let size = 1; size <= all.length; size += 1) {
    tree.add(all[size - 1] ?? Buffer.alloc(0), 0);
    const some = all.slice(0, size);
    t.true(tree.root().equals(naiveRoot(some)), `${size}`);
    for (const index of new Set([0, size >> 1, size - 1])) {
      const path = inclusionRanges(index, size).map(rootOf);
      t.deepEqual(hex(path), hex(naivePath(index, some)), `${index} of ${size}`);
      t.true(rootOfPath(index, size, all[index] ?? Buffer.alloc(0), path)?.equals(tree.root()));
      const proof = consistencyRanges(index + 1, size).map(rootOf);
      t.deepEqual(hex(proof), hex(naiveConsistency(index + 1, some)), `${index + 1} of ${size}`);
      const growth = { from: index + 1, to: size, from_root: naiveRoot(all.slice(0, index + 1)), to_root: tree.root() };
      t.true(provesGrowth(growth, proof));
    }
  }
});

test('proofs of trees of any size are those of the definition, also when the tree went on from what was stored of it', t => {
  const all = someLeaves(2_000);
  const trees = fc.record({ size: fc.integer({ min: 1, max: 2_000 }), cut: fc.nat(2_000), index: fc.nat(2_000) });
  const property = fc.property(trees, ({ size, cut, index }) => {
    const some = all.slice(0, size);
    const before = grown(some.slice(0, cut % size));
    const tree = growTreeFrom(before.size, before.edge());
    for (const leaf of some.slice(before.size)) tree.add(leaf, 0);
    const leaf = index % size;
    const path = inclusionRanges(leaf, size).map(rootIn(some));
    return (
      tree.root().equals(naiveRoot(some)) &&
      tree.edge().equals(grown(some).edge()) &&
      hex(path).join() === hex(naivePath(leaf, some)).join() &&
      rootOfPath(leaf, size, some[leaf] ?? Buffer.alloc(0), path)?.equals(tree.root()) === true
    );
  });
  t.notThrows(() => fc.assert(property, { seed: 20_261_122, numRuns: 60 }));
});

test('tiles become full at 256, 512 and 65,536 leaves, and hold what lies below them', t => {
  const tree = growTreeFrom(0, Buffer.alloc(0));
  const all = someLeaves(65_793);
  const widths = new Map([
    [255, '255'],
    [256, '1'],
    [257, '1,1'],
    [65_535, '255,255'],
    [65_536, '1'],
    [65_537, '1,1'],
  ]);
  const full = new Map<string, { at: number; hashes: Buffer }>();
  for (const leaf of all) {
    tree.add(leaf, 0);
    for (const { level, tile_index, hashes } of tree.takeFull())
      full.set(`${level}/${tile_index}`, { at: tree.size, hashes });
    const width = widths.get(tree.size);
    if (width)
      t.is(
        edgeTiles(tree.size, tree.edge())
          .map(({ hashes }) => hashes.length / 32)
          .join(),
        width,
      );
  }
  t.is(full.size, 257 + 1);
  t.is(full.get('0/0')?.at, 256);
  t.is(full.get('0/255')?.at, 65_536);
  t.is(full.get('1/0')?.at, 65_536);
  t.true(full.get('0/7')?.hashes.equals(Buffer.concat(all.slice(7 * 256, 8 * 256))));
  t.true(
    full
      .get('1/0')
      ?.hashes.subarray(7 * 32, 8 * 32)
      .equals(naiveRoot(all.slice(7 * 256, 8 * 256))),
  );
  t.true(tree.root().equals(naiveRoot(all)));
});

test('a right edge that is not that of its size is refused', t => {
  for (const [size, length] of [
    [5, 4],
    [5, 6],
    [0, 1],
    [256, 0],
    [256, 256],
  ] as const)
    t.throws(() => growTreeFrom(size, Buffer.alloc(length * 32)), { name: 'LogFault' });
});

test('a node lies in one tile, with the leaves or nodes that it is made of', t => {
  t.deepEqual(tileOf({ height: 0, index: 255 }), { level: 0, tile_index: 0 });
  t.deepEqual(tileOf({ height: 7, index: 2 }), { level: 0, tile_index: 1 });
  t.deepEqual(tileOf({ height: 8, index: 2 }), { level: 1, tile_index: 0 });
  t.deepEqual(tileOf({ height: 15, index: 2 ** 30 }), { level: 1, tile_index: 2 ** 29 });
  const leavesOfTile = someLeaves(256);
  const tile = openTile(Buffer.concat(leavesOfTile));
  t.true(tile.node(7, 1).equals(naiveRoot(leavesOfTile.slice(128))));
  t.true(tile.node(2, 63).equals(naiveRoot(leavesOfTile.slice(252))));
});
