import test from 'ava';
import { fileURLToPath } from 'node:url';
import { ListEntry } from '#shared/screening/matcher/entry.ts';
import { readAll } from '#test/fixtures/lists/reading.ts';

const path = fileURLToPath(import.meta.resolve('#shared/screening/lists/fictional.csv'));

test('the fictional list is a list like any other: persons, companies, ships, wallets and domains', async t => {
  const { entries, summary } = await readAll('csv', path);
  t.like(summary, { entries: 60, skipped: 0, shortened: 0 });
  for (const entry of entries) t.notThrows(() => ListEntry.parse(entry));
  const kinds = new Set(entries.flatMap(({ type, keys }) => [type, ...keys.map(key => key.type)]));
  for (const kind of ['person', 'organization', 'vessel', 'aircraft', 'wallet', 'domain', 'iban', 'bic', 'lei', 'imo'])
    t.true(kinds.has(kind as never), kind);
});

test('its names exist nowhere: sites end in .example, and most have another script', async t => {
  const { entries } = await readAll('csv', path);
  const sites = entries.flatMap(({ keys }) => keys.filter(({ type }) => type === 'domain' || type === 'email'));
  t.true(sites.length > 10 && sites.every(({ value }) => value.endsWith('.example')));
  const scripts = entries.filter(({ aliases }) => aliases.some(({ name }) => /[^\p{Script=Latin}\P{L}]/u.test(name)));
  t.true(scripts.length >= 20, String(scripts.length));
});
