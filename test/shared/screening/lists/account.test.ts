import { readdir, readFile } from 'node:fs/promises';
import test from 'ava';
import { accountWarnings, startAccount } from '#shared/screening/account.ts';
import type { KeyType, ListEntry } from '#shared/screening/matcher/entry.ts';
import { screen } from '#shared/screening/matcher/screen.ts';
import type { ListFormatName } from '#shared/settings/screening_lists_setting.ts';
import { fixture, readAll, readText } from '#test/fixtures/lists/reading.ts';
import { listOf, query } from '#test/shared/screening/matcher/helpers.ts';

/** What a text holds, found by looks alone: no format is known here, and no entry. */
type Dumb = { names: RegExp[]; keys: [KeyType, RegExp][] };

const anywhere: [KeyType, RegExp][] = [
  ['wallet', /\b(1Fictiona\w+|0xf1c7\w+)/gi],
  ['email', /([\w.]+@[\w.-]+\.example)/g],
  ['domain', /((?:https?:\/\/|www\.)[\w.-]+\.example)/g],
  ['bic', /\b((?:FICT|NEBE)[A-Z]{2}\w\w)\b/g],
  ['imo', /\b(9074729|5342883)\b/g],
  [
    'document',
    /\b(A0042833|B7710042|TR-P 614166|84\.049\.097|7707083893|FIC-600351|FIC-77|FIC2192|LUNA-7|SE 012820|W334061)\b/g,
  ],
];
const inOfac: Dumb = {
  names: [/^9\d{4},"([A-Z][A-Za-z, -]+)",(?:"|-0-)/gm, /,"[afn]ka","([^"]+)"/g, /[afn]\.k\.a\. '([^']+)'/g],
  keys: anywhere,
};

const dumb: [ListFormatName, string, Dumb][] = [
  ['ofac-sdn', 'ofac', inOfac],
  ['ofac-sdn', 'cons', inOfac],
  ['ofac-xml', 'ofac/sdn.xml', { names: [/<lastName>([^<]+)</g], keys: anywhere }],
  ['ofac-xml', 'ofac/sdn_advanced.xml', { names: [/>([\p{L} ]{7,})<\/NamePartValue/gu], keys: anywhere }],
  [
    'un-xml',
    'un.xml',
    {
      names: [
        /<SECOND_NAME>([^<]+)</g,
        /<NAME_ORIGINAL_SCRIPT>([^<]+)</g,
        /ALIAS_NAME>["“]?([^"”<;]+)/g,
        /; ([A-Z ]+)</g,
      ],
      keys: anywhere,
    },
  ],
  ['eu-csv', 'eu.csv', { names: [/;([\p{L}]+ [\p{L}]+);;;;/gu], keys: anywhere }],
  [
    'uk-csv',
    'uk_sanctions_list.csv',
    { names: [/,(QUILLFEATHER,Zorvan|PHANTOM HERON|THE QUILL),/g, /,([\p{Script=Cyrillic} ]+),/gu], keys: anywhere },
  ],
  ['uk-csv', 'conlist.csv', { names: [/^([A-Z ,]+?),(?:,|Zorvan)/gm], keys: anywhere }],
  [
    'opensanctions',
    'entities.ftm.jsonl',
    { names: [/"(?:name|alias|previousName|weakAlias)": \["([^"]+)"/g], keys: anywhere },
  ],
  [
    'opensanctions',
    'targets.simple.csv',
    { names: [/^"fic-\d","\w+","([^"]+)"/gm, /;([\p{L}]+ [\p{L}]+)"/gu], keys: anywhere },
  ],
  [
    'csv',
    '../../../shared/screening/lists/fictional.csv',
    { names: [/,(?:person|organization|vessel),([^,]+),/g], keys: [] },
  ],
];

/** Weak aliases score 0.8 at most, and one word of several less. */
const LEAST = 0.7;

const textOf = async (path: string) => {
  const names = await readdir(path).catch(() => null);
  const files = names ? names.filter(name => /\.csv$/i.test(name)).map(name => `${path}/${name}`) : [path];
  return (await Promise.all(files.map(file => readFile(file, 'utf8')))).join('\n');
};

const found = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].map(([, value = '']) => value.trim())),
];

for (const [format, path, { names, keys }] of dumb)
  test(`each name and identifier in ${format} ${path.split('/').at(-1)} is matched, however it is found there`, async t => {
    const [text, { entries }] = [await textOf(fixture(path)), await readAll(format, fixture(path))];
    // Those in the file who are not listed.
    const notListed = /Cousin Quillfeather/;
    const lists = [listOf(entries as ListEntry[])];
    let looked = 0;
    for (const name of names.flatMap(pattern => found(text, pattern)).filter(each => !notListed.test(each))) {
      const { matches } = screen(lists, query({ name }), { threshold: LEAST, limit: 5 });
      t.true(matches.length > 0, name);
      looked += 1;
    }
    t.true(looked > 0);
    for (const [type, pattern] of keys) {
      for (const value of found(text, pattern)) {
        const { matches } = screen(lists, query({ keys: [{ type, value }] }), { threshold: 1, limit: 5 });
        t.true(matches.length > 0, `${type} ${value}`);
      }
    }
  });

test('what a file holds beyond what its reader knows is reported under its own name', async t => {
  const read = async (format: ListFormatName, path: string, name: string, change: (text: string) => string) =>
    (await readText(t, format, name, change(await readFile(fixture(path), 'utf8')))).summary.account.not_understood;
  const unknown = { label: 'PALM_PRINT', items: 1, examples: ['left, 7 lines'] };
  t.deepEqual(
    await read('un-xml', 'un.xml', 'un.xml', text =>
      text.replace('<DATAID>', '<PALM_PRINT>left, 7\nlines</PALM_PRINT><DATAID>'),
    ),
    [unknown],
  );
  t.like(
    await read('ofac-xml', 'ofac/sdn.xml', 'sdn.xml', text =>
      text.replace('<idList>', '<palms><palm>left</palm></palms><idList>'),
    ),
    [{ label: 'palms/palm', items: 1, examples: ['left'] }],
  );
  t.like(
    await read('ofac-xml', 'ofac/sdn_advanced.xml', 'sdn.xml', text => text.replace('>Website<', '>Palm Print<')),
    [{ label: 'Palm Print', items: 1, examples: ['www.nowhere-atlantic.example'] }],
  );
  t.like(await read('eu-csv', 'eu.csv', 'eu.csv', text => text.replace('NameAlias_Function', 'NameAlias_Palm')), [
    { label: 'namealias_palm', items: 1, examples: ['Minister of Absent Affairs'] },
  ]);
  t.like(
    await read('uk-csv', 'uk_sanctions_list.csv', 'uk.csv', text =>
      text.replace('Town of birth', 'Palm').replace('Country of birth', 'Other palm'),
    ),
    [{ label: 'other palm', items: 1, examples: ['Norway'] }],
  );
  t.like(
    await read('opensanctions', 'entities.ftm.jsonl', 'e.json', text =>
      text.replace('"position"', '"palmPrint"').replaceAll('"Address"', '"Palm"'),
    ),
    [
      { label: 'palmPrint', items: 1 },
      { label: 'schema Palm', items: 1 },
    ],
  );
  t.like(await read('opensanctions', 'targets.simple.csv', 't.csv', text => text.replace('"sanctions"', '"palms"')), [
    { label: 'palms', items: 1, examples: ['Listed 2026'] },
  ]);
  t.like(await read('ofac-sdn', 'ofac/sdn.csv', 'sdn.csv', text => text.replace('MMSI 572469210', 'Palm print 7')), [
    { label: 'Palm print', items: 1, examples: ['Palm print 7'] },
  ]);
});

test('an identifier that could match nothing, an unknown country and an unreadable date are reported', async t => {
  const header = 'id,schema,name,aliases,birth_date,countries,addresses,identifiers,emails';
  const { summary } = await readText(
    t,
    'opensanctions',
    'targets.csv',
    `${header}\nx,Person,Nobody,,in spring,qq,,,nobody at home\n`,
  );
  t.deepEqual(
    summary.account.not_understood.map(({ label, examples }) => [label, ...examples]),
    [
      ['country', 'qq'],
      ['date of birth', 'in spring'],
      ['email', 'nobody at home'],
    ],
  );
});

test('more than one item in a hundred that is not understood is a warning that names the labels', t => {
  const account = startAccount();
  for (let item = 0; item < 99; item += 1) account.read('names');
  account.miss('Palm print', `left ${'x'.repeat(200)}`);
  t.deepEqual(accountWarnings(account.total()), []);
  for (const text of ['right', 'right', 'both', 'none']) account.miss('Palm print', text);
  const total = account.total();
  t.deepEqual(total.not_understood, [
    { label: 'Palm print', items: 5, examples: [`left ${'x'.repeat(75)}`, 'right', 'both'] },
  ]);
  t.regex(accountWarnings(total)[0] ?? '', /^5 of 104 items were not understood, .*: Palm print \(5\)\./);
});

test('a file of nothing but unknown labels is reported in few words', t => {
  const account = startAccount();
  for (let label = 0; label < 5_000; label += 1) account.miss(`Label ${label}`, 'x');
  const { not_understood } = account.total();
  t.is(not_understood.length, 21);
  t.is(
    not_understood.reduce((sum, { items }) => sum + items, 0),
    5_000,
  );
});
