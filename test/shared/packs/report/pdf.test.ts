import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'ava';
import { readGlyphs } from '#shared/packs/report/glyphs.ts';
import { reportPdf } from '#shared/packs/report/pdf.ts';
import type { PackReport } from '#shared/packs/report/report.ts';
import { fullPack } from '#test/helpers/full_pack.ts';
import { hostilePack } from '#test/helpers/hostile_pack.ts';
import { reportOf } from '#test/helpers/pack_report.ts';
import { emptyPack, packEvent } from '#test/helpers/pack_world.ts';
import { readPdf } from '#test/helpers/pdf.ts';

const named = (names: readonly string[]): PackReport =>
  reportOf({
    ...emptyPack(),
    events: names.map((name, index) => packEvent({ seq: index + 1, payee: index, payee_name: name })),
  });

test('the same report is the same PDF, to the byte, in whatever zone and language it is made', async t => {
  const report = reportOf(fullPack());
  const [first, second] = [await reportPdf(report), await reportPdf(reportOf(fullPack()))];
  t.true(first.equals(second));
  const env = { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' };
  const elsewhere = execFileSync(process.execPath, ['shared/packs/report/pdf_process.ts'], {
    input: JSON.stringify(report),
    env,
  });
  t.true(first.equals(elsewhere));
});

test('it is PDF/A, for keeping and for reading aloud, dated as the pack is', async t => {
  const { metadata, acts } = readPdf(await reportPdf(reportOf(fullPack())));
  t.regex(metadata, /<pdfaid:part>2<\/pdfaid:part><pdfaid:conformance>A</);
  t.regex(metadata, /<xmp:CreateDate>2026-04-11T09:00:00\+00:00</);
  t.false(acts);
});

test('names in Cyrillic, Greek, Arabic, Hebrew, Chinese, Japanese and Korean can be read and copied', async t => {
  const names = ['Кафе Пушкин', 'Εστιατόριο', 'مطعم السلام', 'בית קפה', '北京烤鸭店', 'すし屋', '한국 식당'];
  const { fonts, embedded, characters } = readPdf(await reportPdf(named(names)));
  for (const character of names.join('').replaceAll(' ', '')) t.true(characters.includes(character), character);
  for (const font of [
    'NotoSans-Regular',
    'NotoSans-Bold',
    'NotoNaskhArabic',
    'NotoSansHebrew',
    'NotoSansHans-Regular',
    'NotoSansKR-Regular',
  ])
    t.true(fonts.has(font), font);
  t.true(embedded >= 6);
});

test('a report in Latin letters carries the fonts for those, and no others', async t => {
  const { fonts, characters } = readPdf(await reportPdf(named(['Hotel Seeblick'])));
  t.deepEqual([...fonts].toSorted(), ['NotoSans-Bold', 'NotoSans-Regular']);
  t.false(characters.includes('['), 'a character of the report itself is in no font');
});

test('characters that no font has are shown by their number, and marks that do not fit their letter too', async t => {
  const { characters, metadata } = readPdf(await reportPdf(named(['ร้าน ☕ 😀', 'a\u05B0b\u064B'])));
  for (const missing of ['ร', '☕', '😀', '\u05B0', '\u064B']) t.false(characters.includes(missing), missing);
  t.regex(metadata, /<pdfaid:conformance>A</);
});

test('names that are markup, turn the text or have ten thousand letters stay names', async t => {
  const { metadata, acts, characters } = readPdf(await reportPdf(reportOf(hostilePack())));
  t.regex(metadata, /<pdfaid:conformance>A</);
  t.false(acts);
  t.true(characters.includes('['));
  t.notRegex(characters, /[\u202D\u202E\u2066-\u2069]/);
});

test('which characters a font has is read from the font', t => {
  const fonts = createRequire(import.meta.url)
    .resolve('@embedpdf/fonts-latin')
    .replace(/dist.*/, 'fonts/');
  const has = readGlyphs(readFileSync(`${fonts}NotoSans-Regular.ttf`));
  for (const character of 'AzÄßЖω“…–') t.true(has(character.codePointAt(0) ?? 0), character);
  for (const character of '中مא한☕😀\uFFFF') t.false(has(character.codePointAt(0) ?? 0), character);
});

test('a report that cannot be typeset is an error, and no empty file', async t => {
  const { message } =
    (await t.throwsAsync(reportPdf({ ...reportOf(fullPack()), figures: [], facts: JSON.parse('3') }))) ?? {};
  t.regex(message ?? '', /^the PDF of a report could not be made \(1\)/);
});
