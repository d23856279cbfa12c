import { invalidDetail, notFound } from '#shared/errors.ts';
import { findOrganization } from '#shared/resources/organizations.ts';
import type { Tenant } from '#shared/schemas.ts';
import type { Services } from '#shared/services.ts';

/** A command of the operator's tool as a value: its words, its options, what it does. What it returns is printed. */
export type AdminCommand = {
  name: string;
  summary: string;
  options: { flags: string; about: string; required?: true }[];
  argument?: { name: string; about: string };
  run: (given: Record<string, string | undefined>, services: Services) => Promise<unknown>;
};

export const orgOption = {
  flags: '--org <id or name>',
  about: 'the organization, by id or exact name',
  required: true,
} as const;

/** The organization that `--org` names. Throws `not_found`. */
export async function tenantOf(given: Record<string, string | undefined>, { db, config }: Services): Promise<Tenant> {
  const organization = await findOrganization(db, need(given, 'org'));
  if (!organization) throw notFound('organization');
  return { org_id: organization.id, environment: config.environment };
}

/** The value of an option that must be there and not be blank. */
export function need(given: Record<string, string | undefined>, name: string): string {
  const value = given[name]?.trim();
  if (!value) throw invalidDetail(`/${name}`, 'required', `--${name} must not be empty.`);
  return value;
}
