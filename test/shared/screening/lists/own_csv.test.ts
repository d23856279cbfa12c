import test from 'ava';
import { keysOf, namesOf, readText, refusal } from '#test/fixtures/lists/reading.ts';
import { search } from '#test/shared/screening/matcher/helpers.ts';

const header = 'action,type,name,aliases,country,keys\n';

test('a CSV file of one’s own is a list', async t => {
  const rows =
    'deny,person,Tamsin Nevereth,Tamsyn Neveret; T. Nevereth,GB;Cape Verde,document:FIC-1;domain:nevereth.example\n' +
    'allow,organization,Paper Moon Logistics,,,\n';
  const { entries } = await readText(t, 'csv', 'own.csv', header + rows);
  t.deepEqual(namesOf(entries[0]), ['Tamsyn Neveret', 'T. Nevereth']);
  t.deepEqual(keysOf(entries[0]), ['document FIC-1', 'domain nevereth.example']);
  t.deepEqual(entries[0]?.countries, ['GB', 'CV']);
  t.like(entries[1], { action: 'allow', type: 'organization', name: 'Paper Moon Logistics' });
});

test('keys are written as in events, with their type, or alone', async t => {
  const keys = [
    'eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    'wallet:bc1qfictionalfictionalfictional',
    'iban:DE89 3704 0044 0532 0130 00',
    'merchant:stripe:acct_1',
    'a@b.example',
    'https://x.example/pay',
    '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    'FIC 77',
    'Merchant:Stripe:acct_2',
    'account:ach:021000021-123456789',
    'paypal:somebody',
  ];
  const { entries } = await readText(t, 'csv', 'own.csv', `keys\n${keys.join(';')}\n`);
  t.deepEqual(keysOf(entries[0]), [
    'wallet eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    'wallet bc1qfictionalfictionalfictional',
    'iban DE89 3704 0044 0532 0130 00',
    'other merchant:stripe:acct_1',
    'email a@b.example',
    'domain https://x.example/pay',
    'wallet 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    'other FIC 77',
    'other merchant:stripe:acct_2',
    'other account:ach:021000021-123456789',
    'other paypal:somebody',
  ]);
});

test('a row keeps its id in the next version of the list, whatever is around it', async t => {
  const one = await readText(t, 'csv', 'own.csv', `${header}deny,,Utopia Metals,Utopia,UA,\n`);
  const two = await readText(t, 'csv', 'own.csv', 'remarks,name\nnew,Glass Pelican\nof old,Utopia Metals\n');
  t.is(two.entries[1]?.entry_id, one.entries[0]?.entry_id);
  t.regex(one.entries[0]?.entry_id ?? '', /^[0-9a-f]{16}$/);
});

test('ids, dates of birth, programmes and remarks have columns of their own', async t => {
  const row = 'mine-1,Tamsin Nevereth,1992-06-01;circa 1990,A;B,seen twice\n';
  const { entries } = await readText(t, 'csv', 'own.csv', `entry_id,name,birth_date,programs,remarks\n${row}`);
  t.like(entries[0], {
    entry_id: 'mine-1',
    birth_dates: ['1992-06-01', '1988/1992'],
    programs: ['A', 'B'],
    remarks: 'seen twice',
  });
});

test('the same row twice counts once', async t => {
  const row = 'deny,person,Tamsin Nevereth,,,\n';
  const { summary } = await readText(t, 'csv', 'own.csv', header + row + row);
  t.like(summary, { entries: 1, skipped: 1 });
});

test('what does not fit is refused with its line and with what would be right', async t => {
  const refused = async (text: string) => refusal(t, 'csv', 'own.csv', text);
  t.regex(await refused('name,nick\nA,B\n'), /^own\.csv, line 1: unknown column "nick"; known are action, type, name/);
  t.is(await refused('type,country\nperson,DE\n'), 'own.csv, line 1: needs a column "name" or "keys"');
  t.regex(await refused(`${header}deny,person,,,DE,\n`), /^own\.csv, line 2: has neither name nor key/);
  t.regex(await refused(`${header}block,person,A,,,\n`), /line 2: the action "block" must be deny or allow/);
  t.regex(await refused(`${header}deny,robot,A,,,\n`), /line 2: the type "robot" must be one of person, /);
  t.regex(
    await refused(`${header}deny,,A,,Utopia,\n`),
    /line 2: the country "Utopia" must be an ISO 3166-1 alpha-2 code/,
  );
  t.regex(await refused(`${header}deny,,A,,,iban:DE00 1234\n`), /line 2: the key "iban:DE00 1234" must be an IBAN/);
  t.regex(
    await refused(`${header}deny,,A,,,domian:evil.example\n`),
    /line 2: the key "domian:evil.example" .*; did you mean domain:…\?/,
  );
  t.regex(await refused('name,birth_date\nA,May\n'), /line 2: the date of birth "May" must be such as 1957-03-10/);
  t.regex(await refused('entry_id,name\n1,A\n1,B\n'), /the entry 1 \(B\) comes twice, with different content/);
});

test('two of one name have ids of their own, and a key that is none of its kind is refused with its line', async t => {
  const { entries } = await readText(
    t,
    'csv',
    'own.csv',
    `${header}deny,person,Ada Fog,,UA,\ndeny,person,Ada Fog,,CV,\n`,
  );
  t.is(new Set(entries.map(entry => entry.entry_id)).size, 2);
  await t.throwsAsync(readText(t, 'csv', 'own.csv', 'name,keys\nFog,imo:12\n'), { message: /line 2.*imo/ });
});

test('a host is named by its address too, and what is no host is refused', async t => {
  const hosts = ['domain:203.0.113.7', 'domain:[2001:db8::7]', 'domain:fog.example'];
  const { entries } = await readText(t, 'csv', 'own.csv', `name,keys\nFog,${hosts.join(';')}\n`);
  const asked = ['https://203.0.113.7/pay', 'https://[2001:db8::7]:8443/', 'https://api.fog.example/'];
  for (const value of asked) t.is(search(entries, { name: null, keys: [{ type: 'domain', value }] }).length, 1, value);
  for (const wrong of ['203.0.113.700', '3405803783', 'fog example'])
    t.regex(await refusal(t, 'csv', 'own.csv', `name,keys\nFog,domain:${wrong}\n`), /line 2: the key "domain:/, wrong);
});
