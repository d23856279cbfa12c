import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import test from 'ava';
import { listFormatNames } from '#shared/settings/screening_lists_setting.ts';
import { readList } from '#shared/screening/lists/read_list.ts';
import { ListEntry } from '#shared/screening/matcher/entry.ts';
import { fixture, readAll, readText } from '#test/fixtures/lists/reading.ts';

test('a list is known by the SHA-256 of its files, in the order in which they are read', async t => {
  const { summary } = await readAll('ofac-sdn', fixture('ofac'));
  const names = ['alt.csv', 'ADD.CSV', 'sdn_comments.csv', 'sdn.csv'];
  t.deepEqual(
    summary.files,
    names.map(name => fixture(`ofac/${name}`)),
  );
  const hash = createHash('sha256');
  for (const file of summary.files) hash.update(await readFile(file));
  t.is(summary.sha256, hash.digest('hex'));
});

test('a file that is read twice counts once in the hash', async t => {
  const path = fixture('entities.ftm.jsonl');
  const hash = createHash('sha256').update(await readFile(path));
  t.is((await readAll('opensanctions', path)).summary.sha256, hash.digest('hex'));
});

test('there is no summary of a list that was not read to its end', t => {
  t.throws(() => readList('un-xml', fixture('un.xml')).summary(), { message: /once it was read to its end/ });
});

test('every format gives entries of the one form', async t => {
  const lists = {
    'ofac-sdn': ['ofac'],
    'ofac-xml': ['ofac', 'ofac/sdn.xml'],
    'un-xml': ['un.xml'],
    'eu-csv': ['eu.csv'],
    'uk-csv': ['uk_sanctions_list.csv', 'conlist.csv'],
    opensanctions: ['entities.ftm.jsonl', 'targets.simple.csv'],
    csv: [],
  } as const;
  for (const name of listFormatNames) {
    for (const path of lists[name]) {
      const { entries } = await readAll(name, fixture(path));
      for (const entry of entries) t.deepEqual(ListEntry.parse(entry), entry);
    }
  }
});

test('texts lose control and direction characters and spaces too many', async t => {
  const dirty = ' "\u202eZorvan\u0007\u200b \t Quill\ufefffeather"\u2028 ';
  const line = JSON.stringify({
    id: 'a',
    schema: 'Person',
    properties: { name: [dirty], notes: ['one\r\n two', '\ud800'] },
  });
  const { entries } = await readText(t, 'opensanctions', 'e.json', line);
  t.is(entries[0]?.name, '"Zorvan Quillfeather"');
  t.is(entries[0]?.remarks, 'one two; \ufffd');
});

test('a name comes once in any case, strong where it is both, and not again where it is the primary one', async t => {
  const properties = { name: ['Nobody', 'NOBODY'], alias: ['Fog', 'Mist'], weakAlias: ['FOG', 'Haze'] };
  const { entries } = await readText(
    t,
    'opensanctions',
    'e.json',
    JSON.stringify({ id: 'a', schema: 'Person', caption: 'Nobody', properties }),
  );
  t.deepEqual(entries[0]?.aliases, [
    { name: 'Fog', weak: false },
    { name: 'Mist', weak: false },
    { name: 'Haze', weak: true },
  ]);
});

test('an entry without a name takes its first alias; one with nothing to match is skipped and counted', async t => {
  const lines = [
    { id: 'a', schema: 'Person', properties: { weakAlias: ['Haze'], alias: ['Fog'] } },
    { id: 'b', schema: 'Person', properties: { notes: ['nothing else'] } },
  ];
  const { entries, summary } = await readText(
    t,
    'opensanctions',
    'e.json',
    lines.map(line => JSON.stringify(line)).join('\n'),
  );
  t.like(entries, [{ name: 'Fog', aliases: [{ name: 'Haze', weak: true }] }]);
  t.like(summary, { entries: 1, skipped: 1 });
});

test('what is more than an entry may hold is left out, and such entries are counted', async t => {
  const alias = Array.from({ length: 600 }, (_, index) => `Alias ${index}`);
  const properties = {
    name: ['N'.repeat(1_500)],
    alias,
    email: Array.from({ length: 2_100 }, (_, index) => `${index}@a.example`),
  };
  const { entries, summary } = await readText(
    t,
    'opensanctions',
    'e.json',
    JSON.stringify({ id: 'a', schema: 'Person', properties }),
  );
  t.is(entries[0]?.name.length, 1_000);
  t.is(entries[0]?.aliases.length, 500);
  t.is(entries[0]?.keys.length, 2_000);
  t.is(summary.shortened, 1);
});
