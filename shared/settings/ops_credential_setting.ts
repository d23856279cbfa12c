import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { madeOnce } from './made_once.ts';

/** What an operator shows to see `/ops`. */
export type OpsCredential = { user: string; password: string };

/** The setting OPS_CREDENTIAL: `user:password` (RFC 7617). Its message never quotes it. */
export const OpsCredentialSetting = z.string().transform((text, context): OpsCredential => {
  const [, user, password] = /^([^:\s\p{Cc}]{1,100}):(\P{Cc}{12,1000})$/u.exec(text) ?? [];
  if (user && password) return { user, password };
  context.addIssue({
    code: 'custom',
    message: 'It must be user:password: a name without spaces and colons, and a password of at least 12 characters.',
  });
  return z.NEVER;
});

/** The credential of a sandbox that sets none: it is made once and kept in DATA_DIR. */
export const sandboxCredential = (data_dir: string): OpsCredential =>
  OpsCredentialSetting.parse(
    madeOnce(data_dir, 'ops-credential', () => `operator:${randomBytes(18).toString('base64url')}`),
  );
