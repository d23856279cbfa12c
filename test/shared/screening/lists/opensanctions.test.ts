import test from 'ava';
import { fixture, keysOf, namesOf, readAll, readText } from '#test/fixtures/lists/reading.ts';

test('targets of an OpenSanctions export are entries, and those beside them are not', async t => {
  const { entries } = await readAll('opensanctions', fixture('entities.ftm.jsonl'));
  t.deepEqual(
    entries.map(({ entry_id, type, name }) => `${entry_id} ${type} ${name}`),
    [
      'fic-1 person Zorvan Quillfeather',
      'fic-2 organization Nowhere Atlantic Bank',
      'fic-3 vessel PHANTOM HERON',
      'cw-2 unknown ',
    ],
  );
});

test('documents, wallets and programmes are given to their holder, before or after it in the file', async t => {
  const { byId } = await readAll('opensanctions', fixture('entities.ftm.jsonl'));
  const person = byId.get('fic-1');
  t.deepEqual(keysOf(person), [
    'email zorvan@quillfeather.example',
    'document 770000000001',
    'document A0042833',
    'wallet 1FictionaLAddressXXXXXXXXXXXXXXZYx9B',
  ]);
  t.deepEqual(person?.programs, ['FIC-MOON']);
  t.deepEqual(namesOf(person), ['Zorvan Ilarion Quillfeather', 'Зорван Квиллфезер', 'Zorvan Vantbrook']);
  t.deepEqual(namesOf(person, true), ['The Quill']);
  t.deepEqual(person?.countries.slice(0, 3), ['BG', 'UA', 'RU']);
});

test('a wallet without a holder is an entry with a key alone', async t => {
  const { byId } = await readAll('opensanctions', fixture('entities.ftm.jsonl'));
  t.like(byId.get('cw-2'), { name: '', type: 'unknown' });
  t.deepEqual(keysOf(byId.get('cw-2')), ['wallet 0xf1c7000000000000000000000000000000000001']);
});

test('a wallet whose holder is no target stays an entry', async t => {
  const lines = [
    { id: 'h', schema: 'Person', properties: { name: ['Tamsin Nevereth'] }, target: false },
    { id: 'w', schema: 'CryptoWallet', properties: { publicKey: ['TFictional'], holder: ['h'] }, target: true },
  ];
  const { entries } = await readText(t, 'opensanctions', 'x.json', lines.map(line => JSON.stringify(line)).join('\n'));
  t.deepEqual(
    entries.map(entry => `${entry.entry_id} ${entry.name} ${keysOf(entry).join()}`),
    ['w  wallet TFictional'],
  );
});

test('the simple table is told by its first character', async t => {
  const { byId } = await readAll('opensanctions', fixture('targets.simple.csv'));
  t.like(byId.get('fic-1'), {
    type: 'person',
    name: 'Zorvan Quillfeather',
    birth_dates: ['1961-04-17', '1963'],
    programs: ['FIC-1', 'FIC-2'],
  });
  t.deepEqual(keysOf(byId.get('fic-1')), [
    'document A0042833',
    'document 770000000001',
    'email zorvan@quillfeather.example',
  ]);
  t.deepEqual(keysOf(byId.get('fic-3')), ['imo 9074729', 'document 572469210']);
  t.deepEqual(keysOf(byId.get('cw-2')), ['wallet 0xf1c7000000000000000000000000000000000001']);
});
