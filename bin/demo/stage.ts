import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSet, readConfig, readSetting } from '#shared/settings/config.ts';
import { createApiKey } from '#shared/keys/api_keys.ts';
import { allScopes } from '#shared/interface/scopes.ts';
import { openedUntil } from '#shared/running/until_signal.ts';
import { saveRates } from '#shared/events/input/fx_rates.ts';
import { placeOf } from '#shared/settings/address.ts';
import { createOrganization } from '#shared/people/organizations.ts';
import { loadFictionalList } from '#shared/screening/store/begin_with_fictional.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { SECOND } from '#shared/values/time.ts';
import { type Client, createClient } from '#api/client/client.ts';
import { startAll } from '#bin/all_in_one.ts';
import { type Agreed, agree } from './agree.ts';
import { exchangeRates } from './rates.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { shortenWait, untilSettled } from './settled.ts';
import { addVisitor, visitorLink } from './visitor.ts';

/** A whole service with an empty data directory of its own, an organization in it, and somebody who receives its webhooks. */
export type Stage = {
  service: { address: string; key: string };
  client: Client;
  receiver: Receiver;
  /** Where the data is while it runs. */
  data_dir: string;
  /** Whether the data stays: in a directory that was named. */
  keeps: boolean;
  /** Makes a link that opens the dashboard, signed in; once within ten minutes. */
  signInLink(): Promise<string>;
  /** Makes the mandates and sources of a world and trusts its key; returns the id that each planned one has now. */
  agree(agreed: Agreed): Promise<Map<string, string>>;
  /** Waits until nothing is left that is to be judged once more because of what came late, or of what did not come. */
  untilSettled(within?: number): Promise<void>;
  close(): Promise<void>;
};

/** Sets everything up for a world that ends at `now`. `close` stops it and removes what was written. */
export async function setStage(
  now: number,
  settings: { log_level: string; port: number | undefined },
  say: (line: string) => void,
  stopping?: AbortSignal,
): Promise<Stage> {
  const { add, close } = openedUntil(stopping);
  try {
    const keeps = isSet('DATA_DIR');
    const data_dir = keeps
      ? await emptyDirectory(readSetting('DATA_DIR'))
      : await mkdtemp(join(tmpdir(), 'oversight-demo-'));
    if (!keeps) {
      add(() => rm(data_dir, { recursive: true, force: true }));
      // Run as root, PostgreSQL is started as another user, who has to get there.
      await chmod(data_dir, 0o711);
    }
    const config = await readSettings(data_dir, settings);
    const { address, services, stop } = await startAll(config, say, stopping);
    add(stop);
    const { db } = services;

    await saveRates(db, exchangeRates(now));
    await loadFictionalList(services.db, services.now());
    const { environment } = config;
    const { id: org_id } = await createOrganization(
      db,
      environment,
      `Demo ${new Date(now).toISOString().slice(5, 19).replace('T', ' ')}`,
      now,
    );
    const { key } = await createApiKey(
      db,
      { org_id, environment, env: config.key_env, name: 'demo', scopes: allScopes, created_by: null },
      now,
    );
    await addVisitor(services, org_id);
    await shortenWait(db, { org_id, environment }, now);
    const receiver = await startReceiver();
    add(receiver.close);
    await createEndpoint(db, config, { org_id, environment }, { url: receiver.url, secret: receiver.secret }, now);
    return {
      service: { address, key },
      // The service may be killed and started again in the middle.
      client: createClient({ url: address, key, patience: 90 * SECOND, events: { batch: 200 } }),
      receiver,
      data_dir,
      keeps,
      signInLink: () => visitorLink(services, placeOf(config, address)),
      agree: agreed => agree(services, { org_id, environment }, agreed),
      untilSettled: (within = 30 * SECOND) => untilSettled(services, within),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A directory to be filled. Throws an Error where there is something in it. */
async function emptyDirectory(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  if ((await readdir(path)).length > 0)
    throw new Error(`The demo fills an empty data directory, and ${path} is not. Unset DATA_DIR, or name another one.`);
  return path;
}

async function readSettings(data_dir: string, { log_level, port }: { log_level: string; port: number | undefined }) {
  const settings = {
    DATA_DIR: data_dir,
    ENVIRONMENT: 'sandbox',
    // The receiver is on this machine.
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: log_level,
    ...(port !== undefined && { PORT: String(port) }),
  };
  const { host, port: wanted } = readConfig(settings);
  if (port !== undefined || (await isFree(wanted, host))) return readConfig(settings);
  if (isSet('BASE_URL'))
    throw new Error(
      `BASE_URL is set, and port ${wanted} is taken. Stop what listens there, or set PORT to the port that BASE_URL leads to.`,
    );
  return readConfig({ ...settings, PORT: String(await freePort(host)), BASE_URL: undefined });
}

const isFree = (port: number, host: string) =>
  freePort(host, port).then(
    () => true,
    () => false,
  );

/** Takes a port, any that is free unless one is named, and gives it back at once. */
function freePort(host: string, port = 0): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer().once('error', reject);
  server.listen(port, host, () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
  });
  return promise;
}
