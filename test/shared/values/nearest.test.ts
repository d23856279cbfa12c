import test from 'ava';
import { nearest } from '#shared/values/nearest.ts';

const rails = ['card', 'ach', 'sepa', 'wire', 'stablecoin', 'lightning', 'upi', 'x402'];

test('a word is found in another case, with other punctuation, and with a slip or two', t => {
  for (const [text, word] of [
    ['Card', 'card'],
    ['X-402', 'x402'],
    ['stable coin', 'stablecoin'],
    ['lightnign', 'lightning'],
    ['stabelcoins', 'stablecoin'],
    ['crad', 'card'],
    ['wires', 'wire'],
  ] as const)
    t.is(nearest(text, rails), word, text);
});

test('what is near to nothing, or to two words at once, is not guessed', t => {
  for (const text of ['', 'paypal', 'ace', 'cash', 'x'.repeat(10_000)]) t.is(nearest(text, rails), undefined, text);
  t.is(nearest('care', ['card', 'cart']), undefined);
});
