import test from 'ava';
import { createPool, sql, WrongRole } from '#shared/platform/db.ts';
import { SERVICE_ROLE } from '#shared/platform/service_role.ts';
import { testDatabase } from '#test/helpers/database.ts';

test('a new connection is asked for its role before its first statement, and not again', async t => {
  const { owner_url } = await testDatabase(end => t.teardown(end));
  const open = async (role?: string) => {
    const options = { max: 1, application_name: 'test', must_act_as: SERVICE_ROLE };
    const db = await createPool(owner_url, role === undefined ? options : { ...options, role });
    t.teardown(() => db.end());
    return db;
  };
  const owner = await open();
  for (let turn = 0; turn < 2; turn += 1)
    t.true((await t.throwsAsync(owner.query(sql.unsafe`select 1`))) instanceof WrongRole);

  const service = await open(SERVICE_ROLE);
  await service.query(sql.unsafe`select 1`);
  // A second question would find out.
  await service.query(sql.unsafe`set role none`);
  await t.notThrowsAsync(service.query(sql.unsafe`select 1`));
});
