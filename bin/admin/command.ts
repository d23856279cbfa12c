import type { Readable, Writable } from 'node:stream';
import { invalidDetail, orNotFound } from '#shared/interface/errors.ts';
import { Id, type IdPrefix } from '#shared/interface/ids.ts';
import { findOrganization } from '#shared/people/organizations.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';
import type { ProcessServices } from '#shared/running/services.ts';
import { oneLine } from '#shared/values/text.ts';

/**
 * A command of the operator's tool as a value: its words, its options, its action. The result is printed, unless the command has written
 * its own output and returns nothing. `json` is set when one JSON document is wanted. `failed` tells whether a result is bad news: it is
 * still printed, and the tool exits with 1. `runAlone` is for commands that work without the database; it gets all arguments.
 */
export type AdminCommand = {
  name: string;
  summary: string;
  /** A required option may be left out if the `unless` option is given. */
  options: { flags: string; about: string; required?: true | { unless: string } }[];
  argument?: { name: string; about: string };
  failed?: (result: unknown) => boolean;
  /** Also works with a SECRET_KEY that is not the database's. */
  any_secret_key?: true;
} & (
  | { run: (options: OptionValues, services: ProcessServices, shell: Shell) => Promise<unknown>; runAlone?: undefined }
  | { runAlone: (options: OptionValues, words: readonly string[], shell: Shell) => Promise<unknown> }
);

/** Options by name, and the first argument as `argument`. */
export type OptionValues = Record<string, string | undefined>;

/** The tool's terminal: its streams and settings; those of the process by default. */
export type Shell = {
  stdout: Writable;
  stderr: Writable;
  stdin?: Readable;
  settings?: Record<string, string | undefined>;
};

/** The same for a command that applies to all organizations by default. */
export const anyOrgOption = {
  flags: '--org <id or name>',
  about: 'an organization, by id or exact name; everybody when left out',
} as const;

export const orgOption = {
  flags: '--org <id or name>',
  about: 'the organization, by id or exact name',
  required: true,
} as const;

export const endpointOption = { flags: '--id <whe_…>', about: 'the endpoint', required: true } as const;

/** The organization of `--org`. Throws `not_found`. */
export async function tenantOf(options: Record<string, string | undefined>, { db, config }: Services): Promise<Tenant> {
  const organization = orNotFound('organization', await findOrganization(db, needId(options, 'org', 'org')));
  return { org_id: organization.id, environment: config.environment };
}

/** The value of a required option, not blank. */
export function need(options: Record<string, string | undefined>, name: string): string {
  const value = options[name]?.trim();
  if (!value) throw invalidDetail(`/${name}`, 'required', `--${name} must not be empty.`);
  return value;
}

/** The same for a name within the maximum length: a truncated name could not be found again. */
export function needName(options: Record<string, string | undefined>): string {
  const name = need(options, 'name');
  if (name.length > LONGEST_NAME)
    throw invalidDetail('/name', 'too_long', `--name takes at most ${LONGEST_NAME} characters, not ${name.length}.`);
  if (!oneLine.test(name))
    throw invalidDetail('/name', 'invalid_format', '--name must not contain line breaks or other control characters.');
  return name;
}

const LONGEST_NAME = 200;

/** The same for an id, in any case; an invalid id is returned unchanged, and will not be found. */
export function needId(options: Record<string, string | undefined>, name: string, prefix: IdPrefix): string {
  const value = need(options, name);
  return Id(prefix).safeParse(value).data ?? value;
}
