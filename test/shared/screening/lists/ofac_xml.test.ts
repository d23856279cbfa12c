import test from 'ava';
import { fixture, keysOf, namesOf, readAll } from '#test/fixtures/lists/reading.ts';

test('the advanced file gives entries under the ids of the CSV files', async t => {
  const { entries, summary } = await readAll('ofac-xml', fixture('ofac/sdn_advanced.xml'));
  t.deepEqual(
    entries.map(({ entry_id, type, name }) => `${entry_id} ${type} ${name}`),
    [
      '90001 person QUILLFEATHER, Zorvan Ilarion',
      '90002 organization NOWHERE ATLANTIC BANK',
      '90003 vessel PHANTOM HERON',
    ],
  );
  t.is(summary.entries, 3);
});

test('names in other scripts are aliases, and those of low quality are weak', async t => {
  const { byId } = await readAll('ofac-xml', fixture('ofac/sdn_advanced.xml'));
  t.deepEqual(namesOf(byId.get('90001')), ['КВИЛЛФЕЗЕР Зорван']);
  t.deepEqual(namesOf(byId.get('90001'), true), ['THE QUILL']);
});

test('documents, features, places and programmes are looked up where the party refers to them', async t => {
  const { byId } = await readAll('ofac-xml', fixture('ofac/sdn_advanced.xml'));
  const person = byId.get('90001');
  t.deepEqual(keysOf(person), ['document A0042833', 'document LUNA-7', 'wallet 1FictionaLAddressXXXXXXXXXXXXXXZYx9B']);
  t.deepEqual(person?.countries, ['CY', 'BG']);
  t.deepEqual(person?.birth_dates, ['1961-04-17', '1961/1965']);
  t.deepEqual(person?.programs, ['FICTION', 'MOONBASE']);
  t.is(person?.remarks, 'Minister of Absent Affairs');
  t.deepEqual(keysOf(byId.get('90002')), ['domain www.nowhere-atlantic.example', 'bic FICTZZ2L']);
  t.deepEqual(byId.get('90002')?.countries, ['KP']);
  t.deepEqual(keysOf(byId.get('90003')), ['imo 9074729', 'document FIC2192']);
  t.deepEqual(byId.get('90003')?.countries, ['PA']);
});

test('the plain file is told by its root element', async t => {
  const { entries, byId } = await readAll('ofac-xml', fixture('ofac/sdn.xml'));
  t.deepEqual(
    entries.map(({ entry_id, type, name }) => `${entry_id} ${type} ${name}`),
    ['90001 person QUILLFEATHER, Zorvan', '90003 vessel PHANTOM HERON'],
  );
  const person = byId.get('90001');
  t.deepEqual(namesOf(person), ['QUILFEATHER, Zorvan']);
  t.deepEqual(namesOf(person, true), ['THE QUILL']);
  t.deepEqual(keysOf(person), [
    'document A0042833',
    'wallet 1FictionaLAddressXXXXXXXXXXXXXXZYx9B',
    'email zorvan@quillfeather.example',
  ]);
  t.like(person, { countries: ['BG', 'CY'], birth_dates: ['1961-04-17'], programs: ['FICTION', 'MOONBASE'] });
  t.deepEqual(keysOf(byId.get('90003')), ['imo 9074729', 'document FIC2192']);
});

test('of a folder with both, the advanced file is read, which says more', async t => {
  const { summary } = await readAll('ofac-xml', fixture('ofac'));
  t.deepEqual(summary.files, [fixture('ofac/sdn_advanced.xml')]);
});
