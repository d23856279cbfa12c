import test from 'ava';
import * as fc from 'fast-check';
import { parseRfc3339 } from '#shared/values/rfc3339.ts';

const utc = (text: string) => {
  const moment = parseRfc3339(text);
  return moment.ok ? new Date(moment.value).toISOString() : null;
};

test('one moment written in several ways is one moment', t => {
  for (const text of [
    '2026-01-31T09:30:00Z',
    '2026-01-31T09:30:00.000Z',
    '2026-01-31t09:30:00z',
    '2026-01-31T10:30:00+01:00',
    '2026-01-31T04:00:00.0-05:30',
    '2026-01-31T09:30:00-00:00',
  ]) {
    t.is(utc(text), '2026-01-31T09:30:00.000Z', text);
  }
});

test('digits below a millisecond are cut off, not rounded', t => {
  t.is(utc('2026-01-31T09:30:00.9999999Z'), '2026-01-31T09:30:00.999Z');
  t.is(utc('2026-01-31T09:30:00.5Z'), '2026-01-31T09:30:00.500Z');
});

test('times without offset, leap seconds and days that do not exist are refused', t => {
  for (const text of [
    '2026-01-31T09:30:00',
    '2026-01-31',
    '2026-01-31 09:30:00Z',
    '2026-01-31T09:30Z',
    '2026-01-31T23:59:60Z',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T09:30:00+24:00',
    '2026-01-31T09:30:00+0100',
    '1769851800000',
    '',
  ]) {
    t.is(utc(text), null, text);
  }
  t.is(utc('2024-02-29T00:00:00Z'), '2024-02-29T00:00:00.000Z');
});

test('every moment survives its ISO text', t => {
  const range = {
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  };
  fc.assert(fc.property(fc.date(range), date => t.is(utc(date.toISOString()), date.toISOString())));
});
