import test from 'ava';
import { createKeyResolver } from '#shared/verification/keys.ts';
import type { KeyRow } from '#shared/verification/keys.ts';
import { pem } from '#test/helpers/proofs/certificates.ts';
import { newKey, row } from '#test/helpers/proofs/jwt.ts';

const at = Date.parse('2026-11-20T09:30:00.000Z');
const kids = (rows: readonly KeyRow[], use: 'agent' | 'source' | 'ap2_issuer', kid?: string, when = at) =>
  createKeyResolver(rows, null)
    .find({ use, kid, at: when })
    .map(key => key.kid);

test('a key is found by its kid and by its thumbprint, for its use only', async t => {
  const key = await newKey();
  const rows = [row(key, 'agent', { kid: 'agent-1' })];
  t.deepEqual(kids(rows, 'agent', 'agent-1'), ['agent-1']);
  t.deepEqual(kids(rows, 'agent', key.kid), ['agent-1']);
  t.deepEqual(kids(rows, 'ap2_issuer', 'agent-1'), []);
  t.deepEqual(kids(rows, 'agent', 'agent-2'), []);
  t.deepEqual(kids(rows, 'agent', 'constructor'), []);
});

test('a key for any use serves every use, and without a kid all keys of a use are found', async t => {
  const rows = [row(await newKey(), 'any', { kid: 'all' }), row(await newKey(), 'source', { kid: 'sources' })];
  t.deepEqual(kids(rows, 'source'), ['all', 'sources']);
  t.deepEqual(kids(rows, 'agent'), ['all']);
});

test('a key serves from its first millisecond to the one before its end', async t => {
  const rows = [row(await newKey(), 'agent', { kid: 'k', not_before: at, not_after: at + 10 })];
  const served = [at - 1, at, at + 9, at + 10].map(
    when => kids(rows, 'agent', 'k', when).length + kids(rows, 'agent', undefined, when).length,
  );
  t.deepEqual(served, [0, 2, 2, 0]);
});

test('a root certificate vouches for chains, and its own key signs nothing else', async t => {
  const root = row(await newKey(), 'ap2_issuer', {
    kind: 'x5c_root',
    certificate: pem('root'),
    issuer: 'https://wallet.example',
  });
  const keys = createKeyResolver([root], null);
  t.deepEqual(keys.find({ use: 'ap2_issuer', kid: root.kid, at }), []);
  t.deepEqual(keys.roots({ use: 'ap2_issuer', at }), [{ certificate: pem('root'), issuer: 'https://wallet.example' }]);
  t.deepEqual(keys.roots({ use: 'kyapay', at }), []);
});

test('the key of the source is handed on', async t => {
  const { jwk } = await newKey();
  t.is(createKeyResolver([], jwk).source(), jwk);
  t.is(createKeyResolver([], null).source(), null);
});

test('a look-up does not go through the keys, however many they are', async t => {
  const key = await newKey();
  const keys = createKeyResolver(
    Array.from({ length: 100_000 }, (_, index) => row(key, 'agent', { kid: `k${index}`, thumbprint: `t${index}` })),
    null,
  );
  // Were it to look at every key, this would not end in its time.
  let found = 0;
  for (let index = 0; index < 1_000_000; index += 1)
    found += keys.find({ use: 'agent', kid: `k${index % 10}`, at }).length;
  t.is(found, 1_000_000);
});
