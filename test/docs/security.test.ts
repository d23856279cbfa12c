import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';

const text = readFileSync('docs/security.md', 'utf8');
const levels = JSON.parse(readFileSync('test/fixtures/asvs_5.0.0.json', 'utf8')) as Record<string, number>;
const ids = Object.keys(levels);

type Row = { ids: string[]; where: string; why: string };

/** The rows of the tables of requirements. */
const rows: Row[] = text
  .split('\n')
  .filter(line => /^\| \d+\.\d+\.\d+/.test(line))
  .map(line => {
    const [name = '', where = '', why = ''] = line.split(' | ');
    return { ids: name.match(/\b\d+\.\d+\.\d+\b/g) ?? [], where, why };
  });

/** The sections, and chapters, that do not apply as a whole. */
const aside = [...text.matchAll(/^- \*\*V([\d.]+)\*\* \S+/gm)].map(([, section = '']) => section);
const isAside = (id: string) => aside.some(section => id.startsWith(`${section}.`));

const stateOf = ({ where }: Row) =>
  where.startsWith('**Not met**')
    ? 'not met'
    : where.startsWith('**Operator**')
      ? 'operator'
      : where.startsWith('Not applicable')
        ? 'not applicable'
        : 'met';

test('every requirement of levels 1 and 2 is answered once, in a row or with its section', t => {
  t.is(ids.length, 253);
  const answered = rows.flatMap(row => row.ids);
  t.deepEqual(
    answered.filter((id, index) => answered.indexOf(id) !== index),
    [],
    'answered twice',
  );
  t.deepEqual(
    ids.filter(id => answered.includes(id) === isAside(id)),
    [],
    'not answered, or twice',
  );
  t.deepEqual(
    answered.filter(id => !ids.includes(id)),
    [],
    'of another level, or none',
  );
  t.deepEqual(
    aside.filter(section => !ids.some(id => id.startsWith(`${section}.`))),
    [],
    'no section',
  );
});

test('every row says where it is met and how that is known, or why not', t => {
  for (const row of rows) {
    const name = row.ids.join(', ');
    t.true(row.where.length > 4 && row.why.length > 10, name);
    if (stateOf(row) === 'met') t.regex(row.where, /`[^`]+`|\]\([\w.]*#/, name);
  }
});

test('every file and test that it names is there', t => {
  const named = [...text.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name);
  const files = named.filter(name => /^(?:api|bin|docs|shared|sql|test|workers|\.ci)\/|\.(?:json|yaml)$/.test(name));
  t.true(files.length > 200, `${files.length}`);
  t.deepEqual(
    [...new Set(files)].filter(name => !existsSync(name)),
    [],
  );
});

test('the counts of the introduction are those of the tables', t => {
  const count = (state: string) =>
    rows.filter(row => stateOf(row) === state).reduce((sum, row) => sum + row.ids.length, 0);
  const left_out = ids.filter(isAside).length;
  const said =
    /Of (\d+) requirements (\d+) are met, (\d+) are not met, (\d+) are up to the operator, and (\d+) do not apply/;
  t.deepEqual(said.exec(text)?.slice(1).map(Number), [
    ids.length,
    count('met'),
    count('not met'),
    count('operator'),
    count('not applicable') + left_out,
  ]);
});
