import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import S3rver from 's3rver';

/** The STORAGE_URL of an empty bucket, on an S3-compatible server of this test's own. */
export async function bucketServer(t: ExecutionContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'oversight-s3-'));
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: 'packs', configs: [] }],
  });
  const { port }: AddressInfo = await server.run();
  t.teardown(async () => {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });
  return `s3://S3RVER:S3RVER@packs/some/prefix?region=us-east-1&endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`;
}
