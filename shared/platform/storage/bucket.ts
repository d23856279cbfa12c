import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { DAY } from '#shared/values/time.ts';
import { abortAbandoned } from './abandoned_uploads.ts';
import type { Storage } from './storage.ts';

type Bucket = {
  bucket: string;
  prefix: string;
  region: string;
  /** For a service other than AWS, which is then addressed by path and not by host. */
  endpoint: string | undefined;
  /** Undefined: from the environment, as the SDK finds them. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
};

/**
 * A storage in a bucket of an S3-compatible service. Large files are uploaded in parts, which become visible with the last one; what a killed
 * process leaves of them is removed by the next, which looks after its first upload and then once a day.
 */
export function createBucket({ bucket: Bucket, prefix, ...service }: Bucket, workshop: string): Storage {
  // The SDK takes 20 MB of memory and half a second to load, so it is loaded on demand.
  let opened: ReturnType<typeof openClient> | undefined;
  let looks_at = 0;
  const open = () => (opened ??= openClient(service));
  const keyOf = (name: string) => (prefix === '' ? name : `${prefix}/${name}`);
  return {
    workshop,
    async put(name, file) {
      const { client, Upload } = await open();
      const params = { Bucket, Key: keyOf(name), Body: createReadStream(file) };
      await new Upload({ client, params, queueSize: 2 }).done();
      await rm(file, { force: true });
      if (Date.now() < looks_at) return;
      looks_at = Date.now() + DAY;
      await abortAbandoned(await open(), { Bucket, prefix, now: Date.now() });
    },
    async get(name, part) {
      const { client, GetObjectCommand, NoSuchKey } = await open();
      try {
        const range = part && { Range: `bytes=${part.first}-${part.last}` };
        const command = new GetObjectCommand({ Bucket, Key: keyOf(name), ...range });
        const { Body, ContentLength = 0 } = await client.send(command);
        return { body: Body as Readable, size: ContentLength };
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    },
    async remove(name) {
      const { client, DeleteObjectCommand } = await open();
      await client.send(new DeleteObjectCommand({ Bucket, Key: keyOf(name) }));
    },
  };
}

async function openClient({ region, endpoint, credentials }: Omit<Bucket, 'bucket' | 'prefix'>) {
  const { S3Client, ...commands } = await import('@aws-sdk/client-s3');
  const { Upload } = await import('@aws-sdk/lib-storage');
  const client = new S3Client({
    region,
    ...(credentials && { credentials }),
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // A silent bucket is a fault; a slow reader blocks its own download for longer than the first timeout.
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 60_000 },
    // Services other than AWS may not know the checksums that the SDK would add; TLS and the pack's own hashes protect the bytes.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return { ...commands, Upload, client };
}
