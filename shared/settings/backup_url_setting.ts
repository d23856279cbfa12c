import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

const expected =
  'It must be the path of a folder that begins with /, file:///a/folder, or s3://bucket/prefix?region=….';

/** The setting BACKUP_URL, as a URL. Its message never quotes it: an address may hold a key. */
export const BackupUrlSetting = z.string().transform((text, context): string => {
  if (isAbsolute(text)) return pathToFileURL(text).href;
  const url = URL.parse(text);
  if (url?.protocol === 'file:' && url.host === '') return url.href;
  if (url?.protocol === 's3:' && url.hostname !== '') return text;
  context.addIssue({ code: 'custom', message: expected });
  return z.NEVER;
});
