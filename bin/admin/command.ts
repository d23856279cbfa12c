import type { Readable, Writable } from 'node:stream';
import { invalidDetail, orNotFound } from '#shared/interface/errors.ts';
import { Id, type IdPrefix } from '#shared/interface/ids.ts';
import { findOrganization } from '#shared/people/organizations.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Services } from '#shared/platform/services.ts';
import type { ProcessServices } from '#shared/running/services.ts';
import { oneLine } from '#shared/values/text.ts';

/**
 * A command of the operator's tool as a value: its words, its options, what it does. What it returns is printed, unless it has written its
 * own answer and returns nothing. `json` is given where one JSON document is wanted. `failed` tells of an answer that it is bad news: it is
 * printed all the same, and the tool exits with 1. `runAlone` is for a command that works without the database; it is told every argument.
 */
export type AdminCommand = {
  name: string;
  summary: string;
  /** One that is required may be so `unless` another is given. */
  options: { flags: string; about: string; required?: true | { unless: string } }[];
  argument?: { name: string; about: string };
  failed?: (result: unknown) => boolean;
  /** Works with a SECRET_KEY too that is not the database's. */
  any_secret_key?: true;
} & (
  | { run: (options: Given, services: ProcessServices, shell: Shell) => Promise<unknown>; runAlone?: undefined }
  | { runAlone: (options: Given, words: readonly string[], shell: Shell) => Promise<unknown> }
);

/** Options by their names, and the first argument as `argument`. */
export type Given = Record<string, string | undefined>;

/** What the tool is typed into: where it writes and reads, and its settings; those of the process when left out. */
export type Shell = {
  stdout: Writable;
  stderr: Writable;
  stdin?: Readable;
  settings?: Record<string, string | undefined>;
};

/** The same for a command that concerns everybody unless it is told otherwise. */
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

/** The organization that `--org` names. Throws `not_found`. */
export async function tenantOf(options: Record<string, string | undefined>, { db, config }: Services): Promise<Tenant> {
  const organization = orNotFound('organization', await findOrganization(db, needId(options, 'org', 'org')));
  return { org_id: organization.id, environment: config.environment };
}

/** The value of an option that must be there and not be blank. */
export function need(options: Record<string, string | undefined>, name: string): string {
  const value = options[name]?.trim();
  if (!value) throw invalidDetail(`/${name}`, 'required', `--${name} must not be empty.`);
  return value;
}

/** The same for a name, which has to fit: a name that was cut could not be found again. */
export function needName(options: Record<string, string | undefined>): string {
  const name = need(options, 'name');
  if (name.length > LONGEST_NAME)
    throw invalidDetail('/name', 'too_long', `--name takes at most ${LONGEST_NAME} characters, not ${name.length}.`);
  if (!oneLine.test(name))
    throw invalidDetail('/name', 'invalid_format', '--name must not contain line breaks or other control characters.');
  return name;
}

const LONGEST_NAME = 200;

/** The same for an id, in any case; what is no id of this kind comes out as it is, and names nothing. */
export function needId(options: Record<string, string | undefined>, name: string, prefix: IdPrefix): string {
  const value = need(options, name);
  return Id(prefix).safeParse(value).data ?? value;
}
