import test from 'ava';
import { fixture, keysOf, namesOf, readAll } from '#test/fixtures/lists/reading.ts';

const read = () => readAll('eu-csv', fixture('eu.csv'));

test('the rows of one entity of the EU list are one entry, wherever in the file they stand', async t => {
  const { entries } = await read();
  t.deepEqual(
    entries.map(({ entry_id, type, name }) => `${entry_id} ${type} ${name}`),
    ['EU.90.01 person Dragomil Izmislović', '90014 organization Nebelwerk "Phantom" Trading'],
  );
});

test('an alias of low quality is weak', async t => {
  const { byId } = await read();
  t.deepEqual(namesOf(byId.get('EU.90.01')), ['Драгомил Измислович']);
  t.deepEqual(namesOf(byId.get('EU.90.01'), true), ['The Fog']);
});

test('dates of another calendar are left out, and about a year is some years', async t => {
  const { byId } = await read();
  t.deepEqual(byId.get('EU.90.01')?.birth_dates, ['1966-09-09', '1965/1969', '1960/1962']);
});

test('documents, bank codes and ships, countries and programmes', async t => {
  const { byId } = await read();
  t.deepEqual(byId.get('EU.90.01')?.keys, [{ type: 'document', value: 'FIC-600351', label: 'National passport' }]);
  t.deepEqual(keysOf(byId.get('90014')), ['imo 9074729', 'bic FICTZZ2L']);
  t.like(byId.get('EU.90.01'), { countries: ['RS', 'BG'], programs: ['FIC'] });
  t.like(byId.get('90014'), { countries: ['AT'], programs: ['MOON'] });
  t.is(byId.get('EU.90.01')?.remarks, '(Fictional; listed by nobody); Minister of Absent Affairs');
});
