import test from 'ava';
import { fixture, folderOf, keysOf, namesOf, readAll } from '#test/fixtures/lists/reading.ts';

const read = () => readAll('ofac-sdn', fixture('ofac'));

test('the four files of OFAC become one entry for each row of sdn.csv', async t => {
  const { entries, summary } = await read();
  t.deepEqual(
    entries.map(({ entry_id, type, name }) => `${entry_id} ${type} ${name}`),
    [
      '90001 person QUILLFEATHER, Zorvan',
      '90002 organization NOWHERE ATLANTIC BANK',
      '90003 vessel PHANTOM HERON',
      '90004 aircraft ZZ-FIC',
    ],
  );
  t.like(summary, { entries: 4, skipped: 0, shortened: 0 });
  t.true(entries.every(({ action }) => action === 'deny'));
});

test('aliases come from alt.csv, and those in quotes in the remarks are weak', async t => {
  const { byId } = await read();
  t.deepEqual(namesOf(byId.get('90001')), ['QUILFEATHER, Zorvan', 'VANTBROOK, Zorvan']);
  t.deepEqual(namesOf(byId.get('90001'), true), ['THE QUILL']);
  t.deepEqual(namesOf(byId.get('90003'), true), ['FANTOM HERON']);
});

test('wallets, documents, sites and bank codes are found in the remarks as published', async t => {
  const { byId } = await read();
  t.deepEqual(keysOf(byId.get('90001')), [
    'document A0042833',
    'document TR-P 614166',
    'document 84.049.097',
    'wallet 1FictionaLAddressXXXXXXXXXXXXXXZYx9B',
    'wallet 0xF1c7000000000000000000000000000000000001',
    'email zorvan@quillfeather.example',
  ]);
  t.deepEqual(keysOf(byId.get('90002')), [
    'domain www.nowhere-atlantic.example',
    'domain http://nab.example/index.html',
    'bic FICTZZ2L',
    'document 7707083893',
    'document HE 47364',
    'lei 0000FICTION000000292',
    'document 0000FICTION000000292',
    'imo 5342883',
    'document IMO 5342883',
    'document 52-024-2307',
    'document 01074897',
  ]);
  t.is(byId.get('90001')?.keys[3]?.label, 'Digital Currency Address - XBT');
});

test('remarks go on in sdn_comments.csv where sdn.csv cuts them', async t => {
  const { byId } = await read();
  const bank = byId.get('90002');
  t.true(bank?.remarks?.includes("see the following link; a.k.a. 'NAB'"));
  t.deepEqual(namesOf(bank, true), ['NAB']);
});

test('dates of birth, countries and programmes; a place of birth is no country', async t => {
  const { byId } = await read();
  const person = byId.get('90001');
  t.deepEqual(person?.birth_dates, ['1961-04-17', '1961/1965']);
  t.deepEqual(person?.countries, ['BG', 'CY', 'CO']);
  t.deepEqual(person?.programs, ['FICTION', 'MOONBASE']);
  t.true(person?.remarks?.startsWith('Minister of Absent Affairs; DOB 17 Apr 1961'));
  t.deepEqual(byId.get('90002')?.countries, ['CV', 'KP', 'PA', 'CY', 'GB']);
});

test('a vessel has its number, call sign and flags', async t => {
  const { byId } = await read();
  const vessel = byId.get('90003');
  t.deepEqual(keysOf(vessel), ['document FIC2192', 'imo 9074729', 'document 572469210']);
  t.deepEqual(vessel?.countries, ['PA', 'MT']);
  t.deepEqual(keysOf(byId.get('90004')), ['document 8401', 'document 1023409321']);
});

test('sdn.csv alone is a list too, and the folder is asked for it by any case of its name', async t => {
  const row = '7,"NEBELWERK PHANTOM TRADING",-0- ,"FICTION",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \n';
  const folder = await folderOf(t, { 'SDN.CSV': row });
  t.is((await readAll('ofac-sdn', folder)).entries[0]?.name, 'NEBELWERK PHANTOM TRADING');
  t.is((await readAll('ofac-sdn', `${folder}/SDN.CSV`)).entries.length, 1);
});

test('rows of the other files that belong to no entry are reported', async t => {
  const row = '7,"NEBELWERK PHANTOM TRADING",-0- ,"FICTION",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \n';
  const folder = await folderOf(t, { 'sdn.csv': row, 'alt.csv': '7,1,aka,FOGWORKS,-0- \n8,2,aka,NOBODY,-0- \n' });
  const { entries, summary } = await readAll('ofac-sdn', folder);
  t.deepEqual(namesOf(entries[0]), ['FOGWORKS']);
  t.deepEqual(summary.account.not_understood, [{ label: 'rows of no entry of sdn.csv', items: 1, examples: ['8'] }]);
});

test('the consolidated list of OFAC is read like that of SDNs, and two lists in one folder are not taken for one', async t => {
  const { entries, byId, summary } = await readAll('ofac-sdn', fixture('cons'));
  t.deepEqual(
    entries.map(({ entry_id, name }) => `${entry_id} ${name}`),
    ['91001 QUILLFEATHER, Odile', '91002 NEBELWERK CLOUD MINING'],
  );
  t.deepEqual(
    summary.files.map(file => file.split('/').at(-1)),
    ['cons_alt.csv', 'cons_add.csv', 'cons_comments.csv', 'cons_prim.csv'],
  );
  t.deepEqual(namesOf(byId.get('91001')), ['QUILFETHER, Odile']);
  t.deepEqual(keysOf(byId.get('91002')), [
    'domain www.nebelwerk.example',
    'email post@nebelwerk.example',
    'bic NEBEATWW',
    'document FN 77100423',
  ]);
  t.deepEqual(summary.account, {
    read: { names: 5, addresses: 1, documents: 3, wallets: 0, websites: 1, emails: 1, dates: 1, countries: 3 },
    of_no_use: 3,
    not_understood: [],
  });
  const both = await folderOf(t, { 'sdn.csv': '', 'cons_prim.csv': '' });
  await t.throwsAsync(readAll('ofac-sdn', both), { message: /two lists \(sdn\.csv, cons_prim\.csv\); name one/ });
});
