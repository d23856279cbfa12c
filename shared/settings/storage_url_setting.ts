import { z } from 'zod';

const expected =
  'It must be file:///a/folder, or s3://bucket/prefix?region=eu-central-1 with &endpoint=https://… for a service other than AWS. Keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or s3://key:secret@bucket).';

/** The setting STORAGE_URL, as text. Its message never quotes it: an address may hold a key. */
export const StorageUrlSetting = z.string().refine(
  text => {
    const url = URL.parse(text);
    return isFolderUrl(url) || isBucketUrl(url);
  },
  { error: expected },
);

/** Whether it names a folder of this machine. */
export const isFolderUrl = (url: URL | null): url is URL => url?.protocol === 'file:' && url.host === '';

/** Whether it names a bucket, and says of it nothing but what is understood. */
export function isBucketUrl(url: URL | null): url is URL {
  if (url?.protocol !== 's3:' || url.hostname === '') return false;
  if ([...url.searchParams.keys()].some(name => name !== 'region' && name !== 'endpoint')) return false;
  const endpoint = url.searchParams.get('endpoint');
  return endpoint === null || /^https?:$/.test(URL.parse(endpoint)?.protocol ?? '');
}
