import { type Config, readConfig } from '#shared/settings/config.ts';
import { runUntilSignal } from '#shared/running/until_signal.ts';
import { createSetupLink, hasOrganization } from '#shared/people/setup_links.ts';
import { placeOf } from '#shared/settings/address.ts';
import { helpText } from '#shared/settings/describe_settings.ts';
import { type OpsCredential, sandboxCredential } from '#shared/settings/ops_credential_setting.ts';

// `npm start`: everything in one process, for a first look and for small deployments. Its flags in package.json keep it small without collecting
// garbage all the time: a semi-space of 16 MB, which each thread collects alone, and a heap that may double before it is collected as a whole.
// Half the semi-space holds 25 MB less of 285 at rest, for a twentieth more CPU under load; half of both, with helpers, took a fifth more.
const say = (line: string) => process.stderr.write(`${line}\n`);

if (process.argv.includes('--help')) {
  process.stdout.write(helpText('Usage: npm start     The whole service in one process.'));
  process.exit(0);
}

await runUntilSignal(async stopping => {
  const given = readConfig();
  const isMade = given.ops_credential === undefined && given.environment === 'sandbox';
  const config: Config = {
    ...given,
    // Someone at a terminal wants to read; whoever collects the lines gets them all.
    log_level: given.log_level ?? (process.stdout.isTTY ? 'warn' : 'info'),
    ops_credential: isMade ? sandboxCredential(given.data_dir) : given.ops_credential,
  };
  // Loaded when the settings make sense: who is told of a mistake need not wait for the whole service.
  const { startAll } = await import('./all_in_one.ts');
  const service = await startAll(config, say, stopping);
  // In production the lines of a process may be collected, and whoever reads the link becomes the owner.
  const isPrivate = config.environment === 'sandbox' || process.stderr.isTTY;
  const { db, now } = service.services;
  const link = isPrivate ? await createSetupLink(db, now()) : null;
  const isNew = link !== null || !(await hasOrganization(db));
  say(`
  Agent Payment Oversight Service, ${config.environment}
  ${service.address}

  database  ${config.database_url ? 'DATABASE_URL' : `embedded PostgreSQL in ${config.data_dir}`}
  queue     ${config.redis_url ? 'Redis (REDIS_URL)' : 'PostgreSQL'}
  API       ${service.address}/docs, described by ${service.address}/v1/openapi.json
${operatorsLine(service.address, config.ops_credential, isMade)}
${isNew ? setUp(link && `${placeOf(config, service.address)}/setup/${link.token}`) : ''}
  Ctrl-C stops it; the data stays.
`);
  return service.stop;
}, say);

/** Where a deployment without an organization begins. */
function setUp(url: string | null): string {
  return url === null
    ? `
  There is no organization yet: npm run -s admin -- setup-link prints the link that makes the first one.
`
    : `
  Open this link to create your organization. It works once, for one day:
    ${url}
`;
}

/** Where operators look, with a credential that was made for them: nobody else could tell it. */
function operatorsLine(address: string, credential: OpsCredential | undefined, isMade: boolean): string {
  if (!credential) return '';
  return `  operators ${address}/ops${isMade ? ` as ${credential.user}, password ${credential.password}` : ''}\n`;
}
