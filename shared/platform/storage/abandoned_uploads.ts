import type { AbortMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { DAY } from '#shared/values/time.ts';

type Opened = {
  client: S3Client;
  ListMultipartUploadsCommand: typeof ListMultipartUploadsCommand;
  AbortMultipartUploadCommand: typeof AbortMultipartUploadCommand;
};

/**
 * Removes the parts of files that killed processes had begun to upload: up to 1,000, of names that this service gives, begun more than a
 * week ago, for a large backup may take days. A service or a key that does not allow it leaves them to a lifecycle rule of the bucket.
 */
export async function abortAbandoned(
  { client, ListMultipartUploadsCommand, AbortMultipartUploadCommand }: Opened,
  { Bucket, prefix, now }: { Bucket: string; prefix: string; now: number },
): Promise<void> {
  const folder = prefix === '' ? '' : `${prefix}/`;
  try {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: folder }));
    for (const { Key = '', UploadId, Initiated } of Uploads) {
      if (!OURS.test(Key.slice(folder.length)) || !Initiated || now - Initiated.getTime() < WEEK) continue;
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    }
  } catch {
    // What was put is there: tidying up is tried again by the next process, and the day after.
  }
}

const WEEK = 7 * DAY;

/** In a bucket that others use too, only what is certainly ours. */
const OURS = /^(archives|exports|packs|warehouse)\/org_[0-9A-Z]{26}\/|^oversight-[^/]+\.backup$/;
