import test from 'ava';
import { foldName } from '#shared/screening/matcher/names/fold_name.ts';
import { organization, person, scoreOf, search } from './helpers.ts';

const THRESHOLD = 0.85;

const found: [why: string, listed: ReturnType<typeof person>, asked: string][] = [
  [
    'cut at 35 characters',
    person('1', 'ABDURAKHMANOV, Maghomed Maghomedzakirovich'),
    'Maghomed Maghomedzakirovich ABDURAK',
  ],
  ['written together with capitals', person('1', 'PUTIN, Vladimir Vladimirovich'), 'VladimirPutin'],
  ['written together with an article', person('1', 'AL-MASRI, Rahf'), 'RahfAlMasri'],
  ['written together without capitals', person('1', 'PUTIN, Vladimir Vladimirovich'), 'vladimirputin'],
  ['with a Latin letter within Cyrillic', person('1', 'PUTIN, Vladimir Vladimirovich'), 'Владимир Пyтин'],
  ['in letters that look Latin', person('1', 'ROSSO, Pea'), 'РЕА RОSSО'],
  ['with an office behind a comma', person('1', 'OKULOV, Aleksandr'), 'Aleksandr Okulov, Director, Moscow'],
  ['as one of several', person('1', 'TABATABAEI, Ali Akbar'), 'Oberyl Tanzikov; Ali Akbar Tabatabaei'],
  [
    'with another name after a.k.a.',
    person('1', 'TABATABAEI, Ali Akbar'),
    'Oberyl Tanzikov a.k.a. Ali Akbar Tabatabaei',
  ],
  ['in Hangul, as in the south', person('1', 'RI, Pyong Chol'), '이병철'],
  ['in Persian letters', person('1', 'AHMAD ZIA AGHA'), 'احمد ضیا آغا'],
  ['in Arabic, Allah apart', person('1', 'HAMDULLAH NOOR'), 'حمد الله نور'],
  ['in Arabic, s and h apart', person('1', 'ABDUL MANAN MOHAMMAD ISHAK'), 'عبدالمنان محمد اسحاق'],
];

for (const [why, listed, asked] of found)
  test(`a person is found who is written ${why}`, t => {
    t.true(scoreOf([listed], { name: asked, type: 'person' }) >= THRESHOLD);
  });

const companies: [why: string, listed: string, asked: string][] = [
  ['whose short name is spelled otherwise', 'AL-QAIDA', 'Al Qaeda'],
  ['whose legal form has an error', 'LIMITED LIABILITY COMPANY METALLMASH', 'LIMITED LIABILIYT COMPANY METALLMASH'],
  ['whose legal form is split', 'LIMITED LIABILITY COMPANY STRELOI', 'LIMITED LIA BILITY COMPANY STRELOI'],
  ['whose last word is cut off', 'LIMITED LIABILITY COMPANY AVIAKOMPANIYA KSM', 'LIMITED LIABILITY COMPANY AVIAKOMPA'],
  ['whose form is written together with the name', 'GLOTREASURE COMPANY LIMITED', 'GLOTREASURECOMPANY LIMITED'],
  ['that is written together with the usual word behind it', 'FULMARK GROUP', 'FULMARKGROUP'],
  ['that is written together with the usual word before it', 'AIR VEGORYO', 'AIRVEGORYO'],
  ['with a city behind a comma', 'Vega Quillfeather Shipping', 'Vega Quillfeather Shipping, Dubai'],
  ['whose usual words are in Arabic', 'HAQQANI NETWORK', 'شبكة حقاني'],
];

for (const [why, listed, asked] of companies)
  test(`a company is found ${why}`, t => {
    t.true(scoreOf([organization('1', listed)], { name: asked, type: 'organization' }) >= THRESHOLD);
  });

test('the score of a name that is cut off grows with its length, and has no jump at the length of a field', t => {
  const listed = [organization('1', 'INTERNATIONAL PACIFIC VEGAMAR TRADING')];
  const scores = [21, 22, 23, 24].map(length =>
    scoreOf(listed, { name: 'INTERNATIONAL PACIFIC VEGAMAR TRADING'.slice(0, length), type: 'organization' }),
  );
  scores.slice(1).forEach((score, at) => t.true(Math.abs(score - (scores[at] ?? 0)) < 0.1, scores.join(' ')));
});

test('a name that is cut off is found, too, where what is left of its last word is a name of the list', t => {
  const listed = [person('1', 'KOSTRIN, Andrey Leonidovich'), person('2', 'Leo'), person('3', 'QUILLMAR, Leon')];
  for (const asked of ['KOSTRIN, Andrey Leo', 'KOSTRIN, Andrey Leon'])
    t.true(scoreOf(listed, { name: asked, type: 'person' }) >= THRESHOLD, asked);
});

test('one word that very many names have is no potential match, even of an alias that is that word alone', t => {
  const many = Array.from({ length: 100 }, (_, at) =>
    person(String(at), `Mohammed Quill${String.fromCodePoint(97 + (at % 26))}${at}`),
  );
  const listed = [...many, person('m', 'Oberyl Tanzikov', { aliases: [{ name: 'Mohammed', weak: false }] })];
  for (const name of ['Mohammed', 'Muhammed', 'Мохамед', 'Mohamet'])
    t.true(scoreOf(listed, { name, type: 'person' }) < THRESHOLD, name);
  t.true(scoreOf([...listed, organization('b', 'Bank')], { name: 'Bank' }) < THRESHOLD);
  t.true(scoreOf(listed, { name: 'Tanzikov Oberyl', type: 'person' }) >= THRESHOLD);
});

test('a person whose initial alone agrees is another', t => {
  const listed = [person('1', 'AL-DAJANI, Nadim S.')];
  t.true(scoreOf(listed, { name: 'Siobhan Al-dajani', type: 'person' }) < THRESHOLD);
});

test('a word of one script with a letter of another is read in the script of most of its letters', t => {
  const folded = (name: string) => foldName(name).map(({ text }) => text);
  t.deepEqual(folded('Пyтин'), ['putin']);
  t.deepEqual(folded('Pаypal'), ['paypal']);
  t.deepEqual(folded('ꓑꓮYPAL'), ['paypal']);
});

test('a host that is an address of the internet protocol is found as such', t => {
  const key = (value: string) => ({ type: 'domain' as const, value, label: null });
  const listed = [
    organization('1', 'Vega', { keys: [key('203.0.113.7')] }),
    organization('2', 'Lyra', { keys: [key('[2001:db8::7]')] }),
  ];
  const ids = (value: string) => search(listed, { keys: [{ type: 'domain', value }] }).map(({ entry_id }) => entry_id);
  t.deepEqual(ids('http://203.0.113.7:8080/pay'), ['1']);
  t.deepEqual(ids('https://[2001:db8::7]/'), ['2']);
  t.deepEqual(ids('203.0.113.70'), []);
  t.deepEqual(ids('3405803783'), []);
});

test('names of two scripts that share some consonants are others', t => {
  const listed = [organization('1', 'نصار الشريعة'), organization('2', 'STROYTRANSGAZ GROUP')];
  t.true(scoreOf(listed, { name: 'Sara Properties Limited', type: 'organization' }) < THRESHOLD);
  t.true(scoreOf(listed, { name: 'الجماعة التونسية المقاتلة', type: 'organization' }) < THRESHOLD);
});

test('a name that is listed word for word scores 1, whatever else its entry and others are called', t => {
  const southfront = { ...organization('1', 'SOUTHFRONT'), aliases: [{ name: 'SOUTH FRONT', weak: false }] };
  t.is(scoreOf([southfront], { name: 'SOUTHFRONT', type: 'organization' }), 1);
  const others = Array.from({ length: 50 }, (_, at) => person(`p${at}`, `QUILLMAR, Maria Esme${at}`));
  t.is(scoreOf([...others, organization('2', 'MARIA E')], { name: 'MARIA E', type: null }), 1);
});

test('the name of a country is no potential match of a name that sounds like it', t => {
  const listed = [person('1', 'HUANG, Chin-Hua'), organization('2', 'AB ROSSIYA, OAO'), organization('3', 'RUSSIA')];
  for (const [name, type] of [
    ['China', 'person'],
    ['China', null],
    ['Russia', 'organization'],
  ] as const)
    t.true(scoreOf(listed.slice(0, 2), { name, type }) < THRESHOLD, name);
  t.is(scoreOf(listed, { name: 'RUSSIA', type: 'organization' }), 1);
});

const others: [why: string, listed: string, asked: string][] = [
  ['an initial beside it', 'MARIA E', 'Marie Lefebvre'],
  ['a single letter before it', 'B-FINANCE LTD', 'Binance'],
  ['a short word before it', 'EP-ICE', 'Peace Foundation'],
  ['a legal form behind it', 'NIKOLIYA OOO', 'Eleni Nikolaou'],
  ['the same form of company', 'CHANG SHA TIAN YI KONG JIAN YOU XIAN GONG SI', '北京百度有限公司'],
];

for (const [why, listed, asked] of others)
  test(`a name is another's for all that it shares with ${why}`, t => {
    t.true(scoreOf([organization('1', listed)], { name: asked }) < THRESHOLD);
  });
