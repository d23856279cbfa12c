import { join } from 'node:path';
import type { Config } from '#shared/settings/config.ts';
import { isBucketUrl, isFolderUrl } from '#shared/settings/storage_url_setting.ts';
import { createFolder } from './folder.ts';
import { orFault, type Storage } from './storage.ts';

/**
 * The storage of STORAGE_URL: a folder (`file:///var/lib/oversight`), or a bucket of an S3-compatible service
 * (`s3://bucket/prefix?region=…&endpoint=https://…`); without one a folder in DATA_DIR. Throws on what
 * the setting refuses.
 */
export async function createStorage({
  storage_url,
  data_dir,
}: Pick<Config, 'storage_url' | 'data_dir'>): Promise<Storage> {
  const { workshop, put, get, remove } = await openStorage(storage_url, data_dir);
  return {
    workshop,
    put: (name, file) => orFault(put(name, file)),
    get: (name, part) => orFault(get(name, part)),
    remove: name => orFault(remove(name)),
  };
}

/** The folder of this machine that the storage is; null where it is a bucket. */
export function storageFolder({ storage_url, data_dir }: Pick<Config, 'storage_url' | 'data_dir'>): string | null {
  if (storage_url === undefined) return join(data_dir, 'files');
  const url = URL.parse(storage_url);
  return isFolderUrl(url) ? decodeURIComponent(url.pathname) : null;
}

async function openStorage(storage_url: string | undefined, data_dir: string): Promise<Storage> {
  const folder = storageFolder({ storage_url, data_dir });
  if (folder !== null) return createFolder(folder);
  const url = URL.parse(storage_url ?? '');
  if (!isBucketUrl(url)) throw new Error('not the address of a storage');
  // The SDK is a good part of what a process loads when it starts, and only those with a bucket need it.
  const { createBucket } = await import('./bucket.ts');
  return createBucket(bucketOf(url), join(data_dir, 'unfinished'));
}

function bucketOf(url: URL) {
  return {
    bucket: url.hostname,
    prefix: decodeURIComponent(url.pathname).replaceAll(/^\/+|\/+$/g, ''),
    region: url.searchParams.get('region') ?? 'us-east-1',
    endpoint: url.searchParams.get('endpoint') ?? undefined,
    credentials: url.username
      ? { accessKeyId: decodeURIComponent(url.username), secretAccessKey: decodeURIComponent(url.password) }
      : undefined,
  };
}
