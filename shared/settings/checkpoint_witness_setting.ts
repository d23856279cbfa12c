import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Who is told every checkpoint besides: a file that they are added to, or an address that they are posted to, which may hold a secret. */
export type CheckpointWitness = { file: string; url?: never } | { url: string; file?: never };

/** The setting CHECKPOINT_WITNESS. Its message never quotes it: an address may hold a key. */
export const CheckpointWitnessSetting = z.string().transform((text, context): CheckpointWitness => {
  const url = /^[a-z][a-z0-9+.-]+:/i.test(text) ? URL.parse(text) : null;
  if (url && /^https?:$/.test(url.protocol)) return { url: url.href };
  if (url?.protocol === 'file:' && url.host === '') return { file: fileURLToPath(url) };
  if (!/^[a-z][a-z0-9+.-]+:/i.test(text)) return { file: resolve(text) };
  context.addIssue({
    code: 'custom',
    message: 'It must be the path of a file, or a URL that begins with file:, http: or https:.',
  });
  return z.NEVER;
});
