import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { z } from 'zod';
import { mayBeFolder } from '#shared/values/folders.ts';
import { addressOf } from './address.ts';
import { BackupUrlSetting } from './backup_url_setting.ts';
import { BackpressureSetting, DEFAULT_BACKPRESSURE, UNSET_BACKPRESSURE } from './backpressure_setting.ts';
import { ChainUrlsSetting } from './chain_urls_setting.ts';
import { CheckpointWitnessSetting } from './checkpoint_witness_setting.ts';
import { Every } from './every.ts';
import { LogSigningKeySetting } from './log_signing_key_setting.ts';
import { madeOnce } from './made_once.ts';
import { OpsCredentialSetting } from './ops_credential_setting.ts';
import { DEFAULT_RATE_LIMITS, RateLimitsSetting } from './rate_limits_setting.ts';
import { RatesSetting } from './rates_setting.ts';
import { RedisUrlSetting } from './redis_url_setting.ts';
import { ScreeningListsSetting } from './screening_lists_setting.ts';
import { SecretKeySetting } from './secret_key_setting.ts';
import type { Setting } from './setting.ts';
import { StorageUrlSetting } from './storage_url_setting.ts';

const oneOf = <const T extends readonly string[]>(texts: T) =>
  z.enum(texts, { error: `It must be one of ${texts.join(', ')}.` });
const flag = z
  .enum(['true', 'false', '1', '0', ''], { error: 'It must be true or false.' })
  .transform(text => text === 'true' || text === '1');
const wholeNumber = (least: number, most: number) => {
  const error = `It must be a whole number from ${least} to ${most}.`;
  return z.coerce
    .number({ error })
    .refine(value => Number.isInteger(value) && value >= least && value <= most, { error });
};
const port = wholeNumber(0, 65_535);
const databaseUrl = z
  .url({
    protocol: /^postgres(ql)?$/,
    error: 'It must be a URL like postgres://user:password@host:5432/database.',
    abort: true,
  })
  // pg takes any other text for the options of TLS, and fails over it.
  .refine(url => [null, 'true', '1', '0'].includes(new URL(url).searchParams.get('ssl')), {
    error: 'Of TLS it must say `sslmode`, such as `sslmode=verify-full` or `sslmode=disable`.',
  });

/** Every setting of the service: `Config`, `--help` and the table of the manual are made of this. */
export const settings = {
  HOST: {
    schema: z.string(),
    default: (_texts, environment) => (environment['PORT'] ? '0.0.0.0' : '127.0.0.1'),
    otherwise: '127.0.0.1; 0.0.0.0 where the environment sets `PORT`',
    about: 'the address that the API listens on',
  },
  PORT: { schema: port, default: '3000', about: 'the port that the API listens on; 0 takes any free one' },
  BASE_URL: {
    schema: z
      .url({ protocol: /^https?$/, error: 'It must be a URL like https://oversight.example.com.' })
      .transform(url => url.replace(/\/+$/, '')),
    default: ({ HOST = '', PORT }) => addressOf(HOST, Number(PORT)),
    otherwise: 'of `HOST` and `PORT`',
    about: 'the address that people use. Passkeys need a host name in it, not an IP address: `http://localhost:3000`',
  },
  ENVIRONMENT: {
    schema: oneOf(['sandbox', 'production']),
    default: 'sandbox',
    about: 'or `production`: live keys, https webhooks, `SECRET_KEY` required',
  },
  DATABASE_URL: {
    schema: databaseUrl,
    otherwise: 'embedded',
    about:
      "PostgreSQL 15 or newer. Migrations run as the role of the URL; the service then acts as the role `oversight_service`, which they make and which cannot change the log. As its owner the URL's role must be able to create roles, or the role must be there and granted to it",
  },
  DATABASE_READ_URL: {
    schema: databaseUrl,
    about:
      'a streaming standby of `DATABASE_URL`: lists and statistics are read from it where it has all that they are made of, and from `DATABASE_URL` while it is behind or away',
  },
  DATABASE_READ_DELAY: {
    schema: wholeNumber(1, 60),
    default: '2',
    about: 'how many seconds the standby of `DATABASE_READ_URL` may be behind',
  },
  REDIS_URL: {
    schema: RedisUrlSetting,
    otherwise: 'queue in PostgreSQL',
    about:
      'Redis 6.2 or newer, or Valkey, for more jobs per second: `redis://host:6379`, with Sentinel `redis+sentinel://host:26379,host:26379/master` (`?sentinelUsername=…&sentinelPassword=…` where the Sentinels ask for them), of a cluster some nodes `redis+cluster://host:6379,host:6379`; `rediss` for TLS',
  },
  DATA_DIR: {
    schema: z
      .string()
      .transform(path => resolve(path))
      .refine(mayBeFolder, 'It must be a folder, and there is something else in its place or above it.'),
    default: '.data',
    about: 'embedded database, generated secrets, packs',
  },
  SECRET_KEY: {
    schema: SecretKeySetting,
    default: ({ ENVIRONMENT, DATA_DIR = '' }) =>
      ENVIRONMENT === 'production' ? '' : madeOnce(DATA_DIR, 'secret-key', () => randomBytes(32).toString('base64')),
    otherwise: 'made once in `DATA_DIR`; required in production',
    about:
      '32 bytes as base64: encrypts secrets at rest, authenticates cursors. While it [changes](#changing-secret_key), more than one by commas: the first seals, all open',
  },
  EVENT_MAX_AGE_DAYS: { schema: wholeNumber(1, 36_500), default: '400', about: 'older events are refused' },
  WEBHOOK_ALLOW_PRIVATE: { schema: flag, default: 'false', about: 'allow webhooks to private addresses' },
  SMTP_URL: {
    schema: z.url({
      protocol: /^smtps?$/,
      error: 'It must be a URL like smtp://user:password@host:587?from=name@example.com.',
    }),
    about:
      'where mails go: `smtp://user:password@host:587`, with `?from=` for a sender other than `no-reply@` our host. Unset, they are written to `DATA_DIR/mail`, and a sandbox logs the sign-in link',
  },
  RATE_LIMITS: {
    schema: RateLimitsSetting,
    default: DEFAULT_RATE_LIMITS,
    about: 'requests of one credential a second (`/min`, `/hour`); `off`',
  },
  BACKPRESSURE: {
    schema: BackpressureSetting,
    default: () => UNSET_BACKPRESSURE,
    otherwise: `\`${DEFAULT_BACKPRESSURE}\``,
    about:
      "when events are refused for a while: analysis of their log this many seconds `behind`, fewer MB than these free on the embedded database's `disk` (where `disk` is left out, or than a twentieth of one below 20 GB), more MB of `bodies` in hand, of requests or of answers that are not read; each may be `off`, or all of it. Apart from `RATE_LIMITS`",
  },
  LOG_SIGNING_KEY: {
    schema: LogSigningKeySetting,
    otherwise: 'made once, sealed in the database',
    about:
      'Ed25519, PKCS #8 PEM or 32 bytes as base64: signs checkpoints and packs; those before it stay in `GET /v1/keys.json`. Another of our own: `admin log rotate-key`',
  },
  CHECKPOINT_WITNESS: {
    schema: CheckpointWitnessSetting,
    about: 'where every checkpoint goes besides: a file that is appended to, or a URL that it is posted to',
  },
  STORAGE_URL: {
    schema: StorageUrlSetting,
    otherwise: '`DATA_DIR/files`',
    about:
      'where packs, exports and archives are kept: `file:///a/folder` that `web` and `pack` share, or `s3://bucket/prefix?region=…`, with `&endpoint=https://…` for a service other than AWS; keys from `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`',
  },
  BACKUP_URL: {
    schema: BackupUrlSetting,
    otherwise: 'none are taken',
    about:
      'where `schedule` puts [backups](#scheduled-backups): `/a/folder`, or `s3://bucket/prefix?region=…` as in `STORAGE_URL`. Not inside `STORAGE_URL`',
  },
  BACKUP_EVERY: { schema: Every, default: '1d', about: 'how often, such as `12h`; `1d` is at midnight UTC' },
  BACKUP_KEEP: { schema: wholeNumber(1, 1_000), default: '7', about: 'how many of them are kept' },
  BACKUP_PASSPHRASE: {
    schema: z.string().min(12, 'It must have at least 12 characters.'),
    otherwise: 'not encrypted',
    about: 'encrypts them; 12 characters or more',
  },
  CHAIN_RPC_URLS: {
    schema: ChainUrlsSetting,
    default: '{}',
    otherwise: 'unset',
    about:
      'JSON: where chains are read, `{"eip155:8453":"https://…"}` (EVM), for `detect` and `schedule` alike. Unset, what only a chain can show stays inconclusive',
  },
  SCREENING_LISTS: {
    schema: ScreeningListsSetting,
    default: '{}',
    otherwise: 'unset',
    about:
      'JSON: lists to fetch, by name: `{"ofac":{"format":"ofac-sdn","urls":["https://…/sdn.csv","https://…/alt.csv"],"every":"12h"}}`, for `schedule` and `screen` alike; `"allow_private":true` for a mirror on a network of your own',
  },
  RATES: {
    schema: RatesSetting,
    otherwise: 'the rates that come with the service',
    about:
      'where exchange rates are fetched: `ecb` (the European Central Bank’s file, at its own address), an https address or the path of a file; or JSON, `{"from":"https://…/rates.csv","every":"6h"}`, with `"allow_private":true` for a mirror on a network of your own. For `schedule` and `screen` alike',
  },
  TRUSTED_PROXIES: {
    schema: wholeNumber(0, 10),
    default: '0',
    about:
      "how many proxies in front are trusted about the client's address (with fewer than there are, everyone behind one counts as one: five wrong guesses by anyone hold up signing in, and `/ops`, for all)",
  },
  DATABASE_POOL: {
    schema: wholeNumber(2, 200),
    default: '10',
    about: "connections of a process, besides the queue's",
  },
  METRICS_PORT: {
    schema: port,
    about:
      "where each process serves `/metrics`, `/livez` and `/readyz`; in a sandbox `/metrics` is on the API's port too",
  },
  OPS_CREDENTIAL: {
    schema: OpsCredentialSetting,
    otherwise: 'in a sandbox `npm start` makes one in `DATA_DIR` and prints it',
    about: '`user:password`, twelve characters or more: opens `/ops` to operators. Without one there is no such page',
  },
  OPS_READ_ONLY: {
    schema: flag,
    default: 'true',
    about: '`false` lets operators retry and remove jobs and pause queues at `/ops`',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: z.url({
      protocol: /^https?$/,
      error: 'It must be the base URL of a collector, like http://localhost:4318.',
    }),
    about:
      'where traces go: the base URL of an OpenTelemetry collector (OTLP over HTTP). A trace leads from a request through its jobs to their webhooks. Unset, nothing is traced',
  },
  LOG_LEVEL: {
    schema: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    otherwise: 'info (warn at a terminal)',
    about: 'the least level that is logged, as JSON lines on stdout',
  },
} satisfies Record<string, Setting>;
