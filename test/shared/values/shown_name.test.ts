import test from 'ava';
import { isVisible, shownName } from '#shared/values/shown_name.ts';

test('a name is read as it is displayed, and directs nothing beside it', t => {
  for (const [sent, shown] of [
    ['Good Shop', 'Good Shop'],
    ['\u202epohS dooG', 'Good Shop / pohS dooG'],
    ['Good \u202epohS\u202c Ltd', 'Good Shop Ltd / Good pohS Ltd'],
    ['\u202enedaL\u2069 niB amasO', 'Osama Bin Laden / nedaL niB amasO'],
    ['\u202enedaL \u202c\u202eniB amasO', 'Osama Bin Laden / nedaL niB amasO'],
    ['\u202e\u{1f600}b\u202c\u202eda', 'adb\u{1f600} / \u{1f600}bda'],
    ['\u202e(dtL) e\u0301t\u202c', 'te\u0301 (Ltd) / (dtL) e\u0301t'],
    ['\u202eשלום עולם\u202c', 'שלום עולם'],
    ['\u202epohS \u202a\u202cdooG\u061c', 'Good Shop / pohS dooG'],
    ['\u202epohS \u202c\u200b\u202edooG', 'Good Shop / pohS \u200bdooG'],
    ['\u2067\u200fמסעדה 24\u2069\u061c', 'מסעדה 24'],
    ['\u202dGood\u202c', 'Good'],
    ['e\u0301te\u0301 👩‍🚀', 'e\u0301te\u0301 👩‍🚀'],
    ['', null],
    [undefined, null],
    [' \u00a0\u3000', null],
    ['\u200b\u202e\u3164', null],
  ] as const)
    t.is(shownName(sent), shown, JSON.stringify(sent));
});

test('a blank or a character without a shape cannot be seen', t => {
  for (const text of [' ', '\u00a0', '\u200b', '\u2800x', '\u{1f600}', '\u0301', '0'])
    t.is(isVisible(text), !/^[ \u00a0\u200b]$/.test(text), JSON.stringify(text));
});
