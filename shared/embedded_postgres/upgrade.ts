import { lstat, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundledMajor } from './binaries.ts';
import { needRoom, readMajor } from './cluster.ts';
import { attempt, ifThere, syncFolder } from './files.ts';
import { findOlderBinaries } from './older_binaries.ts';
import { type EmbeddedPostgres, openAt } from './open.ts';
import { findDataFolder, type DataFolder, readyBeside } from './data_folder.ts';
import { lookAtServer, stopServer } from './server.ts';
import { takeTurn } from './turn.ts';

type Say = (message: string) => void;

/**
 * Copies what is in one database to another, which is new. `settle` is called while nobody can write to the source: it stops both servers and
 * puts the new cluster into the place of the old one.
 */
export type Carry = (source: EmbeddedPostgres, target: EmbeddedPostgres, settle: () => Promise<void>) => Promise<void>;

/**
 * Where the data folder's cluster is of an older major version of PostgreSQL: has its data carried to a new cluster, which takes its place; the
 * old one stays beside it as it was. What is broken off at any moment leaves the old cluster in its place or the whole new one, and the next call
 * goes on from there.
 */
export const upgradeCluster = async (data_dir: string, say: Say, carry: Carry): Promise<void> => {
  const place = await findDataFolder(data_dir, say);
  const major = await readMajor(place.directory);
  if (major === null || Number(major) >= Number(await bundledMajor())) return;
  const turn = await takeTurn(`${place.directory}.upgrade`);
  if (!turn)
    throw new Error(`Another process carries over the data in ${place.directory}: start again when it is done.`);
  try {
    // It may have been done by now.
    if ((await readMajor(place.directory)) === major) await replaceCluster(place, major, say, carry);
  } finally {
    await turn.end();
  }
};

const replaceCluster = async (place: DataFolder, major: string, say: Say, carry: Carry) => {
  const { directory } = place;
  const [draft, ready, kept] = [`${directory}.carrying-over`, readyBeside(directory), `${directory}-${major}`];
  say(
    `the data in ${directory} are of PostgreSQL ${major} and are carried over to PostgreSQL ${await bundledMajor()}: what is ` +
      'broken off meanwhile begins again at the next start',
  );
  if (await ifThere(lstat(kept)))
    throw new Error(`${kept} is where the data are kept as they were, and it is there already: move it away first.`);
  const [folder, itself] = await Promise.all([stat(dirname(directory)), stat(directory)]);
  if (folder.dev !== itself.dev)
    throw new Error(`${directory} is a disk of its own, and has to be a folder on it: move the data into one first.`);
  await needAlone(place);
  await discard(draft);
  await discard(ready);
  await needRoom(dirname(directory), Math.ceil((await sizeOf(directory)) / 2 ** 20));
  const { programs, folder: unpacked } = await findOlderBinaries(place, major, say);
  const source = await openAt(place, { programs });
  try {
    const target = await openAt({ ...place, directory: draft }, {});
    await carry(source, target, async () => {
      await target.close();
      await stopAll(source);
      await attempt(`put the new database into ${directory}`, takePlace({ draft, ready, directory, kept }));
      say(
        `the database is carried over; as it was before it is kept in ${kept}: remove that when it is not needed any more`,
      );
    }).finally(target.close);
  } finally {
    await source.close();
    await discard(draft);
  }
  await rm(unpacked, { recursive: true, force: true });
};

// Whole is what has the name `ready`. A kill between the last two leaves nothing in the cluster's place: `findDataFolder` then goes on.
const takePlace = async ({
  draft,
  ready,
  directory,
  kept,
}: Record<'draft' | 'ready' | 'directory' | 'kept', string>) => {
  await rename(draft, ready);
  await rename(directory, kept);
  await ifThere(rename(ready, directory));
  await syncFolder(dirname(directory));
};

// What a killed process left running stops when we leave it; what another process uses goes on.
const needAlone = async (place: DataFolder) => {
  if ((await lookAtServer(place.directory)).state === 'absent') return;
  const running = await openAt(place, {});
  await running.close();
  if ((await lookAtServer(place.directory)).state !== 'absent')
    throw new Error(`Another process uses the database in ${place.directory}: stop it first, and start again.`);
};

// The last to leave stops the server; who came in by programs of an older version meanwhile is sent away.
const stopAll = async (source: EmbeddedPostgres) => {
  await source.close();
  const server = await lookAtServer(source.directory);
  if (server.state !== 'absent') await stopServer(server.pid, source.directory);
};

const discard = async (cluster: string) => {
  const server = await lookAtServer(cluster);
  if (server.state !== 'absent') await stopServer(server.pid, cluster);
  await rm(cluster, { recursive: true, force: true });
};

const sizeOf = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries.filter(entry => entry.isFile()).map(entry => stat(join(entry.parentPath, entry.name)));
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
};
