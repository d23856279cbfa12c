import { readFileSync } from 'node:fs';
import test from 'ava';
import fc from 'fast-check';
import { measured } from './costs.ts';
import { arrivalsOf, passDay, STEP } from './day.ts';
import { capacityOf, costOfEvent, splitsOf, usual } from './model.ts';
import { capacityTable, short } from './table.ts';

const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);

test('the manual has the tables that the model of capacity makes', t => {
  t.true(readFileSync('docs/operating.md', 'utf8').includes(capacityTable()), `\n${capacityTable()}\n`);
});

test('twice the events take twice the cores, disk and write-ahead log; larger requests take less', t => {
  const [one, two] = [1e8, 2e8].map(events_a_day => capacityOf({ ...usual, events_a_day }));
  t.deepEqual(
    [two?.cores.detect, two?.cores.postgres, two?.disk, two?.wal],
    [one?.cores.detect, one?.cores.postgres, one?.disk, one?.wal].map(value => 2 * (value ?? NaN)),
  );
  t.true(costOfEvent('web', { ...usual, batch: 1 }) > costOfEvent('web', { ...usual, batch: 500 }));
});

test('at the size where a part is full it is just full', t => {
  const size = (full: string) => splitsOf().find(split => split.full === full)?.events_a_day ?? NaN;
  const at = (full: string) => capacityOf({ ...usual, events_a_day: size(full) });
  t.is(at('a `web` process').cores.web.toFixed(6), '1.000000');
  t.is(at('a `detect` process').cores.detect.toFixed(6), '1.000000');
  t.is(at('the log of one organization').peak.toFixed(3), measured.one_log.toFixed(3));
  t.is(at('16 TB of disk, within a year').disk.toPrecision(6), (16e12).toPrecision(6));
  t.true(capacityOf({ ...usual, events_a_day: 1e6 }).processes.web >= 2);
});

test('a day has all its events, its peak at noon, and no step without any', t => {
  for (const peak of [2, 3, 5]) {
    const arrivals = arrivalsOf({ events_a_day: 8_640_000, peak });
    t.is(Math.round(sum(arrivals)), 8_640_000);
    t.is(Math.round(Math.max(...arrivals) / STEP), 100 * peak);
    t.is(arrivals.indexOf(Math.max(...arrivals)), 43_200 / STEP);
    t.true(Math.min(...arrivals) > 0);
  }
});

test('who analyzes as fast as the peak lets nobody wait; a stop is caught up with what is left over', t => {
  const day = { events_a_day: 8_640_000, peak: 1 };
  t.deepEqual(passDay({ ...day, analyzed_a_second: 101 }), { most_waiting: 0, longest_wait: 0, caught_up: 0 });
  // 600 s of 100 a second wait; 100 a second more than come are analyzed after.
  const { most_waiting, longest_wait, caught_up } = passDay({
    ...day,
    analyzed_a_second: 200,
    stop: { at: 40_000, seconds: 600 },
  });
  t.is(Math.round(most_waiting), 60_000);
  t.true(longest_wait <= 600);
  t.is(caught_up, 600 - STEP);
  t.is(passDay({ ...day, analyzed_a_second: 90 }).caught_up, Infinity);
});

test('the faster the analysis, the fewer wait, on any day', t => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 200 }), (a, b) => {
      const wait = (analyzed_a_second: number) =>
        passDay({ events_a_day: 8_640_000, peak: 3, analyzed_a_second }).most_waiting;
      return wait(Math.max(a, b)) <= wait(Math.min(a, b));
    }),
    { numRuns: 10 },
  );
  t.pass();
});

test('sizes are said in two digits', t => {
  t.deepEqual([1, 35, 999.4, 3_472, 34_722, 999_999, 7.1e14].map(short), [
    '1',
    '35',
    '1 k',
    '3.5 k',
    '35 k',
    '1 M',
    '710 T',
  ]);
});
