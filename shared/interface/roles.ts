/** The roles in an organization, lowest first. */
export const roles = ['developer', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

type Cell = { sandbox: readonly Role[]; production: readonly Role[] };

const everybody: readonly Role[] = roles;
const managers: readonly Role[] = ['admin', 'owner'];
const owners: readonly Role[] = ['owner'];

/**
 * The only table of people's permissions: permission × environment → roles. Each route names its permission, which makes this the table
 * role × route × environment.
 */
export const permissions = {
  /** One's own session: identity, signing out, presenting a second factor. The only permission while the second factor is outstanding. */
  session: { sandbox: everybody, production: everybody },
  /** Enrolling a second factor. The only other permission of a session that needs one and has none. */
  enroll: { sandbox: everybody, production: everybody },
  /** One's own account: sessions elsewhere, which organization. */
  account: { sandbox: everybody, production: everybody },
  /** Read everything but members and audit log. */
  read: { sandbox: everybody, production: everybody },
  /** Act on alerts, cases, screenings and packs, and label agents. */
  act: { sandbox: everybody, production: everybody },
  /** Configuration: keys, mandates, sources, detectors. */
  configure: { sandbox: everybody, production: managers },
  /** Members, trusted keys, audit log. */
  administer: { sandbox: managers, production: managers },
  /** Erasing a person's data, which cannot be undone. */
  erase: { sandbox: owners, production: owners },
} satisfies Record<string, Cell>;

export type Permission = keyof typeof permissions;

/** Whether a role has a permission in an environment. */
export const mayRole = (role: Role, permission: Permission, environment: 'sandbox' | 'production'): boolean =>
  permissions[permission][environment].includes(role);

/** Owners and admins need a second factor in production. */
export const needsSecondFactor = (role: Role, environment: string): boolean =>
  environment === 'production' && role !== 'developer';
