import { conflict, invalidDetail, invalidRequest, Problem, asError } from '#shared/interface/errors.ts';
import { DownloadError } from '#shared/outbound/download_error.ts';
import { accountWarnings, type ListAccount } from '#shared/screening/account.ts';
import { ListError } from '#shared/screening/lists/list_error.ts';
import { readList } from '#shared/screening/lists/read_list.ts';
import { fetchList } from '#shared/screening/flow/fetch_list.ts';
import { accountsOf } from '#shared/screening/store/list_accounts.ts';
import { auditList } from '#shared/screening/store/list_audit.ts';
import { loadList } from '#shared/screening/store/list_load.ts';
import { removeList } from '#shared/screening/store/list_removal.ts';
import { fetchProblems } from '#shared/screening/store/list_sources.ts';
import { EVERYBODY, listsOf, shownList } from '#shared/screening/store/screening_lists.ts';
import type { Services } from '#shared/platform/services.ts';
import { type ListFormatName, listFormatNames } from '#shared/settings/screening_lists_setting.ts';
import { SECOND } from '#shared/values/time.ts';
import { type AdminCommand, anyOrgOption, type OptionValues, need, needName, type Shell, tenantOf } from './command.ts';
import { print } from './print.ts';

const formats = listFormatNames.join(', ');

export const lists: AdminCommand[] = [
  {
    name: 'list load',
    summary: 'Load what payees are screened against from the files of a publisher, or from a CSV file of your own',
    options: [
      { flags: '--format <format>', about: formats, required: true },
      {
        flags: '--name <name>',
        about: 'what the list is called; the same name again is its next version',
        required: true,
      },
      anyOrgOption,
      {
        flags: '--allow-shrink',
        about: 'take it although it lost more than a fifth of its entries, or has another format',
      },
    ],
    argument: { name: '<path>', about: 'the file, or the folder that holds the files' },
    async run(options, services, shell) {
      const { config, db, now } = services;
      const path = need(options, 'argument');
      const name = needListName(options);
      const format = formatOf(options);
      const tenant = options['org'] === undefined ? null : await tenantOf(options, services);
      const { entries, summary } = readList(format, path);
      const org_id = tenant?.org_id ?? EVERYBODY;
      const insist = options['allowShrink'] !== undefined;
      const list = { org_id, name, format, entries, summary, insist, loaded_by: 'operator' as const };
      const loaded = await loadList(db, { ...list, environment: config.environment }, now()).catch(describeFault);
      return answer(options, shell, { ...loaded, warnings: accountWarnings(loaded.account) });
    },
  },
  {
    name: 'list remove',
    summary: 'Take a list out of use; payees that matched it are screened again without it',
    options: [{ flags: '--name <name>', about: 'what the list is called', required: true }, anyOrgOption],
    async run(options, services) {
      const { config, db, now } = services;
      const name = needListName(options);
      const tenant = options['org'] === undefined ? null : await tenantOf(options, services);
      if (!tenant && config.screening_lists[name])
        throw conflict(`SCREENING_LISTS names the list ${name}, and would fetch it again: take it out there first.`);
      const list = { org_id: tenant?.org_id ?? EVERYBODY, name, environment: config.environment };
      return db.transaction(async tx => {
        const removed = await removeList(tx, list, now());
        await auditList(tx, list, { action: 'screening_list.removed', target_id: name, after: removed }, now());
        return removed;
      });
    },
  },
  {
    name: 'list show',
    summary:
      'Show the lists that are loaded, those of everybody and an organization’s own; and those that SCREENING_LISTS names',
    options: [anyOrgOption],
    async run(options, services, shell) {
      const { config, db, now } = services;
      const org_id = options['org'] === undefined ? EVERYBODY : (await tenantOf(options, services)).org_id;
      const problems = await fetchProblems(db);
      const rows = await listsOf(db, org_id);
      const loaded = new Set(rows.map(({ name }) => name));
      const missing = Object.entries(config.screening_lists).filter(([name]) => !loaded.has(name));
      const account = await accountsOf(db, [EVERYBODY, org_id]);
      return answer(options, shell, {
        data: [
          ...rows.map(row => {
            const { scope, ...shown } = shownList(row, account, now());
            const age_s = Math.max(0, Math.round((now() - Date.parse(row.loaded_at)) / SECOND));
            const error = scope === 'everyone' ? (problems.get(row.name) ?? null) : null;
            return { ...shown, scope, sha256: row.sha256, age_s, error };
          }),
          ...missing.map(([name, { format }]) => ({ ...neverLoaded, name, format, error: problems.get(name) ?? null })),
        ],
      });
    },
  },
  {
    name: 'list fetch',
    summary: 'Fetch now the lists that SCREENING_LISTS names, and load what has changed',
    options: [{ flags: '--name <name>', about: 'this one alone' }],
    async run(options, services, shell) {
      const names =
        options['name'] === undefined ? Object.keys(services.config.screening_lists) : [needListName(options)];
      if (names.length === 0) throw invalidRequest('SCREENING_LISTS names no list to fetch.');
      const data: ShownList[] = [];
      const faults: string[] = [];
      for (const name of names) {
        const fetched = await fetchOne(services, name);
        if (typeof fetched === 'string') faults.push(fetched);
        else data.push(fetched);
      }
      if (faults.length === 0) return answer(options, shell, { data });
      const others = data.length > 0 ? ` Fetched: ${data.length} of ${names.length}.` : '';
      throw new Problem('unprocessable', `${faults.join(' ')}${others} What was loaded before stays in use.`);
    },
  },
];

/** A list that is configured and not there: nobody is screened by it. Version 0. */
const neverLoaded = {
  name: '',
  version: 0,
  loaded_at: null,
  stale: true,
  format: '',
  entries: 0,
  scope: 'everyone',
  sha256: null,
  age_s: null,
  account: null,
};

/** A list in an answer. */
type ShownList = { name: string; account?: ListAccount | null; [member: string]: unknown };

/** The answer as it is for machines; for people what was read of each list stands in lines below. */
function answer(options: OptionValues, { stdout }: Shell, result: ShownList | { data: ShownList[] }) {
  if (options['json'] !== undefined) return result;
  const shown = 'data' in result ? (result.data as ShownList[]) : [result];
  const short = shown.map(({ account: _account, warnings: _warnings, ...others }) => others);
  stdout.write(print('data' in result ? { data: short } : short[0]));
  for (const { name, account } of shown) stdout.write(accountText(account ?? null, name));
  return undefined;
}

/** What was fetched, or a sentence on why it was not. */
async function fetchOne(services: Services, name: string): Promise<ShownList | string> {
  try {
    const loaded = await fetchList(services, name, 'operator');
    if (!loaded) return { name, state: 'unchanged' };
    return { ...loaded, state: 'loaded', warnings: accountWarnings(loaded.account) };
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') throw error;
    if (error instanceof Problem || error instanceof DownloadError || error instanceof ListError)
      return `${name}: ${asError(error).message}.`.replace(/\.\.$/, '.');
    throw error;
  }
}

function describeFault(error: unknown): never {
  if (error instanceof ListError) throw invalidRequest(`${error.message}. Nothing was loaded.`);
  throw error;
}

/** A screening names lists by these, so they are short. */
function needListName(options: Record<string, string | undefined>): string {
  const name = needName(options);
  if (name.length <= LONGEST_NAME) return name;
  throw invalidDetail('/name', 'too_long', `--name takes at most ${LONGEST_NAME} characters, not ${name.length}.`);
}

const LONGEST_NAME = 64;

function formatOf(options: Record<string, string | undefined>): ListFormatName {
  const typed = need(options, 'format');
  const format = listFormatNames.find(name => name === typed);
  if (format) return format;
  throw invalidDetail('/format', 'invalid_value', `--format takes ${formats}.`);
}

/** What was read of a list and what was not understood, in lines for a person. '' where that is not known. */
function accountText(account: ListAccount | null, heading: string): string {
  if (!account) return '';
  const { read, of_no_use, not_understood } = account;
  const counts = Object.entries(read).map(([kind, count]) => `${count} ${kind}`);
  const lines = [
    `${heading} read: ${counts.join(', ')}; ${of_no_use} items of no use.`,
    ...(not_understood.length > 0 ? ['Not understood, so it cannot be matched:'] : []),
    ...not_understood.map(({ label, items, examples }) => `  ${items}  ${label}: ${examples.join(' | ')}`),
    ...accountWarnings(account).map(warning => `WARNING: ${warning}`),
  ];
  return `\n${lines.join('\n')}\n`;
}
