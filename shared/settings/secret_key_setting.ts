import { z } from 'zod';

/** The first key seals and authenticates; the others, which were the first before or will be, open as well. */
export type SecretKeys = readonly [Buffer, ...Buffer[]];

/** The setting SECRET_KEY: 32 bytes that encrypt secrets at rest, more than one by commas while it changes. Its message never quotes it. */
export const SecretKeySetting = z.string().transform((text, context): SecretKeys => {
  const [first = '', ...others] = text.split(',').map(part => part.trim());
  const keys: SecretKeys = [Buffer.from(first, 'base64'), ...others.map(part => Buffer.from(part, 'base64'))];
  const areBase64 = [first, ...others].every(part => z.base64().safeParse(part).success);
  const wrong = keys.find(key => key.length !== 32);
  if (areBase64 && !wrong) return keys;
  context.addIssue({
    code: 'custom',
    message:
      text === ''
        ? 'It is required in production: 32 random bytes as base64 (for example from `openssl rand -base64 32`).'
        : `It must hold 32 bytes as base64; it holds ${wrong?.length ?? 'something else'}.`,
  });
  return z.NEVER;
});
