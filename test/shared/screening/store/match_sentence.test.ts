import test from 'ava';
import type { KeyType } from '#shared/screening/matcher/entry.ts';
import { matchSentence } from '#shared/screening/store/match_sentence.ts';
import { person, search } from '#test/shared/screening/matcher/helpers.ts';

const entry = person('1', 'Zorvan Ilarion Quillfeather', {
  aliases: [{ name: 'Oberyl Vantbrook', weak: false }],
  countries: ['BG'],
  birth_dates: ['1961-04-17'],
  keys: [{ type: 'email', value: 'zorvan@quillfeather.example', label: null }],
});

type Asked = { name?: string; country?: string; born?: string; type?: 'vessel'; key?: [KeyType, string] };

/** The sentence of the match that this finds. */
function sentence({ name, country, born, type, key }: Asked): string {
  const [match] = search(
    [entry],
    {
      name: name ?? null,
      type: type ?? null,
      countries: country ? [country] : [],
      birth_date: born ?? null,
      keys: key ? [{ type: key[0], value: key[1] }] : [],
    },
    { threshold: 0.3 },
  );
  return match ? matchSentence(match, { country: country ?? null, date_of_birth: born ?? null }) : '';
}

test('a match says in one sentence why it is one', t => {
  const name = 'Zorvan Ilarion Quillfeather';
  const said: [Asked, string][] = [
    [{ name }, 'same name'],
    [
      { name: 'Zorvan Ilarion Quillfaether', born: '1961', country: 'CY' },
      'same name in another spelling; born the same year; other country',
    ],
    [{ name, born: '1961-04-17', country: 'BG' }, 'same name; born the same day; same country'],
    [{ name, born: '1962' }, 'same name; born a year apart'],
    [{ name, born: '1980', type: 'vessel' }, 'same name; born in another year; listed as something else'],
    [{ name: 'Zorvan I. Quillfeather' }, 'same name with an initial'],
    [{ name: 'Zorvan Quillfeather' }, 'part of the name is the same'],
    [{ name: 'Oberyl Vantbrook' }, 'same as another name of the entry'],
    [{ key: ['email', 'ZORVAN@quillfeather.example'], country: 'CY' }, 'same email address; other country'],
  ];
  for (const [asked, expected] of said) t.is(sentence(asked), expected, JSON.stringify(asked));
});

test('a word that says little is called one', t => {
  const bank: Parameters<typeof search>[0] = [{ ...entry, name: 'Fictional Bank', type: 'organization', aliases: [] }];
  const [match] = search(bank, { name: 'Bank' }, { threshold: 0.3 });
  t.is(
    match && matchSentence(match, { country: null, date_of_birth: null }),
    'part of the name is the same; one common word only',
  );
});
