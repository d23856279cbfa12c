import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';

const rooms = ['api', 'bin', 'shared', 'sql', 'workers'];

type File = { path: string; room: string; text: string; imports: string[] };

const files: File[] = rooms.flatMap(room =>
  readdirSync(room, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(ts|tsx)$/.test(name))
    .map(name => {
      const text = readFileSync(join(room, name), 'utf8');
      const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].flatMap(match => match[1] ?? []);
      return { path: `${room}/${name}`, room, text, imports };
    }),
);

/** Who may import whom; bin may import all. */
const mayImport: Record<string, string[]> = {
  api: ['shared'],
  workers: ['shared'],
  shared: [],
  sql: ['shared'],
  bin: ['api', 'workers', 'shared', 'sql'],
};

const offenders = (rule: (file: File) => boolean) => files.filter(rule).map(({ path }) => path);

test('every room imports only the rooms it may', t => {
  const wrong = files.flatMap(({ path, room, imports }) =>
    imports
      .flatMap(name => /^#(\w+)\//.exec(name)?.[1] ?? [])
      .filter(target => target !== room && !mayImport[room]?.includes(target))
      .map(target => `${path} imports from ${target}`),
  );
  t.deepEqual(wrong, []);
});

test('no relative import leaves its room', t => {
  const leaves = ({ path, room, imports }: File) =>
    imports.some(name => name.startsWith('.') && !join(dirname(path), name).startsWith(`${room}/`));
  t.deepEqual(offenders(leaves), []);
});

test('Koa is known to the API alone', t => {
  t.deepEqual(
    offenders(
      ({ room, imports }) => room !== 'api' && imports.some(name => name === 'koa' || name.startsWith('@koa/')),
    ),
    [],
  );
});

test('BullMQ is known to the workers, the two queue files and the migration of its tables', t => {
  const known = new Set(['shared/platform/queue.ts', 'shared/platform/jobs.ts', 'sql/migrate.ts']);
  t.deepEqual(
    offenders(({ path, room, imports }) => room !== 'workers' && !known.has(path) && imports.includes('bullmq')),
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
    offenders(({ room, text }) => room !== 'bin' && /\bconsole\./.test(text)),
    [],
  );
});

test('no file is longer than 300 lines', t => {
  t.deepEqual(
    offenders(({ path, text }) => path !== 'api/client/generated.ts' && text.split('\n').length > 301),
    [],
  );
});
