import test from 'ava';
import { fixture, keysOf, namesOf, readAll } from '#test/fixtures/lists/reading.ts';

test('the rows of one Unique ID of the UK Sanctions List are one entry', async t => {
  const { entries, byId } = await readAll('uk-csv', fixture('uk_sanctions_list.csv'));
  t.deepEqual(
    entries.map(({ entry_id, type, name }) => `${entry_id} ${type} ${name}`),
    ['FIC0001 person Zorvan QUILLFEATHER', 'FIC0003 vessel PHANTOM HERON'],
  );
  const person = byId.get('FIC0001');
  t.deepEqual(namesOf(person), ['Зорван Квиллфезер', 'Zorvan Ilarion QUILLFEATHER']);
  t.deepEqual(namesOf(person, true), ['THE QUILL']);
  t.like(person, {
    countries: ['BG', 'CY'],
    birth_dates: ['1961', '1961-04-17'],
    remarks: 'Minister of Absent Affairs',
  });
  t.deepEqual(person?.programs, ['The Moonbase (Sanctions) Regulations 2026']);
  t.deepEqual(keysOf(person), ['document A0042833']);
});

test('a ship of the UK Sanctions List has its number, flag, site and addresses', async t => {
  const { byId } = await readAll('uk-csv', fixture('uk_sanctions_list.csv'));
  t.deepEqual(keysOf(byId.get('FIC0003')), [
    'imo 9074729',
    'domain www.phantom-heron.example',
    'email ops@phantom-heron.example',
    'email bridge@phantom-heron.example',
  ]);
  t.deepEqual(byId.get('FIC0003')?.countries, ['PA']);
});

test("OFSI's Consolidated List is told by its header", async t => {
  const { entries, byId } = await readAll('uk-csv', fixture('conlist.csv'));
  t.deepEqual(
    entries.map(({ entry_id, type, name }) => `${entry_id} ${type} ${name}`),
    ['99001 person Zorvan QUILLFEATHER', '99002 organization NOWHERE ATLANTIC BANK'],
  );
  const person = byId.get('99001');
  t.deepEqual(namesOf(person, true), ['THE QUILL']);
  t.like(person, { birth_dates: ['1961'], countries: ['BG', 'SY'], programs: ['Moonbase'] });
  t.deepEqual(keysOf(person), [
    'document A0042833',
    'document B77',
    'domain www.quillfeather.example',
    'email zorvan@quillfeather.example',
    'document FIC-77',
  ]);
});
