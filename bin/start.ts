import { readConfig } from '#shared/settings/config.ts';
import { runUntilSignal } from '#shared/running/process.ts';
import { startAll } from './all_in_one.ts';

// `npm start`: everything in one process, for a first look and for small deployments.
const say = (line: string) => process.stderr.write(`${line}\n`);

await runUntilSignal(async stopping => {
  const given = readConfig();
  // Someone at a terminal wants to read; whoever collects the lines gets them all.
  const config = { ...given, log_level: given.log_level ?? (process.stdout.isTTY ? 'warn' : 'info') };
  const service = await startAll(config, say, stopping);
  say(`
  Agent Payment Oversight Service, ${config.environment}
  ${service.address}

  database  ${config.database_url ? 'DATABASE_URL' : `embedded PostgreSQL in ${config.data_dir}`}
  queue     ${config.redis_url ? 'Redis (REDIS_URL)' : 'PostgreSQL'}
  API       ${service.address}/docs, described by ${service.address}/v1/openapi.json

  Next, in another terminal:
    npm run -s admin -- org create --name "My organization"
    npm run -s admin -- key create --org "My organization" --name first --scopes all
    npm run -s admin -- user create --org "My organization" --email you@example.com --role owner
    npm run -s admin -- sign-in-link --email you@example.com

  Ctrl-C stops it; the data stays.
`);
  return service.stop;
}, say);
