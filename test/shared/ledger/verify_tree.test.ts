import { generateKeyPairSync, hash, sign } from 'node:crypto';
import test from 'ava';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { checkpointText } from '#shared/ledger/checkpoint_text.ts';
import { latestCheckpoint } from '#shared/ledger/checkpoints.ts';
import { growTreeFrom } from '#shared/ledger/growing_tree.ts';
import { leafHash } from '#shared/events/log/leaf.ts';
import { signNote } from '#shared/ledger/signed_note.ts';
import { verifyLog } from '#shared/ledger/verify/verify_log.ts';
import { verifyRange } from '#shared/ledger/verify/verify_range.ts';
import { signedLog } from '#test/helpers/signed_log.ts';
import { SIGNED, SIZE, tampering } from '#test/helpers/tampering.ts';

test('a checkpoint that was changed in any way is found', async t => {
  const { after } = await tampering(t);
  for (const size of [SIGNED, SIZE])
    for (const change of [
      `root_hash = sha256('other')`,
      `note = replace(note, E'\\n${size}\\n', E'\\n${size - 1}\\n')`,
      `note = replace(note, '/sandbox', '/production')`,
      `note = left(note, -8) || E'AAAAAAA\\n'`,
      `note = (select o.note from log_checkpoints o where o.org_id = log_checkpoints.org_id and o.size <> log_checkpoints.size)`,
      `kid = 'another'`,
      `size = size - 1`,
    ]) {
      const { seq, reason } = await after(`update log_checkpoints set ${change} where mine and size = ${size}`);
      t.is(seq, size === SIGNED ? 1 : SIGNED + 1, `${size}: ${change}`);
      t.regex(reason, /checkpoint/);
    }
  const { seq, reason } = await after(`delete from log_checkpoints where mine and size = ${SIZE}`);
  t.is(seq, SIGNED + 1);
  t.regex(reason, /newest checkpoint/);
});

test('a checkpoint by a key that is not ours proves nothing, also where that key was put among ours', async t => {
  const { after, asOwner, db, tenant } = await tampering(t);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const kid = hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
  const name = `127.0.0.1/${tenant.org_id}/sandbox`;
  const root = Buffer.from((await latestCheckpoint(db, tenant))?.root_hash ?? '', 'hex');
  const note = signNote(checkpointText({ origin: name, size: SIZE, root }), {
    name,
    public_key: Buffer.from(x, 'base64url'),
    sign: bytes => sign(null, bytes, privateKey),
  });
  const { seq, part } = await after(async () => {
    await asOwner(
      `insert into log_signing_keys select $1, $2, sealed_private_key, endorsement, now(), now() from log_signing_keys limit 1`,
      [kid, x],
    );
    await asOwner('update log_checkpoints set note = $1, kid = $2 where size = $3', [note, kid, SIZE]);
  });
  t.deepEqual([seq, part?.seq], [SIGNED + 1, 1]);
  const removed = await after('delete from log_signing_keys');
  t.is(removed.seq, 1, 'nor one by a key that was removed from ours');
});

test('a right edge, a size, or a last checkpoint of the tree that was changed is found', async t => {
  const { after } = await tampering(t);
  for (const [change, first] of [
    [`edge = sha256('other') || substr(edge, 33)`, 1],
    [`edge = substr(edge, 1, 32 * 18) || sha256('other') || substr(edge, 1 + 32 * 19)`, 19],
    [`edge = substr(edge, 1, 32 * 19)`, 1],
    [`size = size - 1`, 1],
    [`size = 19, edge = substr(edge, 1, 32 * 19)`, 20],
    [`size = 21, edge = edge || sha256('other')`, 21],
    [`size = 0, edge = ''`, 1],
    [`checkpoint_size = ${SIGNED}`, SIGNED + 1],
    [`checkpoint_size = 30`, SIZE + 1],
    [`origin = 'elsewhere'`, 1],
  ] as const)
    t.is((await after(`update log_trees set ${change} where mine`)).seq, first, change);
});

test('who changes an event and computes everything anew but the signature is given away by the checkpoint', async t => {
  const { after, asOwner, tenant, as } = await tampering(t);
  const { data } = (await as.get('/v1/events')).body;
  const ids: string[] = data.map(({ id }: { id: string }) => id).toReversed();
  const rewrite =
    (seq: number, more: (root: Buffer) => Promise<unknown> = async () => {}) =>
    async () => {
      const tree = growTreeFrom(0, Buffer.alloc(0));
      for (const [index, id] of ids.entries()) {
        const event = (await as.get(`/v1/events/${id}`)).body;
        const input = canonicalJson(event.input).replace('"pay_', index + 1 === seq ? '"pAy_' : '"pay_');
        const event_digest = hash('sha256', input);
        const leaf = leafHash({ seq: index + 1, received_at: event.received_at, event_digest });
        tree.add(leaf, 0);
        if (index + 1 === seq)
          await asOwner(
            `update events set input = $1::text, payment_id = $1::text::jsonb -> 'payment' ->> 'payment_id', event_digest = decode($2, 'hex'), leaf_hash = $3 where id = $4`,
            [input, event_digest, leaf, id],
          );
      }
      await asOwner('update log_trees set edge = $1 where org_id = $2', [tree.edge(), tenant.org_id]);
      await more(tree.root());
    };
  const old = await after(rewrite(3));
  t.deepEqual([old.seq, old.part?.seq], [1, 1]);
  t.regex(old.reason, /do not lead to the root that was signed/);
  const recent = await after(rewrite(15));
  t.deepEqual([recent.seq, recent.part?.seq], [SIGNED + 1, 1]);
  const withRoot = await after(
    rewrite(15, root => asOwner('update log_checkpoints set root_hash = $1 where size = $2', [root, SIZE])),
  );
  t.is(withRoot.seq, SIGNED + 1);
});

test('tiles that were changed, removed or added are found, and from which event on', async t => {
  const { send, publish, services, tenant, asOwner } = await signedLog(t);
  await send(600);
  await publish();
  const verify = async () => (await verifyLog(services, tenant)).flaw;
  const part = async () => (await verifyRange(services, tenant, { from_seq: 500, to_seq: 600 })).flaw;
  t.is(await verify(), null);
  t.is(await part(), null);
  await asOwner('create temp table kept as table log_tiles');
  for (const [statement, seq, partly] of [
    [
      `update log_tiles set hashes = substr(hashes, 1, 32 * 9) || sha256('other') || substr(hashes, 1 + 32 * 10) where tile_index = 0`,
      10,
      undefined,
    ],
    [`update log_tiles set hashes = substr(hashes, 1, 32 * 255) || sha256('other') where tile_index = 1`, 512, 500],
    [`delete from log_tiles where tile_index = 1`, 257, 500],
    [
      `insert into log_tiles select org_id, environment, 1, 0, hashes from log_tiles where tile_index = 0`,
      null,
      undefined,
    ],
  ] as const) {
    await asOwner(statement);
    t.is((await verify())?.seq, seq, statement);
    t.is((await part())?.seq, partly, statement);
    await asOwner('delete from log_tiles; insert into log_tiles table kept;');
  }
  t.is(await verify(), null);
});
