import test from 'ava';
import { foldName } from '#shared/screening/matcher/names/fold_name.ts';
import { prepareName } from '#shared/screening/matcher/names/prepare_name.ts';
import { readingsOf } from '#shared/screening/matcher/readings.ts';
import { organization, person, scoreOf } from './helpers.ts';

const folded = (name: string) =>
  foldName(name)
    .map(word => word.text)
    .join(' ');

test('a name is read as plain letters, whatever script and form it comes in', t => {
  t.is(folded('MÖHAMMÉD  Ømar'), 'mohammed omar');
  t.is(folded('Станислав Константинович'), 'stanislav konstantinovich');
  t.is(folded('𝐁𝐨𝐫𝐢𝐬 \u200bGod\u00adunov'), 'boris godunov');
  t.is(folded('习近平'), 'xi jin ping');
  t.is(folded('박영식'), 'pak yong sik');
  t.is(folded('최 룡해'), 'choe ryong hae');
  t.is(folded('삼성2호'), 'sam song 2 ho');
  t.is(folded("Rifa'i O’Brien"), 'rifai obrien');
  t.is(folded('“ACME” & Co.'), 'acme and co');
  t.is(folded('ООО"Вега"'), 'ooo vega');
  t.is(folded('😀 — !!'), '');
});

test('a name that an override turns around is looked for as it is displayed, and as it is written', t => {
  const listed = [person('1', 'ZAKHAROV, Konstantin Yuryevich'), person('2', 'أسامة بن لادن')];
  for (const name of [
    '\u202eVORAHKAZ nitnatsnoK',
    '\u202eVORAHKAZ\u2069 nitnatsnoK',
    '\u202eVORAHKAZ nitnatsnoK\u061c',
    '\u202eVORA\u202a\u202cHKAZ nitnatsnoK',
    '\u202erotceriD ,VORAHKAZ nitnatsnoK',
    'Konstantin ZAKHAROV, Director / rotceriD ,VORAHKAZ nitnatsnoK',
    '\u202eKonstantin Zakharov\u202c',
    '\u202eأسامة بن لادن\u202c',
  ])
    t.true(scoreOf(listed, { name, type: 'person' }) >= 0.85, JSON.stringify(name));
});

test('a Korean reading is looked for of three Chinese characters, and of no company', t => {
  const readings = (name: string, type: 'person' | 'organization' | null) =>
    readingsOf(name, type).map(({ words }) => words.map(({ text }) => text).join(' '));
  t.deepEqual(readings('金正恩', 'person'), ['jin zheng en', 'kim jong un']);
  t.true(readings('金正恩', null).includes('kim jong un'));
  for (const written of ['\uf90a正恩', '金\u200b正恩', '金·正·恩', '金正恩 (Pyongyang)', '李明; 金正恩'])
    t.true(readings(written, 'person').includes('kim jong un'), written);
  t.deepEqual(readings('李明', 'person'), ['li ming']);
  t.deepEqual(readings('山田太郎', 'person'), ['shan tian tai lang']);
  t.deepEqual(readings('金正恩', 'organization'), ['jin zheng en']);
});

test('letters of another script that look Latin are read as Latin where a word mixes them', t => {
  t.is(folded('BOUTIQUE LA МАISОN'), 'boutique la maison');
  t.is(folded('Сбербанк'), 'sberbank');
});

test('letters written apart are put together, initials are not', t => {
  t.is(folded('A C M E   T R A D I N G'), 'acme trading');
  t.is(folded('S.A. DE C.V.'), 'sa de cv');
  t.is(folded('Volkswagen G.m.b.H.'), 'volkswagen gmbh');
  t.is(folded('A. G. Siluanov'), 'a g siluanov');
});

test('a legal form is one word, and forms that people use for one another are alike', t => {
  const kinds = (name: string) => prepareName(name, 'organization').words.map(word => `${word.canonical} ${word.kind}`);
  t.deepEqual(kinds('LIMITED LIABILITY COMPANY VEGA'), ['llc legal', 'vega word']);
  t.deepEqual(kinds('OOO Vega'), ['llc legal', 'vega word']);
  t.deepEqual(kinds('Vega, S.A. de C.V.'), ['vega word', 'jsc legal']);
});

test('an ambiguous word is read by who bears the name', t => {
  const kind = (name: string, type: 'person' | 'organization') => prepareName(name, type).words[0]?.kind;
  t.is(kind('Eng. Karim', 'person'), 'title');
  t.is(prepareName('Eng. Works', 'organization').words[0]?.text, 'engineering');
  const bearers = (name: string) => readingsOf(name, null).map(({ is_person }) => is_person);
  t.deepEqual(bearers('Eng. Gas'), [false, true]);
  t.deepEqual(bearers('Eng. Gas Ltd'), [false], 'a legal form says whose name it is');
});

test('what Arabic names put together and apart is the same name', t => {
  const words = (name: string) => prepareName(name, 'person').words.map(word => word.text);
  t.deepEqual(words('Abdulrahman'), ['abd', 'rahman']);
  t.deepEqual(words('Abdur Rahman'), ['abd', 'rahman']);
  t.deepEqual(words('عبدالرحمان'), ['abd', 'rhman']);
  t.deepEqual(words('Jalaluddin'), ['jalal', 'din']);
  t.deepEqual(words('Abdullah'), ['abdullah']);
});

const alike: [why: string, listed: string, asked: string][] = [
  ['another order', 'BIN LADIN, Usama', 'Usama bin Ladin'],
  ['another romanization', 'GURYEV, Andrey Grigoryevich', 'Andrei Grigorjewitsch Gurjew'],
  ['an error', 'GHOLAMSHAHI, Abbas', 'Abvas Gholamshahi'],
  ['two errors', 'AZIMIAN, Hamidreza', 'Hamireza Azinian'],
  ['another script', 'ZAKHAROV, Konstantin Yuryevich', 'Константин Юрьевич Захаров'],
  ['Hangul', 'PAK, Yong Sik', '박영식'],
  ['Chinese characters as Koreans read them', 'CHOE, Ryong Hae', '崔龍海'],
  ['and their family names', 'KIM, Jong Un', '金 正恩'],
  ['a script without vowels', 'MOHAMMAD AMAN AKHUND', 'محمد امان آخوند'],
  ['an initial', 'RAKHMANOV, Aleksey Lvovich', 'Aleksey L. Rakhmanov'],
  ['initials as Russians write them', 'PUTIN, Vladimir Vladimirovich', 'В.В. Путин'],
  ['what stands in parentheses', 'TANZIKOV, Oberyl', 'Oberyl Tanzikov (Moscow)'],
  ['a title', 'CLANCY, Bernard Patrick', 'Sir Bernard Patrick Clancy'],
  ['no middle names', 'DUARTE, Franklyn Leonardo', 'Franklyn Duarte'],
  ['a pet name', 'OKULOV, Aleksandr', 'Sasha Okulov'],
  ['a word in two', 'ZHENG, Guanghua', 'Guan ghua Zheng'],
  ['a worn print', 'LASHKARYOVA, Nadezhda', 'Nadezhda LA5HKARY0VA'],
];

for (const [why, listed, asked] of alike)
  test(`a person is found in spite of ${why}`, t => {
    t.true(scoreOf([person('1', listed)], { name: asked, type: 'person' }) >= 0.85);
  });

const other: [why: string, listed: string, asked: string][] = [
  ['shares the surname', 'HUSAYN, Zayn al-Abidin Muhammad', 'Ingrid Husayn'],
  ['shares the given names', 'AL-ASSAD, Samer Kamal', 'Samer Kamal Van den Berg'],
  ['shares usual names', 'AL-MESHEDANI, Abdullah Ahmed', 'Ahmed Ag Albachar'],
];

for (const [why, listed, asked] of other)
  test(`a person is not found who ${why}`, t => {
    t.true(scoreOf([person('1', listed)], { name: asked, type: 'person' }) < 0.85);
  });

test('a company is found by its name without its form, written together, abbreviated or cut off', t => {
  const listed = [organization('1', 'INTERNATIONAL PACIFIC VEGAMAR TRADING, INC.')];
  for (const name of [
    'International Pacific Vegamar Trading',
    "Int'l Pacific Vegamar Trdg Ltd",
    'INTERNATIONALPACIFIC VEGAMAR TRADING',
    'INTERNATIONAL PACIFIC VEGAMAR TRADI',
  ])
    t.true(scoreOf(listed, { name, type: 'organization' }) >= 0.85, name);
});

test('companies that share usual words alone, or differ in a number, are others', t => {
  const listed = [organization('1', 'EXPANSE SHIP MANAGEMENT LIMITED'), organization('2', 'FU YUAN YU 7620')];
  for (const name of ['Monumont Ship Management Limited', 'Fu Yuan Yu 7866', 'Fu Yuan Yu 005'])
    t.true(scoreOf(listed, { name, type: 'organization' }) < 0.85, name);
});
