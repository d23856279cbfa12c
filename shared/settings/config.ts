import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { errorCode } from '#shared/values/file_trouble.ts';
import type { Setting, Texts, ValueOf } from './setting.ts';
import { settings } from './settings.ts';

type Name = keyof typeof settings;

/** The settings of a process, and what follows from them. URLs in it may hold secrets. */
export type Config = { [N in Name as Lowercase<N>]: ValueOf<(typeof settings)[N]> } & {
  key_env: 'test' | 'live';
  /** The host that logs are named after. */
  log_host: string;
};

/**
 * Reads the settings from the environment (`NAME`, or `NAME_FILE` naming a file that holds the value, or `NAME_COMMAND`, which prints it), the process's own when left out.
 * `overrides` win over it. Throws one Error that lists everything wrong with them.
 */
export function readConfig(
  overrides: Record<string, string | undefined> = {},
  environment: Record<string, string | undefined> = process.env,
): Config {
  const set = textsOf({ ...environment, ...overrides });
  // What is set is read first: a secret is not made for a service that will not start. In production none is, and one that is missing is a fault.
  parse({ ...(set['ENVIRONMENT'] === 'production' && { SECRET_KEY: '' }), ...set });
  const values = parse(withDefaults(set, environment)) as Config;
  const key_env = values.environment === 'production' ? 'live' : 'test';
  return { ...values, key_env, log_host: logHost(values.base_url) };
}

/** One setting by itself, for a command that is not the service: none of the others is read, decided or made. */
export function readSetting<N extends Name>(
  name: N,
  environment: Record<string, string | undefined> = process.env,
): Config[Lowercase<N>] {
  const { default: usual }: Setting = settings[name];
  const texts = {
    [name]: typeof usual === 'string' ? usual : undefined,
    ...textsOf(ofSetting(name, environment)),
  };
  return parse(texts)[name.toLowerCase()] as Config[Lowercase<N>];
}

/** Whether somebody has set a setting, to whatever: where it is left out, its default may not be what is wanted. */
export const isSet = (name: Name, environment: Record<string, string | undefined> = process.env): boolean =>
  textsOf(ofSetting(name, environment))[name] !== undefined;

const ofSetting = (name: Name, environment: Texts): Texts =>
  Object.fromEntries([name, `${name}_FILE`, `${name}_COMMAND`].map(each => [each, environment[each]]));

const entries: readonly [string, Setting][] = Object.entries(settings);

function textsOf(environment: Texts): Texts {
  const texts = entries.map(([name]) => {
    const [file, command] = [environment[`${name}_FILE`], environment[`${name}_COMMAND`]];
    const text = environment[name] ?? (file ? contentOf(name, file) : undefined);
    return [name, text ?? (command ? outputOf(name, command) : undefined)] as const;
  });
  return Object.fromEntries(texts.filter(([, text]) => text));
}

function contentOf(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Error(`${name}_FILE cannot be read: ${error instanceof Error ? error.message : error}.`, {
      cause: error,
    });
  }
}

/** What a command prints that stands for a setting, such as one that has a key service unwrap a key. It runs once in a process. */
function outputOf(name: string, command: string): string {
  const known = outputs.get(command);
  if (known !== undefined) return known;
  const { status, stdout, error } = spawnSync(command, {
    shell: true,
    encoding: 'utf8',
    timeout: COMMAND_DEADLINE,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (errorCode(error) === 'ETIMEDOUT')
    throw new Error(`${name}_COMMAND printed no value: it took longer than ${COMMAND_DEADLINE / 1_000} seconds.`);
  if (status !== 0 || stdout.trim() === '')
    throw new Error(
      `${name}_COMMAND printed no value: ${error ? error.message : status === 0 ? 'its output was empty' : `it ended with ${status ?? 'a signal'}`}.`,
    );
  outputs.set(command, stdout.trim());
  return stdout.trim();
}

const outputs = new Map<string, string>();
const COMMAND_DEADLINE = 30_000;

/** A default that others decide finds theirs: they are fixed, or stand before it. */
function withDefaults(set: Texts, environment: Texts): Texts {
  const fixed = entries.flatMap(([name, { default: text }]) =>
    typeof text === 'string' ? [[name, text] as const] : [],
  );
  const texts: Record<string, string | undefined> = { ...Object.fromEntries(fixed), ...set };
  for (const [name, { default: decide }] of entries)
    if (typeof decide === 'function') texts[name] ??= decide(texts, environment);
  return texts;
}

/** The values of texts, by their names in lower case. */
function parse(texts: Texts): Record<string, unknown> {
  const faults: string[] = [];
  const values = entries.map(([name, { schema }]) => {
    const text = texts[name];
    if (text === undefined) return [name.toLowerCase(), undefined] as const;
    const { data, error } = schema.safeParse(text);
    for (const issue of error?.issues ?? []) faults.push(`  ${[name, ...issue.path].join('.')}: ${issue.message}`);
    return [name.toLowerCase(), data] as const;
  });
  if (faults.length > 0) throw new Error(`The settings in the environment are not usable:\n${faults.join('\n')}`);
  return Object.fromEntries(values);
}

/** With its port, unless that is any free one: the name of a log outlasts a process. */
const logHost = (base_url: string) => new URL(base_url).host.replace(/:0$/, '');
