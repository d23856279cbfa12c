/** What a person may be in an organization, from the least to the most. */
export const roles = ['developer', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

type Cell = { sandbox: readonly Role[]; production: readonly Role[] };

const everybody: readonly Role[] = roles;
const managers: readonly Role[] = ['admin', 'owner'];
const owners: readonly Role[] = ['owner'];

/**
 * The one table of what people may do: permission × environment → roles. A route names its permission, so that this is the
 * table role × route × environment.
 */
export const permissions = {
  /** One's own session: who am I, signing out, showing a second factor. All that a session may do whose second factor is still to be shown. */
  session: { sandbox: everybody, production: everybody },
  /** Enrolling a second factor. All that a session may do, besides, that needs one and has none. */
  enroll: { sandbox: everybody, production: everybody },
  /** One's own account: sessions elsewhere, which organization. */
  account: { sandbox: everybody, production: everybody },
  /** Read everything but members and audit log. */
  read: { sandbox: everybody, production: everybody },
  /** Act on alerts, cases, screenings and packs, and label agents. */
  act: { sandbox: everybody, production: everybody },
  /** Keys, mandates, sources, detectors: what shapes the watching. */
  configure: { sandbox: everybody, production: managers },
  /** Members, trusted keys, audit log: who is believed. */
  administer: { sandbox: managers, production: managers },
  /** Erase the data of a person, which cannot be undone. */
  erase: { sandbox: owners, production: owners },
} satisfies Record<string, Cell>;

export type Permission = keyof typeof permissions;

/** Whether a role has a permission in an environment. */
export const mayRole = (role: Role, permission: Permission, environment: 'sandbox' | 'production'): boolean =>
  permissions[permission][environment].includes(role);

/** Owners and admins need a second factor in production. */
export const needsSecondFactor = (role: Role, environment: string): boolean =>
  environment === 'production' && role !== 'developer';
