import { readFileSync } from 'node:fs';
import test from 'ava';
import { describeSchema } from '#sql/schema.ts';
import { testDatabase } from '#test/helpers/database.ts';

test('schema.sql is what the migrations have come to, with a sentence on every table and column', async t => {
  const { owner_url } = await testDatabase(t.teardown);
  const schema = await describeSchema(owner_url);
  t.is(readFileSync('sql/schema.sql', 'utf8'), schema, 'run npm run schema');
  const tables = schema.split('\n\n').slice(1);
  t.true(tables.length > 80);
  for (const table of tables) {
    t.regex(table, /^-- [A-Z].*\.\ncreate table /);
    const columns = (table.split('\n)')[0] ?? '').split('\n').filter(line => /^ {2}[a-z]/.test(line));
    for (const column of columns) t.regex(column, / -- [`A-Z].*\.$/);
  }
});
