import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'ava';
import { world } from '#test/helpers/world.ts';

const RULES = 'api/ops/alerts.yaml';

type Panel = {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  fieldConfig: { defaults: { unit?: string } };
  targets?: { expr: string; datasource: { uid: string } }[];
};

const { __inputs: inputs, ...dashboard } = JSON.parse(readFileSync('api/ops/grafana.json', 'utf8')) as {
  __inputs: { name: string; type: string; pluginId: string }[];
  schemaVersion: number;
  id: null;
  panels: Panel[];
};
const charts = dashboard.panels.filter(({ type }) => type !== 'row');

/** What follows `expr:` in the rules: a line, or a folded block of deeper lines. */
function expressionsOf(yaml: string): string[] {
  return [...yaml.matchAll(/^ {8}expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)/gm)].map(
    ([, block, line]) => block ?? line ?? '',
  );
}

/** The metrics a PromQL expression names: what is left when labels, ranges, groupings and functions are taken away. */
function metricsIn(expr: string): string[] {
  const bare = expr
    .replaceAll(/\{[^}]*\}/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ');
  return [...bare.matchAll(/(?<![\w.])[a-z_]\w*(?!\w|\s*\()/g)]
    .map(([name]) => name)
    .filter(name => !['and', 'or', 'unless', 'offset', 'bool', 'sum', 'max'].includes(name));
}

test('every metric that the dashboard and the alert rules ask for is one that the service has', async t => {
  const { services } = await world(t, { own_database: true });
  const known = new Set(['up']);
  for (const { name, type } of await services.metrics.registry.getMetricsAsJSON()) {
    known.add(name);
    if (String(type) === 'histogram') for (const part of ['bucket', 'sum', 'count']) known.add(`${name}_${part}`);
  }
  const rules = expressionsOf(readFileSync(RULES, 'utf8'));
  const asked = charts.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  t.true(rules.length >= 19 && asked.length >= 36);
  const named = new Set([...rules, ...asked].flatMap(metricsIn));
  t.deepEqual(
    [...named].filter(name => !known.has(name)),
    [],
  );
  // And the other way: what the service measures of itself is shown or watched somewhere.
  const own = [...known].filter(name => !/^(nodejs_|process_|up$)/.test(name) && !/_(bucket|sum|count)$/.test(name));
  const shown = (name: string) => named.has(name) || named.has(`${name}_bucket`) || named.has(`${name}_count`);
  t.deepEqual(
    own.filter(name => !shown(name)),
    [],
  );
});

test('the dashboard asks for its data source when it is imported, and every panel says what it shows, in which unit', t => {
  t.like(inputs, [{ name: 'DS_PROMETHEUS', type: 'datasource', pluginId: 'prometheus' }]);
  t.true(dashboard.schemaVersion >= 36);
  t.is(dashboard.id, null);
  t.is(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  for (const { title, description, fieldConfig, targets, gridPos } of charts) {
    t.truthy(description, title);
    t.truthy(fieldConfig.defaults.unit, title);
    t.true(gridPos.x + gridPos.w <= 24, title);
    t.true(
      targets?.every(({ datasource }) => datasource.uid === '${DS_PROMETHEUS}'),
      title,
    );
  }
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool) console.log('No promtool on the PATH: the alert rules are not checked by Prometheus itself.');
const withPromtool = hasPromtool ? test : test.skip;

withPromtool('Prometheus takes the alert rules, and they fire when they should', t => {
  for (const args of [
    ['check', 'rules', RULES],
    ['test', 'rules', 'test/fixtures/ops/alerts_test.yaml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
    t.is(status, 0, stdout + stderr);
  }
});
