import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { redisAddressOf } from '#shared/settings/redis_url_setting.ts';
import { reasonOf } from '#shared/values/file_trouble.ts';
import { addressOf } from '#shared/settings/address.ts';
import { isSet, readConfig, readSetting } from '#shared/settings/config.ts';
import { settingsHelp, withSettingsTable } from '#shared/settings/describe_settings.ts';
import { settings } from '#shared/settings/settings.ts';

const SECRET_KEY = Buffer.alloc(32).toString('base64');
const read = (environment: Record<string, string>) => readConfig({}, { SECRET_KEY, ...environment });

test('the table of settings in the manual is the one of the settings; `npm run settings` writes it', async t => {
  const manual = await readFile('docs/operating.md', 'utf8');
  t.is(withSettingsTable(manual), manual);
  t.throws(() => withSettingsTable('no marks'), { message: /lacks the marks/ });
});

test('a data directory that cannot be written is said in a sentence with what to do', t => {
  const refusal = (DATA_DIR: string) => t.throws(() => readConfig({}, { DATA_DIR }))?.message ?? '';
  // No folder can be made in a file, whoever we are.
  for (const path of [import.meta.filename, join(import.meta.filename, 'data')])
    t.regex(refusal(path), /DATA_DIR: It must be a folder, and there is something else/);
  // Of a folder in there Linux says that it is missing, while it is being made.
  if (process.platform === 'linux')
    t.regex(refusal('/proc/of-nobody'), /^Cannot write .*secret-key: a folder above it is missing.*DATA_DIR\.$/);
  for (const [code, words] of [
    ['EROFS', 'the disk is read-only'],
    ['ENOSPC', 'the disk is full'],
  ] as const)
    t.true(reasonOf(Object.assign(new Error('raw'), { code })).startsWith(words));
});

test('the URL of a database is one of PostgreSQL, and says of TLS what is understood', t => {
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL']) {
    const refusal = (url: string) => t.throws(() => read({ [name]: url }), undefined, url)?.message ?? '';
    t.regex(refusal('mysql://db.example/x'), /like postgres:/);
    t.regex(refusal('db.example'), /like postgres:/);
    t.regex(refusal('postgres://u:secret@db.example/x?ssl=false'), /sslmode=disable/);
    t.notRegex(refusal('postgres://u:secret@db.example/x?ssl=false'), /secret/);
    for (const more of ['', '?ssl=true', '?sslmode=verify-full'])
      t.notThrows(() => read({ [name]: `postgres://db.example/x${more}` }));
  }
});

test('--help names every setting with its default', t => {
  const help = settingsHelp();
  for (const name of Object.keys(settings)) t.regex(help, new RegExp(`^  ${name} \\(.+\\)$`, 'm'));
  t.regex(help, /^ {2}EVENT_MAX_AGE_DAYS \(400\)$/m);
  t.notRegex(help, /\]\(/, 'a link is its text');
});

test('what is not set has its default, and fields of the configuration are named after the settings', t => {
  const config = read({});
  t.like(config, {
    host: '127.0.0.1',
    port: 3000,
    base_url: 'http://127.0.0.1:3000',
    key_env: 'test',
    log_host: '127.0.0.1:3000',
    event_max_age_days: 400,
    rate_limits: { pack: { quota: 60, window: 60 } },
    screening_lists: {},
    ops_read_only: true,
    redis_url: undefined,
  });
  for (const name of Object.keys(settings)) t.true(name.toLowerCase() in config, name);
});

test('where the environment sets PORT and not HOST, everybody can connect; the address stays one to call', t => {
  t.like(read({ PORT: '8080' }), { host: '0.0.0.0', base_url: 'http://127.0.0.1:8080' });
  t.like(read({ PORT: '8080', HOST: '127.0.0.1' }), { host: '127.0.0.1' });
  t.is(readConfig({ PORT: '8080' }, { SECRET_KEY }).host, '127.0.0.1', 'a program that picks a port opens nothing');
  t.is(addressOf('::', 80), 'http://[::1]:80');
  t.is(addressOf('::1', 80), 'http://[::1]:80');
});

test('a value may come from a file, and everything that is wrong is said at once', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'oversight-settings-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const error = t.throws(() => readConfig({}, { PORT: '70000', DATABASE_POOL: 'many', DATA_DIR: folder }));
  t.regex(error.message, /\n {2}PORT: .*\n {2}DATABASE_POOL: /);
  const unfit = { PORT: '1', STORAGE_URL: 's3://bucket?zone=eu', LOG_LEVEL: 'x', ENVIRONMENT: 'production' };
  t.regex(
    t.throws(() => readConfig({}, unfit)).message,
    /\n {2}SECRET_KEY: It is required.*\n {2}STORAGE_URL: It must be file:.*\n {2}LOG_LEVEL: /,
  );
  t.deepEqual(await readdir(folder), [], 'and no secret is made for it');
  const { secret_key } = readConfig({}, { DATA_DIR: folder });
  t.deepEqual(readConfig({}, { SECRET_KEY_FILE: join(folder, 'secret-key') }).secret_key, secret_key);
  t.deepEqual(readConfig({}, { DATA_DIR: folder }).secret_key, secret_key, 'it is made once');
});

test('what is wrong with a setting is said by its name, in words', t => {
  for (const [environment, says] of [
    [{ PORT: 'abc' }, 'PORT: It must be a whole number from 0 to 65535.'],
    [{ DATABASE_POOL: '2.5' }, 'DATABASE_POOL: It must be a whole number from 2 to 200.'],
    [{ BACKUP_EVERY: '5' }, 'BACKUP_EVERY: It must be a number with min, h or d, such as 30min, 12h or 1d.'],
    [{ BASE_URL: 'oversight' }, 'BASE_URL: It must be a URL like https://oversight.example.com.'],
    [{ ENVIRONMENT: 'test' }, 'ENVIRONMENT: It must be one of sandbox, production.'],
    [{ OPS_READ_ONLY: 'no' }, 'OPS_READ_ONLY: It must be true or false.'],
  ] as const)
    t.throws(() => read(environment), { message: `The settings in the environment are not usable:\n  ${says}` });
  t.throws(() => readConfig({}, { SECRET_KEY_FILE: '/nope' }), {
    message: "SECRET_KEY_FILE cannot be read: ENOENT: no such file or directory, open '/nope'.",
  });
});

test('BACKPRESSURE names what it changes, each may be off, and all of it', t => {
  const limits = (BACKPRESSURE: string) => read({ BACKPRESSURE }).backpressure;
  const MB = 1_048_576;
  const usual = { behind: 60, disk: 1_024 * MB, is_disk_set: false, bodies: 32 * MB };
  t.deepEqual(limits(''), usual);
  t.deepEqual(limits('behind=60,disk=1024,bodies=32'), { ...usual, is_disk_set: true });
  t.deepEqual(limits('disk=4000'), { ...usual, disk: 4_000 * MB, is_disk_set: true });
  t.deepEqual(limits(' behind=30 , bodies=off '), { ...usual, behind: 30, bodies: Infinity });
  t.deepEqual(limits('off'), { behind: Infinity, disk: 0, is_disk_set: true, bodies: Infinity });
  for (const text of ['on', 'behind', 'behind=0', 'behind=1.5', 'disk=1GB', 'behind=1,behind=2', 'disk=1,', 'heap=1'])
    t.throws(() => limits(text), { message: /BACKPRESSURE: .*behind=60,disk=1024,bodies=32/ }, text);
});

test('a command prints a setting, as where a key service unwraps a key; one that prints nothing is an error that does not quote it', t => {
  const SECRET_KEY_COMMAND = `printf '%s\\n' ${SECRET_KEY}`;
  t.deepEqual(readConfig({}, { SECRET_KEY_COMMAND }).secret_key, read({}).secret_key);
  t.deepEqual(readSetting('SECRET_KEY', { SECRET_KEY_COMMAND }), read({}).secret_key);
  t.true(isSet('SECRET_KEY', { SECRET_KEY_COMMAND }));
  for (const [command, why] of [
    ['exit 3 # hidden', 'it ended with 3'],
    ['true # hidden', 'its output was empty'],
  ] as const)
    t.throws(() => readConfig({}, { SECRET_KEY_COMMAND: command }), {
      message: `SECRET_KEY_COMMAND printed no value: ${why}.`,
    });
});

test('REDIS_URL names a server, Sentinels with their master, or nodes of a cluster', t => {
  t.like(redisAddressOf('rediss://user:pw@redis.example:6380/2'), { kind: 'server' });
  t.deepEqual(redisAddressOf('redis+sentinel://:p%40ss@a.example,[::1]:26380/ledger/3'), {
    kind: 'sentinel',
    master: 'ledger',
    nodes: [
      { host: 'a.example', port: 26_379 },
      { host: '::1', port: 26_380 },
    ],
    password: 'p@ss',
    db: 3,
    tls: false,
  });
  t.like(redisAddressOf('rediss+sentinel://oversight@10.0.0.1:7000/ledger'), {
    username: 'oversight',
    db: 0,
    tls: true,
  });
  t.like(redisAddressOf('redis+sentinel://u:p@a/ledger?sentinelUsername=w%26w&sentinelPassword=a+b/=='), {
    username: 'u',
    password: 'p',
    sentinelUsername: 'w&w',
    sentinelPassword: 'a+b/==',
  });
  t.deepEqual(redisAddressOf('redis+cluster://:pw@a.example,[::1]:7000/'), {
    kind: 'cluster',
    nodes: [
      { host: 'a.example', port: 6_379 },
      { host: '::1', port: 7_000 },
    ],
    password: 'pw',
    tls: false,
  });
  t.like(redisAddressOf('rediss+cluster://a.example'), { kind: 'cluster', tls: true });
  for (const text of [
    'http://host',
    'redis+sentinel://host',
    'redis+cluster://',
    'redis+cluster://a,,b',
    'redis+cluster://a/1',
    'redis+sentinel://a,,b/m',
    'redis+sentinel://a:x/m',
    'redis+sentinel://%ff@a/m',
    'redis+sentinel://a/m?sentinelPassword=%ff',
    'redis+sentinel://a/m?sentinelPassword=',
    'redis+sentinel://a/m?password=p',
    'redis://',
    '',
  ])
    t.is(redisAddressOf(text), null, text);
});
