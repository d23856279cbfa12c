import { createServer } from 'node:http';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { adminOf, adminProcessOf, settingsOf } from '#test/helpers/admin.ts';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { listening } from '#test/helpers/listening.ts';
import { world } from '#test/helpers/world.ts';

const header = 'entry_id,action,type,name,aliases,country,keys';
const rows = [
  '1,deny,organization,Halvorsen Ocean Shipping Ltd,Halvorsen Lines,Norway,eip155:8453:0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  ...Array.from(
    { length: 9 },
    (_, index) => `f${index},deny,person,Quarzwerk Bergstrom ${'abcdefghi'[index]}x,Quarzwerk ${'abcdefghi'[index]}x,,`,
  ),
];
const csv = (lines: readonly string[]) => [header, ...lines, ''].join('\n');

/** The tool on the database of a running service, and a folder for its files. */
async function operator(t: ExecutionContext, settings: Record<string, string> = {}) {
  const here = await world(t, { own_database: true });
  const folder = await temporaryFolder(t);
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const all = { ...settingsOf(here), DATA_DIR: folder, ...settings };
  const load = (path: string, ...more: string[]) =>
    ['list', 'load', '--format', 'csv', '--name', 'mine', ...more, path] as const;
  return { ...here, admin: adminOf(t, all), adminProcess: adminProcessOf(t, all), folder, file, load };
}

test('a list is loaded from a file, and a running service screens by it at once', async t => {
  const { admin, file, load, as } = await operator(t);
  const name = 'Halvorsen Ocean Shipping Ltd';
  t.is((await as.post('/v1/screen', { payee: { name } })).status, 422);
  const made = await admin.json(...load(await file('a.csv', csv(rows))));
  const { sha256, account, ...counts } = made;
  t.deepEqual(counts, { name: 'mine', version: 1, entries: 10, added: 10, removed: 0, changed: 0, warnings: [] });
  t.like(account, { read: { names: 20, wallets: 1, countries: 1 }, of_no_use: 0, not_understood: [] });
  t.regex(sha256, /^[0-9a-f]{64}$/);
  const { screening } = (await as.post('/v1/screen', { payee: { name } })).body;
  t.like(screening.matches[0], { list: 'mine', entry_id: '1', score: 1 });
  const next = await admin.json(...load(await file('b.csv', csv(rows.slice(1)))));
  t.like(next, { version: 2, entries: 9, added: 0, removed: 1, changed: 0 });
  const [shown, ...others] = (await admin.json('list', 'show')).data;
  t.deepEqual(others, []);
  t.like(shown, { name: 'mine', version: 2, format: 'csv', entries: 9, scope: 'everyone', stale: false, error: null });
  t.true(shown.age_s < 60);
  t.like(shown.account, { read: { names: 18, wallets: 0 }, not_understood: [] });
  t.deepEqual((await as.get('/v1/screening-lists')).body.data[0].account, shown.account);
  const { stdout } = await admin.type('list', 'show');
  t.regex(stdout, /^name +version [^]*\nmine read: 18 names, 0 addresses, 0 documents, .*; 0 items of no use\.\n$/);
});

test('what was not understood of a list is told by whoever loads and shows it, with a warning where it is much', async t => {
  const { admin, file } = await operator(t);
  const header =
    'id,schema,name,aliases,birth_date,countries,addresses,identifiers,sanctions,phones,emails,palm_prints';
  const path = await file('targets.csv', `${header}\nx1,Person,Zorvan Quillfeather,,1961,qq,,,,,,left\n`);
  const words = ['list', 'load', '--format', 'opensanctions', '--name', 'os', path];
  const loaded = await admin.json(...words);
  t.deepEqual(loaded.account.not_understood, [
    { label: 'country', items: 1, examples: ['qq'] },
    { label: 'palm_prints', items: 1, examples: ['left'] },
  ]);
  t.regex(loaded.warnings[0], /^2 of 4 items were not understood, .*: country \(1\), palm_prints \(1\)\./);
  t.deepEqual((await admin.json('list', 'show')).data[0].account, loaded.account);
  const { stdout } = await admin.type(...words);
  t.regex(
    stdout,
    /\nNot understood, so it cannot be matched:\n {2}1 {2}country: qq\n {2}1 {2}palm_prints: left\nWARNING: 2 of 4 /,
  );
  t.is((await admin.json(...words)).version, 1, 'the same, read in the same way');
});

test('what is no list, or a shrunken one, is refused with what would be right, and the old one stays in use', async t => {
  const { admin, file, load } = await operator(t);
  await admin.json(...load(await file('a.csv', csv(rows))));
  const refused: [string[], object][] = [
    [[...load(await file('empty.csv', csv([])))], { code: 'unprocessable', details: [{ code: 'empty_list' }] }],
    [
      [...load(await file('few.csv', csv(rows.slice(5))))],
      { code: 'unprocessable', details: [{ code: 'shrunken_list' }] },
    ],
    [[...load(await file('half.csv', `${csv(rows)}x,maybe,person,Who,,,\n`))], { code: 'invalid_request' }],
    [[...load('/nowhere/list.csv')], { code: 'invalid_request' }],
    [['list', 'load', '--format', 'xlsx', '--name', 'mine', '/tmp'], { details: [{ path: '/format' }] }],
    [['list', 'load', '--format', 'csv', '--name', 'x'.repeat(65), '/tmp'], { details: [{ path: '/name' }] }],
    [[...load('/tmp', '--org', 'Nobody')], { code: 'not_found' }],
  ];
  for (const [words, error] of refused) t.like(await admin.error(...words), { exit: 1, ...error }, words.join(' '));
  t.like((await admin.json('list', 'show')).data[0], { version: 1, entries: 10 });
  const insisted = await admin.json(...load(await file('few.csv', csv(rows.slice(5))), '--allow-shrink'));
  t.like(insisted, { version: 2, entries: 5, removed: 5 });
});

test('a list is taken out of use, which every organization it concerns can read in its audit log', async t => {
  const { admin, file, load, as, person } = await operator(t);
  await admin.json(...load(await file('a.csv', csv(rows))));
  await admin.json('list', 'load', '--format', 'csv', '--name', 'own', '--org', 'Acme', await file('b.csv', csv(rows)));
  t.deepEqual(await admin.json('list', 'remove', '--name', 'mine'), { name: 'mine', version: 2, removed: 10 });
  t.deepEqual((await admin.json('list', 'show')).data, []);
  t.is((await as.get('/v1/screening-lists')).body.data[0].name, 'own');
  await admin.json('list', 'remove', '--name', 'own', '--org', 'Acme');
  t.is((await as.post('/v1/screen', { payee: { name: 'Anybody' } })).body.error.code, 'no_lists');
  const { data } = (await (await person('owner')).get('/v1/audit-log?action=screening_list.removed')).body;
  t.deepEqual(
    data.map(({ target_id }: { target_id: string }) => target_id),
    ['own', 'mine'],
  );
  t.like(data[1], { actor_id: null, after: { version: 2, removed: 10 } });
  t.like(await admin.error('list', 'remove', '--name', 'mine'), { exit: 1, code: 'not_found' });
});

test('a list that the service fetches by itself is not removed while it would come back', async t => {
  const { admin } = await operator(t, {
    SCREENING_LISTS: JSON.stringify({ fetched: { format: 'csv', urls: ['https://lists.example.com/own.csv'] } }),
  });
  t.like(await admin.error('list', 'remove', '--name', 'fetched'), { exit: 1, code: 'conflict' });
});

test('a list of an organization is its own', async t => {
  const { admin, file, load, as, person } = await operator(t);
  await admin.json(...load(await file('a.csv', csv(rows)), '--org', 'Acme'));
  t.deepEqual((await admin.json('list', 'show')).data, []);
  t.like((await admin.json('list', 'show', '--org', 'Acme')).data[0], { name: 'mine', scope: 'organization' });
  t.is((await as.get('/v1/screening-lists')).body.data[0].name, 'mine');
  const { data } = (await (await person('owner')).get('/v1/audit-log?action=screening_list.loaded')).body;
  t.like(data[0], { target_id: 'mine', actor_id: null, after: { version: 1, entries: 10, by: 'operator' } });
});

test('a list of everybody is in the audit log of every organization that is screened by it', async t => {
  const { admin, file, load, person } = await operator(t);
  await admin.json('org', 'create', '--name', 'Other');
  await admin.json(...load(await file('a.csv', csv(rows))));
  const { data } = (await (await person('owner')).get('/v1/audit-log?action=screening_list.loaded')).body;
  t.is(data.length, 1);
  t.like(data[0], {
    target_id: 'mine',
    actor_id: null,
    after: { name: 'mine', version: 1, added: 10, by: 'operator' },
  });
});

test('the threshold of an organization is set, and its payees are due again', async t => {
  const { admin, as, file, load } = await operator(t);
  await admin.json(...load(await file('a.csv', csv(rows))));
  t.deepEqual(await admin.json('screening', 'set', '--org', 'Acme', '--threshold', '0.5'), { threshold: 0.5 });
  const { screening } = (await as.post('/v1/screen', { payee: { name: 'Halvorsen Fishing AS' } })).body;
  t.like(screening, { threshold: 0.5, state: 'potential_match' });
  for (const wrong of ['2', '-0.1', 'high', ' '])
    t.like(await admin.error('screening', 'set', '--org', 'Acme', '--threshold', wrong), {
      exit: 1,
      details: [{ path: '/threshold' }],
    });
  t.is((await admin.json('queues', 'status')).rows.rescreens_unfinished, 2, 'because of the list, and of the setting');
});

test('a CSV file is screened row by row, and written with what was found', async t => {
  const { admin, adminProcess, file, load, folder } = await operator(t);
  await admin.json(...load(await file('a.csv', csv(rows))));
  const path = await file(
    'payees.csv',
    [
      'Name,ref,key,country',
      '"Halvorsen Ocean Shipping, Ltd.",A1,,Norway',
      'Bakery Anna,A2,domain:bakery.example.com,',
      ',"quoted ""x""",eip155:8453:0x209693bc6afc0c5328ba36faf03c514ef312287c,',
      '…,A4,,Norway',
      '',
    ].join('\n'),
  );
  const { code, stdout, stderr } = await adminProcess.type('screen', path);
  t.deepEqual([code, stderr], [0, ''], 'no progress where nobody watches');
  const [first, ...lines] = stdout.trimEnd().split('\n');
  t.is(first, 'name,ref,key,country,state,score,list,entry_id,matched_name,match_type,explanation');
  t.regex(lines[0] ?? '', /^"Halvorsen Ocean Shipping, Ltd\.",A1,,Norway,potential_match,1,mine,1,/);
  t.is(lines[1], 'Bakery Anna,A2,domain:bakery.example.com,,clear,0,,,,,');
  t.regex(lines[2] ?? '', /^,"quoted ""x""",eip155:8453:0x2096\w+,,potential_match,1,mine,1,.*,address,/);
  t.is(lines[3], '…,A4,,Norway,not_screened,0,,,,,', 'nobody is named');
  t.is(lines.length, 4);

  const out = join(folder, 'out.csv');
  const told = await admin.json('screen', path, '--out', out);
  t.like(told, { screened: 3, potential_matches: 2, clear: 1, not_screened: 1, threshold: 0.85, truncated: false });
  t.deepEqual(
    told.matches.map(({ row }: { row: number }) => row),
    [1, 3],
  );
  t.is(await readFile(out, 'utf8'), stdout);
  const none = await admin.type('screen', await file('none.csv', 'name\n'));
  t.regex(none.stdout, /^name,state,.*\n$/);
});

test('what cannot be screened says why', async t => {
  const { admin, file, load } = await operator(t);
  const payees = await file('payees.csv', 'name\nx\n');
  t.like(await admin.error('screen', payees), { exit: 1, code: 'no_lists' });
  await admin.json(...load(await file('a.csv', csv(rows))));
  const latin = await file('latin.csv', '');
  await writeFile(latin, Buffer.from('name\nMüller\n', 'latin1'));
  for (const [path, options] of [
    [await file('e.csv', ''), []],
    [await file('h.csv', 'reference,amount\n1,2\n'), []],
    [await file('q.csv', 'name,country\n"x,y\n'), []],
    [await file('twice.csv', 'name,Name\nx,y\n'), []],
    [latin, []],
    ['/nowhere.csv', []],
    [payees, ['--threshold', '7']],
    [payees, ['--out', '/nowhere/out.csv']],
  ] as const)
    t.like(await admin.error('screen', path, ...options), { exit: 1, code: 'invalid_request' }, path);
});

test('what is screened to a file takes the place of that file when all of it is written, and never that of its input', async t => {
  const { admin, file, load, folder } = await operator(t);
  await admin.json(...load(await file('a.csv', csv(rows))));
  const payees = await file('payees.csv', 'name\nBakery Anna\n');
  const link = join(folder, 'link.csv');
  await symlink(payees, link);
  for (const out of [payees, link, join(folder, '.', 'payees.csv')])
    t.regex((await admin.error('screen', payees, '--out', out)).message, /is the file that is screened/);
  t.is(await readFile(payees, 'utf8'), 'name\nBakery Anna\n');
  const out = await file('out.csv', 'what was there\n');
  const before = await readdir(folder);
  for (const content of ['reference\n1\n', `name\n${'x\n'.repeat(500)}"y\n`]) {
    await writeFile(payees, content);
    t.like(await admin.error('screen', payees, '--out', out), { code: 'invalid_request' });
    t.is(await readFile(out, 'utf8'), 'what was there\n');
  }
  await writeFile(payees, 'name\nBakery Anna\n');
  t.like(await admin.json('screen', payees, '--out', out), { screened: 1 });
  t.regex(await readFile(out, 'utf8'), /^name,state,.*\nBakery Anna,clear,/);
  t.deepEqual(await readdir(folder), before, 'nothing is left beside it');
});

test('a threshold is taken to four decimals', async t => {
  const { admin, as, file, load } = await operator(t);
  await admin.json(...load(await file('a.csv', csv(rows))));
  const set = await admin.json('screening', 'set', '--org', 'Acme', '--threshold', '0.876549');
  t.deepEqual(set, { threshold: 0.8765 });
  const { screening } = (await as.post('/v1/screen', { payee: { name: 'x' }, threshold: 0.123456 })).body;
  t.is(screening.threshold, 0.1235);
  t.is((await as.post('/v1/screen', { payee: { name: 'x' }, threshold: 1.00001 })).status, 400);
});

test('a list that is configured and was never loaded is shown with why', async t => {
  const mine = { format: 'csv', urls: ['http://127.0.0.1:9/list.csv'], every: '6h', allow_private: true };
  const { admin } = await operator(t, { SCREENING_LISTS: JSON.stringify({ mine }) });
  const show = async () => (await admin.json('list', 'show')).data;
  t.deepEqual(
    (await show()).map(({ name, version, error }: Record<string, unknown>) => [name, version, error]),
    [['mine', 0, null]],
  );
  await admin.error('list', 'fetch');
  const [shown] = await show();
  t.like(shown, { name: 'mine', format: 'csv', entries: 0, scope: 'everyone', stale: true, loaded_at: null });
  t.truthy(shown.error);
});

test('a list that is configured is fetched now, left where it is unchanged, and says why it failed', async t => {
  let [content, status, asked] = [csv(rows), 200, 0];
  const server = createServer((request, response) => {
    asked += 1;
    const etag = `"${content.length}"`;
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
    response.writeHead(status, { etag }).end(content);
  });
  const url = `http://127.0.0.1:${await listening(t, server)}/list.csv`;
  const mine = { format: 'csv', urls: [url], every: '6h', allow_private: true };
  const { admin } = await operator(t, { SCREENING_LISTS: JSON.stringify({ mine }) });
  const fetched = await admin.json('list', 'fetch');
  t.like(fetched.data[0], { name: 'mine', state: 'loaded', version: 1, entries: 10 });
  t.like((await admin.json('list', 'fetch', '--name', 'mine')).data[0], { name: 'mine', state: 'unchanged' });
  content = csv(rows.slice(0, 9));
  t.like((await admin.json('list', 'fetch')).data[0], { state: 'loaded', version: 2, removed: 1 });
  [content, status] = ['gone', 500];
  const error = await admin.error('list', 'fetch');
  t.like(error, { exit: 1, code: 'unprocessable' });
  t.regex(error.message, /mine: .*answered 500.*stays in use/);
  const [shown] = (await admin.json('list', 'show')).data;
  t.regex(shown.error, /answered 500/);
  t.is(shown.version, 2);
  t.like(await admin.error('list', 'fetch', '--name', 'other'), { exit: 1, code: 'not_found' });
  t.is(asked, 4);
});

test('a setting for lists that is wrong says what would be right', async t => {
  const { admin } = await operator(t, { SCREENING_LISTS: '{"ofac":{"format":"excel","urls":["x"]}}' });
  const { exit, message } = await admin.error('list', 'show');
  t.is(exit, 1);
  t.regex(message, /SCREENING_LISTS: It must be JSON like \{"ofac"/);
});
