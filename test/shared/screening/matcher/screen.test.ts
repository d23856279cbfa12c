import test from 'ava';
import { screen } from '#shared/screening/matcher/screen.ts';
import { entry, listOf, organization, person, query, scoreOf, search } from './helpers.ts';

test('a match says which name, which words and why', t => {
  const listed = person('7', 'GURYEV, Andrey Grigoryevich', {
    aliases: [{ name: 'GURIEV, Andrei', weak: false }],
    programs: ['P'],
    countries: ['RU'],
  });
  const [match] = search([listed], { name: 'Andrei Gurief Jr', type: 'person' }, { threshold: 0.5 });
  t.like(match, { entry_id: '7', name: listed.name, matched_name: 'GURIEV, Andrei', match_type: 'alias' });
  t.deepEqual(
    match?.features.tokens.map(({ query, entry, reason }) => [query, entry, reason]),
    [
      ['andrei', 'andrei', 'equal'],
      ['gurief', 'guriev', 'spelling'],
    ],
  );
  t.deepEqual(match?.features.unmatched_query, ['jr']);
  t.like(match, { programs: ['P'], countries: ['RU'], features: { list_version: 1, entry_type: 'person' } });
});

test('equal names score 1, and nothing else does', t => {
  const listed = [organization('1', 'Vega Shipping Company')];
  t.is(scoreOf(listed, { name: 'vega shipping COMPANY' }), 1);
  t.true(scoreOf(listed, { name: 'Vega Shippin Company' }) < 1);
});

test('another year of birth takes an equal name below the default threshold; the same day speaks for it', t => {
  const listed = [person('1', 'Oberyl Tanzikov', { birth_dates: ['1969-04-01'] })];
  const score = (birth_date: string | null, name = 'Oberyl Tanzikov') =>
    scoreOf(listed, { name, type: 'person', birth_date });
  t.is(score('1990-01-01'), 0.84);
  t.is(score('1970'), 1);
  t.is(score(null), 1);
  t.true(score('1969-04-01', 'Oberil Tanziko') > score(null, 'Oberil Tanziko'));
});

test('another country and another type speak against a match; what is not known does not', t => {
  const listed = [person('1', 'Oberyl Tanzikov', { countries: ['KZ'] }), person('2', 'Lan Moxu')];
  const modifiers = (given: object) =>
    search(listed, { name: 'Oberyl Tanzikov', ...given })[0]?.features.modifiers.map(({ name, points }) => [
      name,
      points,
    ]);
  t.deepEqual(modifiers({ countries: ['PE'] }), [['country', -0.05]]);
  t.deepEqual(modifiers({ type: 'vessel' }), [['type', -0.1]]);
  t.deepEqual(modifiers({ countries: ['KZ', 'PE'], type: 'person' }), []);
  t.is(scoreOf(listed, { name: 'Lan Moxu', countries: ['CN'], birth_date: '1980' }), 1);
});

test('a weak alias, and one word of a longer name, are no potential matches by themselves', t => {
  const listed = [person('1', 'Khaldun Zarqunash', { aliases: [{ name: 'Abu Fatima', weak: true }] })];
  t.is(scoreOf(listed, { name: 'Abu Fatima', type: 'person' }), 0.8);
  t.true(scoreOf(listed, { name: 'Zarqunash', type: 'person' }) < 0.85);
});

test('an exact identifier scores 1 whatever the name, and says which it was', t => {
  const key = { type: 'wallet' as const, value: '0xF1c7e2d7ceb3334a7499f9fac273bed4f4dcee93', label: 'ETH' };
  const listed = [person('1', 'Oberyl Tanzikov', { keys: [key], birth_dates: ['1969'] })];
  const keys = [{ type: null, value: 'eip155:8453:0xf1c7e2d7ceb3334a7499f9fac273bed4f4dcee93' }];
  const [match] = search(listed, { name: 'Hotel Seeblick', birth_date: '1999', keys });
  t.like(match, { score: 1, match_type: 'address', features: { name_score: null, key } });
});

test('of each entry the best name is told, the best entry first, no more than the limit', t => {
  const listed = [
    organization('3', 'Vega Shiping'),
    organization('1', 'Vega Shipping', { aliases: [{ name: 'Vega Shipping Ltd', weak: false }] }),
    organization('2', 'Vega Shipping'),
  ];
  const told = (limit: number) => search(listed, { name: 'Vega Shipping' }, { limit }).map(match => match.entry_id);
  t.deepEqual(told(10), ['1', '2', '3']);
  t.deepEqual(told(2), ['1', '2']);
});

test('a threshold decides what is returned, up to 1 and down to 0', t => {
  const listed = [organization('1', 'Vega Shipping'), organization('2', 'Vega Shiping')];
  t.is(search(listed, { name: 'Vega Shipping' }, { threshold: 1 }).length, 1);
  t.is(search(listed, { name: 'Vega Shipping' }, { threshold: 0 }).length, 2);
});

test('who is on an allow list is not raised by name, but is by an exact identifier', t => {
  const wallet = { type: 'wallet' as const, value: 'TXKfWALLETofSOMEBODYinbase58zz', label: null };
  const denied = listOf([person('1', 'Oberyl Tanzikov'), entry({ entry_id: '2', keys: [wallet] })]);
  const allowed = listOf([person('a', 'Oberyl Tanzikov', { action: 'allow' })], 'ours');
  const asked = query({ name: 'Oberyl Tanzikov', keys: [wallet] });
  const { matches, allowed_by } = screen([denied, allowed], asked, { threshold: 0.85, limit: 10 });
  t.deepEqual(allowed_by, { list: 'ours', entry_id: 'a', name: 'Oberyl Tanzikov' });
  t.deepEqual(
    matches.map(match => match.entry_id),
    ['2'],
  );
});

test('an allow list frees nobody whose name is only like one of its', t => {
  const lists = [
    listOf([person('1', 'Oberyl Tanzikov')]),
    listOf([person('a', 'Oberyl Tanziko', { action: 'allow' })], 'ours'),
  ];
  const { matches, allowed_by } = screen(lists, query({ name: 'Oberyl Tanzikov' }), { threshold: 0.85, limit: 10 });
  t.is(allowed_by, null);
  t.is(matches.length, 1);
});

const allowing = (allowed: Parameters<typeof person>, asked: Parameters<typeof query>[0]) => {
  const [id, name, more] = allowed;
  const lists = [
    listOf([person('1', 'Mohammed Ali'), organization('2', 'OOO Vega'), organization('3', 'Oberyl Tanzikov')]),
    listOf([person(id, name, { action: 'allow', ...more })], 'ours'),
  ];
  return screen(lists, query(asked), { threshold: 0.85, limit: 10 }).matches.map(match => match.entry_id);
};

test('one name that is allowed frees no other name of the same payee', t => {
  const asked = { name: 'Acme Cloud', aliases: ['Oberyl Tanzikov'] };
  t.deepEqual(allowing(['a', 'Acme Cloud', { type: 'unknown' }], asked), ['3']);
  t.deepEqual(allowing(['a', 'Oberyl Tanzikov', { type: 'unknown' }], asked), []);
});

test('who is allowed by name must be known to be born and at home where the allow list says', t => {
  const allowed: Parameters<typeof person> = ['a', 'Mohammed Ali', { birth_dates: ['1990-05-05'], countries: ['GB'] }];
  const asked = { name: 'Mohammed Ali', type: 'person' as const };
  t.deepEqual(allowing(allowed, asked), ['1']);
  t.deepEqual(allowing(allowed, { ...asked, birth_date: '1991-01-01', countries: ['GB'] }), ['1']);
  t.deepEqual(allowing(allowed, { ...asked, birth_date: '1990-05-05', countries: ['GB'] }), []);
});

test('another legal form, another order and other signs are other names to an allow list', t => {
  t.deepEqual(allowing(['a', 'Vega GmbH', { type: 'unknown' }], { name: 'OOO Vega' }), ['2']);
  t.deepEqual(allowing(['a', 'Ali Mohammed'], { name: 'Mohammed Ali', type: 'person' }), ['1']);
});

test('of signs that are read alike, another name is not allowed', t => {
  const found = (allowed: string, name: string) =>
    screen(
      [listOf([person('1', 'KIM, Jong Un')]), listOf([person('a', allowed, { action: 'allow' })], 'ours')],
      query({ name, type: 'person' }),
      { threshold: 0.85, limit: 10 },
    ).matches.length;
  t.is(found('김종은', '김정은'), 1);
  t.is(found('金晶恩', '金正恩'), 1);
});

test('however many share a name, the one with the right date is among the matches', t => {
  const namesakes = Array.from({ length: 150 }, (_, at) =>
    person(String(at), 'ALI, Mohammed', { birth_dates: [String(1850 + at)] }),
  );
  for (const year of ['1860', '1930', '1995'])
    t.is(search(namesakes, { name: 'Mohammed Ali', type: 'person', birth_date: year })[0]?.score, 1);
});

test('asked with a higher threshold the same matches come, but for those below it', t => {
  const listed = [person('1', 'KONONOV, Vladimir Petrovich'), person('2', 'UMAROV, Doku'), person('3', 'LI, Yi')];
  for (const name of ['Doku UMAEOV', 'Kononow Wladimir', 'Bruce Lee', 'Vladimir Kononof']) {
    const told = (threshold: number) =>
      search(listed, { name, type: 'person' }, { threshold })
        .filter(({ score }) => score >= 0.85)
        .map(({ entry_id, score }) => [entry_id, score]);
    t.deepEqual(told(0.85), told(0.5), name);
  }
});

test('initials and usual words alone are no potential match', t => {
  const listed = [person('1', 'KHAN, Mohammad Aslam'), organization('2', 'GENERAL TRADING COMPANY LLC OF VEGA')];
  t.true(scoreOf(listed, { name: 'M. Khan', type: 'person' }) < 0.85);
  t.true(scoreOf(listed, { name: 'General Trading LLC', type: 'organization' }) < 0.85);
});

test('a word that the entry has beside a title, and a usual word beside a small one, are no potential match', t => {
  const listed = [
    person('1', 'HAFIZ MUHAMMAD'),
    organization('2', 'OJSC AF BANK'),
    organization('3', 'TRADING COMPANY'),
  ];
  t.true(scoreOf(listed, { name: 'Muhammad', type: 'person' }) < 0.85);
  t.true(scoreOf(listed, { name: 'Bank', type: 'organization' }) < 0.85);
  t.true(scoreOf(listed, { name: 'Bank' }) < 0.85);
  t.true(scoreOf(listed, { name: 'Trading Company Ltd', type: 'organization' }) >= 0.85);
});

test('a name of nothing but small words, titles or letters is found as a whole', t => {
  const listed = [
    entry({ entry_id: '1', type: 'vessel', name: 'KING' }),
    entry({ entry_id: '2', type: 'vessel', name: 'K M A' }),
  ];
  t.is(search(listed, { name: 'King', type: 'vessel' })[0]?.entry_id, '1');
  t.is(search(listed, { name: 'K M A', type: 'vessel' })[0]?.entry_id, '2');
});
