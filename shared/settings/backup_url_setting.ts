import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { isBucketUrl, isFolderUrl } from './storage_url_setting.ts';

const expected =
  'It must be the path of a folder that begins with /, file:///a/folder, or s3://bucket/prefix?region=….';

/** The setting BACKUP_URL, as a URL. Its message never quotes it: an address may hold a key. */
export const BackupUrlSetting = z.string().transform((text, context): string => {
  if (isAbsolute(text)) return pathToFileURL(text).href;
  const url = URL.parse(text);
  if (isFolderUrl(url)) return url.href;
  if (isBucketUrl(url)) return text;
  context.addIssue({ code: 'custom', message: expected });
  return z.NEVER;
});
