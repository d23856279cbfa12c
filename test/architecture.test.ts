import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import test from 'ava';

/** The rooms at the top, and whom each may import; `bin` holds the commands a person types and may import all. */
const houses: Record<string, readonly string[]> = {
  api: ['shared'],
  workers: ['shared'],
  shared: [],
  sql: ['shared'],
  bin: ['api', 'workers', 'shared', 'sql'],
};

/** The rooms of `shared/`, floor by floor from the ground up. A room imports what lies on lower floors. */
const floors: readonly (readonly string[])[] = [
  ['values', 'json', 'settings', 'platform', 'interface', 'outbound', 'embedded_postgres'],
  ['events', 'webhooks'],
  ['ledger', 'mandates', 'keys'],
  ['people', 'verification'],
  ['assessment', 'casework', 'sources'],
  ['detection'],
  ['reassessment', 'screening'],
  ['packs', 'search'],
  ['exports'],
  ['erasure'],
  ['running'],
  ['backup'],
];

/** What a room may import of its own floor. */
const beside: Record<string, readonly string[]> = {
  json: ['values'],
  settings: ['values'],
  platform: ['settings', 'values'],
  interface: ['platform', 'values'],
  outbound: ['interface', 'values'],
  embedded_postgres: ['values'],
};

/** The floors inside the rooms that have some, from the ground up: what is pure, what is stored, what flows. */
const innerFloors: Record<string, readonly string[]> = {
  events: ['input', 'parties', 'log', 'ranges'],
  detection: ['model', 'detectors', 'settings', 'conduct', 'load', 'consumer', 'sweeps', 'backtest'],
  screening: ['matcher', 'lists', 'store', 'search', 'flow'],
};

type File = { path: string; house: string; text: string; names: string[]; imports: string[] };

const importedNames =
  /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s+'([^']+)'|\bimport\s*\(\s*'([^']+)'|^\s*import\s+'([^']+)'/gm;

/** The path in the tree that an import names; undefined for a package. */
function pathOf(path: string, name: string): string | undefined {
  if (name.startsWith('#')) return name.slice(1);
  return name.startsWith('.') ? join(dirname(path), name) : undefined;
}

const files: File[] = Object.keys(houses).flatMap(house =>
  readdirSync(house, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(ts|tsx)$/.test(name))
    .map(name => {
      const path = `${house}/${name}`;
      const text = readFileSync(path, 'utf8');
      const names = [...text.matchAll(importedNames)].flatMap(([, ...found]) => found.find(Boolean) ?? []);
      return { path, house, text, names, imports: names.flatMap(each => pathOf(path, each) ?? []) };
    }),
);

const offenders = (rule: (file: File) => boolean) => files.filter(rule).map(({ path }) => path);

/** Every import of one file of `shared/` by another, where `part` says of which part of the tree each is. */
const crossings = (part: (path: string) => string | undefined) =>
  files.flatMap(({ path, imports }) =>
    imports.flatMap(target => {
      const [from, to] = [part(path), part(target)];
      return from && to && from !== to ? [{ path, target, from, to }] : [];
    }),
  );

test('each house imports only the houses it may', t => {
  const wrong = crossings(path => path.split('/')[0])
    .filter(({ from, to }) => !houses[from]?.includes(to))
    .map(({ path, target }) => `${path} imports ${target}`);
  t.deepEqual(wrong, []);
});

test('a room of shared imports what lies on lower floors, and of its own floor what the table names', t => {
  const room = (path: string) => /^shared\/([^/]+)\//.exec(path)?.[1];
  const floorOf = new Map(floors.flatMap((rooms, floor) => rooms.map(name => [name, floor] as const)));
  const rooms = readdirSync('shared', { withFileTypes: true });
  t.deepEqual(rooms.map(({ name }) => name).toSorted(), [...floorOf.keys()].toSorted());
  const wrong = crossings(room)
    .filter(({ from, to }) => (floorOf.get(to) ?? 0) >= (floorOf.get(from) ?? 0) && !beside[from]?.includes(to))
    .map(({ path, target }) => `${path} imports ${target}`);
  t.deepEqual(wrong, []);
});

test('CONTRIBUTING shows the rooms on their floors', t => {
  const rows = readFileSync('docs/CONTRIBUTING.md', 'utf8').matchAll(/^\| (\d+) \| (.*) \|$/gm);
  const shown = [...rows].map(([, floor, rooms = '']) => [
    Number(floor),
    ...[...rooms.matchAll(/\*\*(\w+)\*\*/g)].map(([, name]) => name),
  ]);
  t.deepEqual(
    shown,
    floors.map((rooms, index) => [index + 1, ...rooms]),
  );
});

test('inside a room of several floors, too, imports lead downward', t => {
  const wrong = Object.entries(innerFloors).flatMap(([room, inner]) =>
    crossings(path => new RegExp(`^shared/${room}/([^/]+)/`).exec(path)?.[1])
      .filter(({ from, to }) => inner.indexOf(to) >= inner.indexOf(from))
      .map(({ path, target }) => `${path} imports ${target}`),
  );
  t.deepEqual(wrong, []);
});

test('no files import each other in a circle, types included', t => {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, way: readonly string[]) => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' -> '));
    if (done.has(path) || way.includes(path)) return;
    for (const target of importsOf.get(path) ?? []) visit(target, [...way, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  t.deepEqual(circles, []);
});

test('an import names a file of the same folder by ./ and any other by #', t => {
  const wrong = files.flatMap(({ path, names }) =>
    names
      .filter(name => {
        const target = pathOf(path, name);
        return target && (dirname(target) === dirname(path)) !== name.startsWith('./') && !name.endsWith('.css');
      })
      .map(name => `${path} imports ${name}`),
  );
  t.deepEqual(wrong, []);
});

test('the library for TypeScript ships alone: of what is outside its folder it takes types at most, in one file', t => {
  const inside = files.filter(({ path }) => path.startsWith('api/client/'));
  const wrong = inside.flatMap(({ path, names }) =>
    names
      .filter(name => !name.startsWith('./') && path !== 'api/client/operations.ts')
      .map(name => `${path} imports ${name}`),
  );
  t.deepEqual(wrong, []);
  const operations = inside.find(({ path }) => path === 'api/client/operations.ts');
  t.notRegex(operations?.text ?? '', /^import (?!type )/m);
});

test('the product imports no package but its dependencies', t => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
  const allowed = new Set([...Object.keys(dependencies), ...builtinModules]);
  const packageOf = (name: string) => /^(?:node:)?((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1] ?? name;
  const wrong = files.flatMap(({ path, names }) =>
    names.filter(name => !/^[.#]/.test(name) && !allowed.has(packageOf(name))).map(name => `${path} imports ${name}`),
  );
  t.deepEqual(wrong, []);
});

test('everything that is installed with the product may be used and passed on freely', t => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean; license?: string }>;
  };
  const free = /^(Apache-2\.0|MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|BlueOak-1\.0\.0|OFL-1\.1|\(MIT OR CC0-1\.0\))$/;
  const others = Object.entries(packages).filter(([, { dev, license }]) => !dev && !free.test(license ?? 'none'));
  t.deepEqual(
    others.map(([path, { license }]) => `${path}: ${license ?? 'none'}`),
    [],
  );
});

test('Koa is known to the API alone', t => {
  t.deepEqual(
    offenders(({ house, names }) => house !== 'api' && names.some(name => /^(koa|koa-.*|@koa\/.*)$/.test(name))),
    [],
  );
});

test('BullMQ is known to the workers, the two queue files and the migration of its tables', t => {
  const known = new Set(['shared/platform/queue.ts', 'shared/platform/jobs.ts', 'sql/migrate.ts']);
  t.deepEqual(
    offenders(({ path, house, names }) => house !== 'workers' && !known.has(path) && names.includes('bullmq')),
    [],
  );
});

test('the environment is read in one file', t => {
  t.deepEqual(
    offenders(({ path, text }) => path !== 'shared/settings/config.ts' && /process\.env\b/.test(text)),
    [],
  );
});

test('only commands that a person types write to the console', t => {
  t.deepEqual(
    offenders(({ house, text }) => house !== 'bin' && /\bconsole\./.test(text)),
    [],
  );
});

test('no file is longer than 300 lines', t => {
  t.deepEqual(
    offenders(({ text }) => text.split('\n').length > 301),
    [],
  );
});
