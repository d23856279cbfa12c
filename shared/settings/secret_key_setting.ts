import { z } from 'zod';

/** The setting SECRET_KEY: 32 bytes that encrypt secrets at rest. Its message never quotes it. */
export const SecretKeySetting = z.string().transform((text, context): Buffer => {
  const key = Buffer.from(text, 'base64');
  if (z.base64().safeParse(text).success && key.length === 32) return key;
  context.addIssue({
    code: 'custom',
    message:
      text === ''
        ? 'It is required in production: 32 random bytes as base64 (for example from `openssl rand -base64 32`).'
        : `It must hold 32 bytes as base64; it holds ${key.length}.`,
  });
  return z.NEVER;
});
