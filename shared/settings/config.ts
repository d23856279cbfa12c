import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type KeyObject, randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type CheckpointWitness, CheckpointWitnessSetting } from './checkpoint_witness_setting.ts';
import { LogSigningKeySetting } from './log_signing_key_setting.ts';
import { type OpsCredential, OpsCredentialSetting } from './ops_credential_setting.ts';
import { type ConfiguredList, ScreeningListsSetting } from './screening_lists_setting.ts';
import { defaultRateLimits, type LimitName, type RateLimit, RateLimitsSetting } from './rate_limits.ts';

const flag = z.enum(['true', 'false', '1', '0', '']).transform(value => value === 'true' || value === '1');
const chainUrlsExpected = 'It must be JSON like {"eip155:8453":"https://rpc.example.com"}: EVM chains by CAIP-2 id.';
const port = z.coerce.number().int().min(0).max(65_535);

/** JSON: the JSON-RPC URL of each chain that is read, by CAIP-2 id. The message never quotes it: such URLs hold keys. */
const ChainUrls = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: chainUrlsExpected });
      return z.NEVER;
    }
  })
  .pipe(
    z.record(z.string().regex(/^eip155:[1-9][0-9]{0,17}$/), z.url({ protocol: /^https?$/ }), {
      error: chainUrlsExpected,
    }),
  );

/** Every setting of the service. The environment is read here and nowhere else. */
const Settings = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(3000),
  BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  ENVIRONMENT: z.enum(['sandbox', 'production']).default('sandbox'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'It must be a URL like postgres://user:password@host:5432/database.' })
    .optional(),
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'It must be a URL like redis://host:6379.' }).optional(),
  DATA_DIR: z.string().default('.data'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'It must be a URL like smtp://user:password@host:587?from=name@example.com.' })
    .optional(),
  EVENT_MAX_AGE_DAYS: z.coerce.number().int().min(1).max(36_500).default(400),
  SECRET_KEY: z.base64().optional(),
  WEBHOOK_ALLOW_PRIVATE: flag.default(false),
  METRICS_PORT: port.optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).optional(),
  DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(10),
  RATE_LIMITS: RateLimitsSetting.default(defaultRateLimits),
  CHAIN_RPC_URLS: ChainUrls.default({}),
  SCREENING_LISTS: ScreeningListsSetting.default({}),
  LOG_SIGNING_KEY: LogSigningKeySetting.optional(),
  CHECKPOINT_WITNESS: CheckpointWitnessSetting.optional(),
  STORAGE_URL: z.string().optional(),
  OPS_CREDENTIAL: OpsCredentialSetting.optional(),
  OPS_READ_ONLY: flag.default(true),
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
});

export type Config = {
  host: string;
  port: number;
  base_url: string;
  environment: 'sandbox' | 'production';
  key_env: 'test' | 'live';
  database_url: string | undefined;
  redis_url: string | undefined;
  data_dir: string;
  /** Where mail goes; its query `from` is the sender, `no-reply@` our host by default. Undefined: into files in DATA_DIR. */
  smtp_url: string | undefined;
  event_max_age_days: number;
  secret_key: Buffer;
  webhook_allow_private: boolean;
  metrics_port: number | undefined;
  /** Undefined when nobody chose one. */
  log_level: string | undefined;
  database_pool: number;
  /** By name, for each credential; null when there are none. */
  rate_limits: Record<LimitName, RateLimit> | null;
  /** Where chains are read, by CAIP-2 id. These URLs may hold secrets. */
  chain_rpc_urls: Record<string, string>;
  /** Lists that the deployment fetches by itself, by name. */
  screening_lists: Record<string, ConfiguredList>;
  /** The Ed25519 key that signs checkpoints and packs, as PKCS #8 PEM or its 32 bytes in base64; undefined: one that is made once. */
  log_signing_key: KeyObject | undefined;
  /** The host that logs are named after. */
  log_host: string;
  /** Where every checkpoint goes besides. */
  checkpoint_witness: CheckpointWitness | undefined;
  /** Where packs are kept; undefined: in DATA_DIR. Of `s3:` it may hold a secret. */
  storage_url: string | undefined;
  /** Opens `/ops`; undefined: there is no such thing. */
  ops_credential: OpsCredential | undefined;
  /** Whether operators may only look. */
  ops_read_only: boolean;
  /** How many proxies in front of the service are believed for the address of the client. */
  trusted_proxies: number;
};

/**
 * Reads the settings from the environment (`NAME`, or `NAME_FILE` naming a file that holds the value), the process's own when left out.
 * `overrides` win over it. Throws one Error that lists everything wrong with them.
 */
export function readConfig(
  overrides: Record<string, string | undefined> = {},
  environment: Record<string, string | undefined> = process.env,
): Config {
  const named = { ...environment, ...overrides };
  const given = Object.fromEntries(
    Object.keys(Settings.shape)
      .map(name => [name, valueOf(named, name)] as const)
      .filter(([, value]) => value),
  );
  const parsed = Settings.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map(issue => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`The settings in the environment are not usable:\n${lines.join('\n')}`);
  }
  const settings = parsed.data;
  const data_dir = resolve(settings.DATA_DIR);
  return {
    host: settings.HOST,
    port: settings.PORT,
    base_url: (settings.BASE_URL ?? `http://${settings.HOST}:${settings.PORT}`).replace(/\/+$/, ''),
    environment: settings.ENVIRONMENT,
    key_env: settings.ENVIRONMENT === 'production' ? 'live' : 'test',
    database_url: settings.DATABASE_URL,
    redis_url: settings.REDIS_URL,
    data_dir,
    smtp_url: settings.SMTP_URL,
    event_max_age_days: settings.EVENT_MAX_AGE_DAYS,
    secret_key: secretKey(settings.SECRET_KEY, settings.ENVIRONMENT, data_dir),
    webhook_allow_private: settings.WEBHOOK_ALLOW_PRIVATE,
    metrics_port: settings.METRICS_PORT,
    log_level: settings.LOG_LEVEL,
    database_pool: settings.DATABASE_POOL,
    rate_limits: settings.RATE_LIMITS,
    chain_rpc_urls: settings.CHAIN_RPC_URLS,
    screening_lists: settings.SCREENING_LISTS,
    log_signing_key: settings.LOG_SIGNING_KEY,
    log_host: logHost(settings.BASE_URL ?? `http://${settings.HOST}:${settings.PORT}`),
    checkpoint_witness: settings.CHECKPOINT_WITNESS,
    storage_url: settings.STORAGE_URL,
    ops_credential: settings.OPS_CREDENTIAL,
    ops_read_only: settings.OPS_READ_ONLY,
    trusted_proxies: settings.TRUSTED_PROXIES,
  };
}

/** With its port, unless that is any free one: the name of a log outlasts a process. */
const logHost = (base_url: string) => new URL(base_url).host.replace(/:0$/, '');

function valueOf(environment: Record<string, string | undefined>, name: string): string | undefined {
  const file = environment[`${name}_FILE`];
  return environment[name] ?? (file ? readFileSync(file, 'utf8').trim() : undefined);
}

/** 32 bytes that encrypt secrets at rest. A sandbox makes its own once and keeps it in DATA_DIR; production must bring it. */
function secretKey(given: string | undefined, environment: string, data_dir: string): Buffer {
  if (given) return thirtyTwoBytes(Buffer.from(given, 'base64'), 'SECRET_KEY');
  if (environment === 'production') {
    throw new Error(
      'SECRET_KEY is required in production: 32 random bytes as base64 (for example from `openssl rand -base64 32`).',
    );
  }
  const path = resolve(data_dir, 'secret-key');
  mkdirSync(data_dir, { recursive: true });
  // 'wx' lets exactly one of several processes that start at once make the key; the others read it.
  if (!existsSync(path)) {
    try {
      writeFileSync(path, randomBytes(32).toString('base64'), { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
  return thirtyTwoBytes(Buffer.from(readFileSync(path, 'utf8').trim(), 'base64'), path);
}

function thirtyTwoBytes(key: Buffer, origin: string): Buffer {
  if (key.length !== 32) throw new Error(`${origin} must hold 32 bytes as base64; it holds ${key.length}.`);
  return key;
}
