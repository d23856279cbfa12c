import { readConfig } from '#shared/config.ts';
import { asError } from '#shared/errors.ts';
import { stopOnSignal } from '#shared/process.ts';
import { startAll } from './all_in_one.ts';

// `npm start`: everything in one process, for a first look and for small deployments.
try {
  const given = readConfig();
  // Someone at a terminal wants to read; whoever collects the lines gets them all.
  const config = { ...given, log_level: given.log_level ?? (process.stdout.isTTY ? 'warn' : 'info') };
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const service = await startAll(config, say);
  stopOnSignal(async () => {
    say('Stopping…');
    await service.stop();
    say('Stopped.');
  });
  say(`
  Agent Payment Oversight Service, ${config.environment}
  ${service.address}

  database  ${config.database_url ? 'DATABASE_URL' : `embedded PostgreSQL in ${config.data_dir}`}
  queue     ${config.redis_url ? 'Redis (REDIS_URL)' : 'PostgreSQL'}
  API       ${service.address}/v1/openapi.json

  Next, in another terminal:
    npm run -s admin -- org create --name "My organization"
    npm run -s admin -- key create --org "My organization" --name first --scopes all

  Ctrl-C stops it; the data stays.
`);
} catch (error) {
  process.stderr.write(`${asError(error).message}\n`);
  process.exit(1);
}
