import test from 'ava';
import { documentNumber } from '#shared/screening/lists/un_xml.ts';
import { publishedNames } from '#shared/screening/lists/un_names.ts';
import { fixture, keysOf, namesOf, readAll } from '#test/fixtures/lists/reading.ts';

test('persons and entities of the UN list are entries under their reference numbers', async t => {
  const { entries, byId } = await readAll('un-xml', fixture('un.xml'));
  t.deepEqual(
    entries.map(({ entry_id, type, name }) => `${entry_id} ${type} ${name}`),
    ['FIi.001 person KHALDUN AL-ZARQUNASH', 'FIe.002 organization COMPAGNIE LUNAIRE FICTIVE'],
  );
  t.deepEqual(byId.get('FIi.001')?.programs, ['Moonbase']);
  t.is(byId.get('FIi.001')?.remarks, 'Keeper of the Void; Fictional. Lives nowhere.');
});

test('several names in one field are taken apart, and those of low quality are weak', async t => {
  const { byId } = await readAll('un-xml', fixture('un.xml'));
  t.deepEqual(namesOf(byId.get('FIi.001')), [
    'خلدون الزرقوناش',
    'Khaldoon Zarkunash',
    'Khaldun Zarkunash',
    'Khalid Zarkunash',
  ]);
  t.deepEqual(namesOf(byId.get('FIi.001'), true), ['Abu Qunash', 'أبو قناش']);
  t.deepEqual(namesOf(byId.get('FIe.002')), ['GREAT VOID COMPANY', 'VOID FOUNDATION (KENYA)', 'NULLCO']);
  t.deepEqual(namesOf(byId.get('FIe.002'), true), ['CLF']);
});

test('dates of birth keep their precision, and documents their number alone', async t => {
  const { byId } = await readAll('un-xml', fixture('un.xml'));
  const person = byId.get('FIi.001');
  t.deepEqual(person?.birth_dates, ['1955/1958', '1957-03-10', '1958/1962', '1973-11']);
  t.deepEqual(keysOf(person), ['document SE 012820', 'document W334061']);
  t.deepEqual(person?.countries, ['IR', 'TR', 'AF', 'SY']);
  t.deepEqual(byId.get('FIe.002')?.countries, ['KP']);
});

test('a company has the numbers of itself and of its ship that a comment names', async t => {
  const { byId } = await readAll('un-xml', fixture('un.xml'));
  t.deepEqual(keysOf(byId.get('FIe.002')), ['imo 9074729', 'imo 1000003']);
});

test('what stands in parentheses is an abbreviation, another name, a remark, or part of the name', t => {
  t.deepEqual(publishedNames('Jabha Fiktiva (JF)'), { names: ['Jabha Fiktiva'], abbreviations: ['JF'] });
  t.deepEqual(publishedNames('أبو قناش (Abu Qunash; Abo Kunash)').names, ['أبو قناش', 'Abu Qunash', 'Abo Kunash']);
  t.deepEqual(publishedNames('Encep Nobody (birth name)').names, ['Encep Nobody']);
  t.deepEqual(publishedNames('VOID FOUNDATION (KENYA)'), { names: ['VOID FOUNDATION (KENYA)'], abbreviations: [] });
  t.deepEqual(publishedNames(') Khaldun Zarkunash,').names, ['Khaldun Zarkunash']);
  t.deepEqual(publishedNames(' '), { names: [], abbreviations: [] });
});

test('a document number is found in the sentence around it', t => {
  const numbers = {
    'OB 0243318': 'OB 0243318',
    '96 03 464086': '96 03 464086',
    'CAR diplomatic passport no. D00000898': 'D00000898',
    'Russian passport number 8208 No. 555627': '8208 555627',
    'German travel document (“Reiseausweis”) A 0139243': 'A 0139243',
    'Laissez-passer no. N°235/MISPAT': '235/MISPAT',
    '381110042 (Expired 25 Jan. 2016)': '381110042',
    'issued in 1993': '',
    'Birth certificate issued for Djamel, born on 25 Sep. 1973': '',
  };
  for (const [text, number] of Object.entries(numbers)) t.is(documentNumber(text), number, text);
});
