import { join } from 'node:path';
import test from 'ava';
import { adminOf } from '#test/helpers/admin.ts';
import { temporaryFolder, queryAt } from '#test/helpers/embedded_postgres.ts';
import { inhabit } from '#test/helpers/inhabit.ts';
import { world } from '#test/helpers/world.ts';

test('probe', async t => {
  const here = await world(t, { own_database: true });
  console.log(Date.now());
  await inhabit(here);
  console.log(Date.now());
  const rows = await queryAt(
    here.database.owner_url,
    `select c.relname, (xpath('/row/c/text()', query_to_xml(format('select count(*) as c from %I', c.relname), false, true, '')))[1]::text as n from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  );
  console.log(
    rows
      .filter(r => r['n'] === '0')
      .map(r => r['relname'])
      .join(' '),
  );
  const admin = adminOf(t, {
    DATABASE_URL: here.database.owner_url,
    DATA_DIR: here.config.data_dir,
    SECRET_KEY: here.config.secret_key[0].toString('base64'),
  });
  const folder = await temporaryFolder(t);
  console.log(await admin.json('backup', 'create', join(folder, 'a.backup')), Date.now());
  console.log(await admin.type('backup', 'verify', join(folder, 'a.backup'), '--json'), Date.now());
  console.log(
    await admin.type('backup', 'restore', join(folder, 'a.backup'), '--data-dir', join(folder, 'data'), '--json'),
    Date.now(),
  );
  t.pass();
});
