import test from 'ava';
import { outside, shown } from '#shared/packs/report/outside.ts';

test('characters that turn or hide text are shown by their number', t => {
  t.is(shown('evil\u202Egnp.exe'), 'evil[U+202E]gnp.exe');
  t.is(shown('a\u2066b\u2069c\u200Ed\u200Fe'), 'a[U+2066]b[U+2069]c[U+200E]d[U+200F]e');
  t.is(shown('a\u0000b\u001Bc\u0085d'), 'a[U+0000]b[U+001B]c[U+0085]d');
  t.is(shown('pay\u200Bpal\uFEFF\u00AD\u3164'), 'pay[U+200B]pal[U+FEFF][U+00AD][U+3164]');
  t.is(shown('\uD800x\u{E0041}\uE000\uFFFF'), '[U+D800]x[U+E0041][U+E000][U+FFFF]');
});

test('names in the scripts of the world stay as they are', t => {
  for (const name of [
    'Café Zürich',
    'Кафе «Пушкин»',
    'مطعم السلام',
    'می\u200Cخواهم',
    'בית קפה',
    '北京烤鸭店',
    '한국 식당',
    'ร้านอาหาร',
    'क्\u200Dष',
  ])
    t.is(shown(name), name);
  t.is(shown('☕\uFE0F'), '☕');
});

test('joiners are shown where they spell nothing', t => {
  t.is(shown('pay\u200Dpal'), 'pay[U+200D]pal');
});

test('a text of many lines becomes one, and marks that pile up are counted off', t => {
  t.is(shown('a\r\nb\tc\nd'), 'a b c d');
  t.is(shown(`a${'\u0301'.repeat(6)}b`), `a${'\u0301'.repeat(4)}[2 more marks]b`);
});

test('a long text is cut, between characters, and says so', t => {
  t.deepEqual(outside('x'.repeat(10_000), 10), { outside: `${'x'.repeat(10)}… (cut)` });
  t.is(shown('😀'.repeat(200), 3), '😀😀😀… (cut)');
  t.is(shown('x'.repeat(120)), 'x'.repeat(120));
  t.is(shown('\u202E'.repeat(100)), '[U+202E]×100');
  t.true(shown('\u202E\u202D'.repeat(60)).length < 250);
});
