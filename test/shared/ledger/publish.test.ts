import test, { type ExecutionContext } from 'ava';
import { checkpointAt, latestCheckpoint } from '#shared/ledger/checkpoints.ts';
import { growWhole } from '#test/helpers/grow_whole.ts';
import { openCheckpoint } from '#shared/ledger/checkpoint_text.ts';
import { publishCheckpoint } from '#shared/ledger/publish.ts';
import { publicKeys, rotateSigningKey } from '#shared/ledger/signing_keys.ts';
import { signedLog } from '#test/helpers/signed_log.ts';

/** A log that can be signed, and how often that was refused. */
async function signing(t: ExecutionContext, settings: Record<string, string> = {}) {
  const here = await signedLog(t, settings);
  return { ...here, faults: async () => (await here.services.metrics.logFaults.get()).values[0]?.value ?? 0 };
}

test('a checkpoint names the log, its size and its root, and is signed by a key that is published', async t => {
  const { send, publish, services, tenant, db } = await signing(t, { BASE_URL: 'https://oversight.example.com:8443/' });
  t.is(await publish(), null, 'there is nothing to sign');
  await send(3);
  const checkpoint = await publish();
  const origin = `oversight.example.com:8443/${tenant.org_id}/sandbox`;
  t.like(checkpoint, { size: 3 });
  if (!checkpoint) return;
  t.true(checkpoint.note.startsWith(`${origin}\n3\n`));
  const { keys } = await publicKeys(services);
  t.is(openCheckpoint(checkpoint, origin, keys)?.kid, keys[0]?.kid);
  t.is(openCheckpoint(checkpoint, 'another.example.com', keys), null);
  t.is(openCheckpoint(checkpoint, origin, []), null);
  t.deepEqual(await latestCheckpoint(db, tenant), checkpoint);
  t.deepEqual(await publish(), checkpoint, 'a log that has not grown is not signed again');
});

test('however many sign a log at once, a size is signed once', async t => {
  const { send, publish, db, tenant } = await signing(t);
  await send(10);
  const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => publish()));
  for (const other of others) t.deepEqual(other, first);
  await send(1);
  await Promise.all(Array.from({ length: 3 }, () => publish()));
  t.deepEqual([(await latestCheckpoint(db, tenant))?.size, (await checkpointAt(db, tenant, 10))?.size], [11, 10]);
});

test('who needs so many events covered is given the newest checkpoint where it covers them', async t => {
  const { send, publish } = await signing(t);
  await send(4);
  const first = await publish();
  await send(4);
  t.deepEqual(await publish({ at_least: 4 }), first);
  t.like(await publish({ at_least: 5 }), { size: 8 });
});

test('a log keeps the name it began with, and its old checkpoints hold, when the host and the key change', async t => {
  const { send, publish, services, tenant } = await signing(t, { BASE_URL: 'https://old.example.com' });
  await send(1);
  const first = await publish();
  await rotateSigningKey(services);
  await send(1);
  const moved = { ...services, config: { ...services.config, log_host: 'new.example.com' } };
  const second = await publishCheckpoint(moved, tenant);
  t.true(second?.note.startsWith(`old.example.com/${tenant.org_id}/sandbox\n2\n`));
  const { keys } = await publicKeys(services);
  const origin = `old.example.com/${tenant.org_id}/sandbox`;
  t.is(keys.length, 2);
  t.is(first && openCheckpoint(first, origin, keys)?.kid, keys[1]?.kid);
  t.is(second && openCheckpoint(second, origin, keys)?.kid, keys[0]?.kid);
});

// What somebody with the rights of the owner may have done since the last checkpoint; 300 events were signed.
const rewritten: Record<string, string> = {
  'whose right edge was changed': `update log_trees set edge = decode(repeat('00', octet_length(edge)), 'hex')`,
  'whose last checkpoint says another root': `update log_checkpoints set root_hash = sha256(root_hash)`,
  'whose last checkpoint has another text': `update log_checkpoints set note = replace(note, E'\\n300\\n', E'\\n299\\n')`,
  'whose last checkpoint was removed': `delete from log_checkpoints`,
  'whose signing key was replaced': `update log_signing_keys set x = 'y1WZ1ulkcj_4YvvKVh7bPnpyiqeMtXR8CXOYNH2PXWo'`,
  'whose name was changed': `update log_trees set origin = 'elsewhere'`,
  'that has become shorter': `with gone as (delete from events where chain_seq > 250) update event_logs set size = 250`,
  'that has a gap': `delete from events where chain_seq = 302`,
};

for (const [which, statement] of Object.entries(rewritten)) {
  test(`a log ${which} is not signed any further, and that is counted`, async t => {
    const { send, publish, asOwner, faults, db, tenant } = await signing(t);
    await send(300);
    await publish();
    await send(5);
    t.true((await asOwner(statement)) > 0);
    t.is(await publish(), null);
    t.is(await faults(), 1);
    t.true(((await latestCheckpoint(db, tenant))?.size ?? 0) <= 300);
  });
}

test('a tree whose tiles do not lead to what was signed any more is not signed', async t => {
  const { send, publish, asOwner, faults, db, tenant } = await signing(t);
  await send(200);
  await publish();
  await send(100);
  await growWhole(db, tenant, 'unused');
  t.is(await asOwner(`update log_tiles set hashes = sha256('another leaf') || substr(hashes, 33)`), 1);
  t.is(await publish(), null);
  t.is(await faults(), 1);
});
