import test from 'ava';
import { countriesOf } from '#shared/screening/lists/countries.ts';
import { birthDate } from '#shared/screening/lists/dates.ts';

test('a date of birth is as precise as published', t => {
  const dates: Record<string, string | null> = {
    '10 Mar 1957': '1957-03-10',
    'Mar 1957': '1957-03',
    '1957': '1957',
    '1957-03-10': '1957-03-10',
    '1957-03': '1957-03',
    '10/03/1957': '1957-03-10',
    '00/03/1957': '1957-03',
    '00/00/1957': '1957',
    'dd/mm/1957': '1957',
    '10.3.1957': '1957-03-10',
    '31 Feb 1957': '1957-02',
    '1955 to 1958': '1955/1958',
    '01 Jan 1955 to 31 Dec 1958': '1955/1958',
    '1955-1958': '1955/1958',
    'circa 1955': '1953/1957',
    'Approximately 1960-1962': '1958/1964',
    '1950s': '1950/1959',
    'September 1957': '1957-09',
    'Nov. 1973 ': '1973-11',
    '5th May 1970': '1970-05-05',
    unknown: null,
    '': null,
    '12': null,
    '9999-01-01': null,
  };
  for (const [text, date] of Object.entries(dates)) t.is(birthDate(text), date, text);
});

test('countries are read as publishers write them', t => {
  const countries: Record<string, string> = {
    'Iran (Islamic Republic of)': 'IR',
    'Korea, North': 'KP',
    "Democratic People's Republic of Korea": 'KP',
    'Republic of Korea': 'KR',
    'Congo, Democratic Republic of the': 'CD',
    'St. Kitts & Nevis': 'KN',
    'Bahamas, The': 'BS',
    'Côte d’Ivoire': 'CI',
    Türkiye: 'TR',
    Burma: 'MM',
    'Virgin Islands, British': 'VG',
    'British Virgin Islands': 'VG',
    Palestinian: 'PS',
    'Region: Gaza': 'PS',
    'United Kingdom of Great Britain and Northern Ireland': 'GB',
    ru: 'RU',
    'gb-sct': 'GB',
  };
  for (const [text, code] of Object.entries(countries)) t.deepEqual(countriesOf(text), [code], text);
});

test('what broke up or is claimed by two stands for several, and what is unknown for none', t => {
  t.deepEqual(countriesOf('Region: Crimea'), ['UA', 'RU']);
  t.deepEqual(countriesOf('Serbia and Montenegro'), ['RS', 'ME']);
  t.true(countriesOf('former Soviet Union').includes('KZ'));
  for (const text of ['', 'undetermined', 'None Identified', '00', 'XX', 'eu', 'Atlantis'])
    t.deepEqual(countriesOf(text), [], text);
});
