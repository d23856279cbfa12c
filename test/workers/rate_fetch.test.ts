import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createRateTable, saveRates } from '#shared/events/input/fx_rates.ts';
import { fetchRates } from '#shared/events/input/fetch_rates.ts';
import { readRateSource } from '#shared/events/input/rate_sources.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { HOUR, MINUTE } from '#shared/values/time.ts';
import { endOf } from '#test/helpers/job.ts';
import { listening } from '#test/helpers/listening.ts';
import { world } from '#test/helpers/world.ts';
import { createHandler } from '#workers/handlers/rate_fetch.ts';

const days = (dollars: string) => `Date,USD,JPY,\n2026-11-20,${dollars},186.75,\n2019-01-02,1.1397,124.4,\n`;

/** A publisher of the euro's rates, and a service that is told to fetch them; `pass` is what the schedule does as time passes. */
async function publisher(t: ExecutionContext) {
  const published = { content: days('1.16'), asked: 0, status: 200 };
  const server = createServer((request, response) => {
    published.asked += 1;
    const etag = `"${published.content}"`.replaceAll('\n', ' ');
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(published.status, { etag }).end(published.content);
  });
  const from = `http://127.0.0.1:${await listening(t, server)}/eurofxref-hist.csv?key=secret`;
  let time = Date.parse('2026-11-20T18:00:00Z');
  const w = await world(t, { settings: { RATES: JSON.stringify({ from, allow_private: true }) }, now: () => time });
  const { config, db, services } = w;
  const id = config.rates?.id ?? '';
  const fetch = createHandler(services);
  return {
    ...w,
    published,
    async pass(milliseconds: number) {
      time += milliseconds;
      const due = await reconcileKind('rate_fetch', services);
      if (due > 0) await endOf(fetch({ id }));
      return due;
    },
    rateOf: async (currency: string, date = '2026-11-21') =>
      (await createRateTable(db, () => time).current()).rateFor(currency, date),
    source: () => readRateSource(db, id),
  };
}

test('rates are fetched at once and then every six hours, and win over those that come with the service', async t => {
  const { pass, published, rateOf, config, db } = await publisher(t);
  t.like(await rateOf('EUR'), { source: 'reference' });
  t.is(await pass(0), 1);
  t.deepEqual(await rateOf('EUR'), { usd_per_unit: '1.16', date: '2026-11-20', source: 'fetched' });
  t.deepEqual(await rateOf('JPY'), { usd_per_unit: '0.006211512717537', date: '2026-11-20', source: 'fetched' });
  t.like(await rateOf('GBP'), { source: 'reference' });
  t.like(
    await rateOf('EUR', '2019-01-05'),
    { source: 'reference' },
    'rates of days that no event can be of are not kept',
  );
  t.is(await pass(5 * HOUR), 0);
  t.is(await pass(2 * HOUR), 1);
  t.is(published.asked, 2);
  await saveRates(db, [{ currency: 'EUR', date: '2026-11-20', usd_per_unit: '1.15' }]);
  published.content = days('1.17');
  await pass(7 * HOUR);
  t.like(await rateOf('EUR'), { usd_per_unit: '1.15', source: 'operator' }, 'what the operator loaded stays');
  t.like(await rateOf('JPY'), { usd_per_unit: '0.006265060240964' });
  t.deepEqual(await readdir(join(config.data_dir, 'rates')), [], 'no files are left behind');
});

test('a publisher that is away, or sends something else, changes nothing, and is asked again later and later', async t => {
  const { pass, published, rateOf, source } = await publisher(t);
  await pass(0);
  published.status = 500;
  published.content = '<html>Sorry</html>';
  t.is(await pass(7 * HOUR), 1);
  const { attempts, error } = await source();
  t.is(attempts, 1);
  t.regex(error ?? '', /answered 500$/);
  t.notRegex(error ?? '', /secret/);
  t.is(await pass(50_000), 0);
  published.status = 200;
  t.is(await pass(MINUTE), 1);
  t.like(await source(), {
    attempts: 2,
    error:
      'The file holds no rates. It needs the columns date,currency,usd_per_unit, or is a file of the European Central Bank.',
  });
  t.like(await rateOf('EUR'), { usd_per_unit: '1.16', source: 'fetched' });
  published.content = days('1.18');
  await pass(HOUR);
  t.like(await source(), { attempts: 0, error: null });
  t.like(await rateOf('EUR'), { usd_per_unit: '1.18' });
});

test('rates are read from a file, too, and anew when it has changed', async t => {
  const w = await world(t, { own_database: true });
  const path = join(w.config.data_dir, 'rates.csv');
  const fetch = () => fetchRates(w.services, { id: 'file', from: path, every: HOUR, allow_private: false });
  await t.throwsAsync(fetch(), { message: /cannot be read: ENOENT/ });
  const today = new Date().toISOString().slice(0, 10);
  await writeFile(path, `date,currency,usd_per_unit\n${today},KPW,0.0011\n`);
  t.deepEqual(await fetch(), { loaded: 1, newest: today });
  t.is(await fetch(), null);
  await writeFile(path, `date,currency,usd_per_unit\n${today},KPW,0.0012\n`);
  t.deepEqual(await fetch(), { loaded: 1, newest: today });
});

test('a job for rates that are not configured here is left to others', async t => {
  const { services, published } = await publisher(t);
  await createHandler(services)({ id: 'another' });
  t.is(published.asked, 0);
});
