import test from 'ava';
import * as fc from 'fast-check';
import { fold } from '#shared/values/fold.ts';
import { runs } from '#test/helpers/runs.ts';

test('search does not see case, accents, width or repeated spaces', t => {
  for (const [text, folded] of [
    ['  Müller   Logistics\tGmbH ', 'muller logistics gmbh'],
    ['STRASSE', 'strasse'],
    ['Straße', 'strasse'],
    ['STRAẞE', 'strasse'],
    ['Søn & Łódź', 'son & lodz'],
    ['ＡＰＩ', 'api'],
    ['ﬁnance', 'finance'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['İstanbul ısı', 'istanbul isi'],
    ['Crème\u00adbrûlée', 'cremebrulee'],
    ['Ёлка', 'елка'],
    ['', ''],
  ] as const) {
    t.is(fold(text), folded, text);
  }
});

test('folding twice changes nothing', t => {
  const texts = fc.array(fc.nat(0xffff)).map(units => String.fromCharCode(...units));
  fc.assert(
    fc.property(texts, text => t.is(fold(fold(text)), fold(text))),
    { numRuns: runs(2000) },
  );
});

test('folding any letter twice changes nothing', t => {
  const wrong = Array.from({ length: 0x2ffff }, (_, point) => String.fromCodePoint(point)).filter(
    letter => fold(fold(letter)) !== fold(letter),
  );
  t.deepEqual(wrong, []);
});
