import { hash, randomBytes } from 'node:crypto';
import { sql } from './db.ts';

/** A secret of 256 bits, as text for an address or a cookie. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** The SHA-256 of a secret, which is stored in its place. Too quick to compute for a secret that a person thought up. */
export const tokenHash = (token: string): Buffer => hash('sha256', token, 'buffer');

/** The same as a value in a query. */
export const hashValue = (token: string) => sql.binary(tokenHash(token));
