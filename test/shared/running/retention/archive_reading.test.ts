import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { stateArchived } from '#shared/ledger/archive_statement.ts';
import { latestCheckpoint } from '#shared/ledger/checkpoints.ts';
import { currentSigningKey } from '#shared/ledger/signing_keys.ts';
import { listArchives } from '#shared/packs/archive/archives.ts';
import { checkArchive } from '#shared/packs/archive/check_archive.ts';
import { makeArchive } from '#shared/packs/archive/make_archive.ts';
import { openArchive } from '#shared/packs/archive/open_archive.ts';
import { withArchived } from '#shared/packs/archive/with_archived.ts';
import { createZip } from '#shared/packs/zip.ts';
import { sql } from '#shared/platform/db.ts';
import { DAYS, oldLog } from '#test/helpers/old_log.ts';

/** A log whose old events are in an archive. */
async function archivedLog(t: ExecutionContext) {
  const w = await oldLog(t);
  await w.keep(DAYS);
  w.pass(DAYS + 1);
  await w.run();
  const [archive] = await listArchives(w.db, w.tenant, 1, 1);
  if (!archive) throw new Error('nothing was archived');
  return { ...w, made: archive };
}

test('archived events are read beside a pack over them, and an archive is fetched once for many', async t => {
  const w = await archivedLog(t);
  const { storage } = w.services;
  const { get } = storage;
  let fetched = 0;
  storage.get = (...asked) => {
    fetched += 1;
    return get(...asked);
  };
  const [held, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const work = async () => {
    held.resolve();
    await end.promise;
  };
  const pack = withArchived(w.services, w.tenant, [8], work, { begin: sql.fragment`select` });
  await held.promise;
  fetched = 0;
  const answers = await Promise.all(w.all.slice(0, 40).map(({ id }) => w.as.get(`/v1/events/${id}`)));
  t.deepEqual(
    answers.map(({ status, body }) => [status, body.chain_seq]),
    w.all.slice(0, 40).map((_, index) => [200, index + 1]),
  );
  t.is(fetched, 1);
  end.resolve();
  await pack;
});

test('proofs of archived events need no archive', async t => {
  const w = await archivedLog(t);
  await rm(join(w.config.data_dir, 'files', w.made.file));
  const id = w.all[20]?.id;
  t.is((await w.as.get(`/v1/events/${id}`)).status, 503);
  t.like((await w.as.get(`/v1/log/proof?event_id=${id}`)).body, { event_id: id, chain_seq: 21 });
});

test('what is written to an archive is checked as log verify checks it', async t => {
  const w = await oldLog(t);
  const checkpoint = await latestCheckpoint(w.db, w.tenant);
  if (!checkpoint) return t.fail();
  const make = () =>
    makeArchive(w.services, w.tenant, { from_seq: 1, to_seq: 256, file: 'archives/x.zip' }, checkpoint);
  t.like(await make(), { to_seq: 256, evidence_values: 6 });
  await w.asOwner('alter table events disable trigger user');
  await w.asOwner('update events set amount_usd_micro = 1, amount_usd_minor = 0 where chain_seq = 8');
  await t.throwsAsync(make, { message: /Event 8 is not as it was stored: its column amount_usd_mi/ });
  await w.asOwner(
    "update events set amount_usd_micro = (input::jsonb #>> '{payment,amount,value}')::numeric where chain_seq = 8",
  );
  await w.asOwner(
    "update evidence set value = 'forged' where position = 0 and event_id = (select id from events where chain_seq = 6)",
  );
  await t.throwsAsync(make, { message: /Event 6 is not as it was stored: its evidence 0 / });
  return t.pass();
});

test('the manifest of an archive is held against its signature and its files', async t => {
  const w = await archivedLog(t);
  const files = [
    'events.ndjson',
    'log/tiles.ndjson',
    'log/checkpoint',
    'log/keys.json',
    'manifest.json',
    'manifest.jws',
  ];
  const key = await currentSigningKey(w.services);
  /** The same archive with another content of one file, stated anew. */
  const changed = async (path: string) => {
    const opened = await openArchive(w.services.storage, w.made);
    const file = join(w.config.data_dir, 'changed.zip');
    const zip = await createZip(file, new Date(0));
    for (const name of files) {
      const bytes = await opened.bytes(name);
      await zip.add(name, [name === path ? `x${bytes.toString()}` : bytes]);
    }
    const { sha256 } = await zip.finish();
    await opened.close();
    await w.services.storage.put('archives/changed.zip', file);
    const { from_seq, to_seq, leaves_digest } = w.made;
    const statement = stateArchived(key, w.tenant, { from_seq, to_seq, leaves_digest, sha256 });
    return { ...w.made, file: 'archives/changed.zip', sha256, statement };
  };
  const refused = async (path: string, message: RegExp) => {
    const archive = await changed(path);
    await t.throwsAsync(checkArchive(w.services, w.tenant, archive), { name: 'DamagedArchive', message });
  };
  t.is(await checkArchive(w.services, w.tenant, await changed('')), 512);
  await refused('manifest.json', /manifest .* is not one that this deployment signed/);
  await refused('manifest.jws', /manifest .* is not one that this deployment signed/);
  await refused('log/keys.json', /keys.json in .* is not what the manifest names/);
  const forged = { ...w.made, statement: stateArchived(key, w.tenant, { ...w.made, to_seq: 256 }) };
  await t.throwsAsync(checkArchive(w.services, w.tenant, forged), { message: /not signed by this deployment/ });
});
