import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readAddress } from '#bin/address.ts';
import { asError, invalidDetail } from '#shared/interface/errors.ts';
import { readSetting } from '#shared/settings/config.ts';
import { formatDuration, SECOND } from '#shared/values/time.ts';
import { parseMapping } from '#bin/admin/ingest/mapping.ts';
import { type SendResult, sendFiles } from '#bin/admin/ingest/send_files.ts';
import { describeTotals, sha256 } from '#bin/admin/ingest/state.ts';
import { previewFiles, type Previewed, readMost } from '#bin/admin/ingest/preview.ts';
import type { AdminCommand, Shell } from './command.ts';
import { Mistyped } from './program.ts';

/** How long work under way may take after a stop, and for how long repeated signals count as one. */
const STOP_WITHIN = 5 * SECOND;
const ONE_SIGNAL = SECOND;

export const ingest: AdminCommand[] = [
  {
    name: 'ingest',
    summary:
      'Send the events of files to the service: lines of JSON, JSON arrays or CSV, also compressed with gzip or zstd. After a kill, the same command goes on where it had come to; what was sent without its answer being heard is counted as duplicates then. Sums are over all runs. Exit 0 also where events were refused.',
    options: [
      {
        flags: '--key-file <file>',
        about: 'a file that holds an API key with the scope events:write',
        required: { unless: 'preview' },
      },
      { flags: '--url <url>', about: 'the address of the service (default: of the one that runs here)' },
      {
        flags: '--map <file>',
        about: 'JSON that says how rows become events: which column is what, or how a source reads webhooks',
      },
      {
        flags: '--preview <number>',
        about:
          'print what so many events at the beginning become, and whether they are sound; nothing is sent, and no key is needed',
      },
      {
        flags: '--state <file>',
        about:
          'where it is kept how far it has come (default: <first file>.ingest-state.json; of standard input, nowhere)',
      },
      {
        flags: '--rejects <file>',
        about:
          'where refused events are written, with reasons (default: <first file>.ingest-rejects.ndjson; of standard input, standard-input.ingest-rejects.ndjson)',
      },
    ],
    argument: { name: '<file...>', about: 'files, or - for standard input' },
    async runAlone(options, files, shell) {
      const json = options['json'] !== undefined;
      const map = options['map'] === undefined ? undefined : await readMap(options['map']);
      const stdin = shell.stdin ?? process.stdin;
      if (options['preview'] !== undefined) {
        const shown = await previewFiles({ files, mapping: map?.mapping, stdin }, readMost(options['preview']));
        if (json) return { data: shown };
        for (const each of shown) shell.stdout.write(previewText(each));
        return undefined;
      }
      const [first = '-'] = files;
      const beside = first === '-' ? 'standard-input' : first;
      const sending = {
        files,
        url: urlOf(options['url'], shell),
        key: await readKey(options['keyFile'] ?? ''),
        map,
        state: options['state'] ?? (files.includes('-') ? undefined : `${beside}.ingest-state.json`),
        rejects: options['rejects'] ?? `${beside}.ingest-rejects.ndjson`,
        quiet: json,
        stdin,
        stderr: shell.stderr,
      };
      await refuseSameFile(sending);
      const { stop, release } = listen();
      const sent = await sendFiles({ ...sending, stop }).finally(release);
      if (!json) shell.stderr.write(`${describe(sent, sending)}\n`);
      return { ...sent.totals, seconds: Math.round(sent.seconds * 1_000) / 1_000 };
    },
  },
];

function previewText({ file, line, event, error }: Previewed): string {
  const problems = error?.details?.map(({ path, message }) => `${path || 'it'}: ${message}`) ?? [error?.message];
  const verdict = error ? `would be refused: ${problems.join(' ')}` : 'is sound';
  return `${file}, line ${line}, ${verdict}\n${JSON.stringify(event, null, 2)}\n\n`;
}

/** Listens for SIGINT and SIGTERM: the first ends the reading, and, after a while or a second one, the work under way. */
function listen() {
  const [taking, waiting] = [new AbortController(), new AbortController()];
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  const hear = () => {
    const isFirst = !taking.signal.aborted;
    // At a terminal Ctrl-C comes twice: to the whole group, and passed on by npm.
    if (!isFirst && performance.now() - since > ONE_SIGNAL) waiting.abort();
    if (!isFirst) return;
    since = performance.now();
    timer = setTimeout(() => waiting.abort(), STOP_WITHIN);
    taking.abort();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, hear);
  const release = () => {
    clearTimeout(timer);
    for (const signal of signals) process.off(signal, hear);
  };
  return { stop: { taking: taking.signal, waiting: waiting.signal }, release };
}

function urlOf(url_option: string | undefined, { settings }: Shell): string {
  const text = url_option ?? readAddress(readSetting('DATA_DIR', settings)) ?? 'http://127.0.0.1:3000';
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return text.replace(/\/+$/, '');
  throw new Mistyped(
    '/url',
    'invalid_format',
    '--url takes an http or https URL, such as https://oversight.example.com.',
  );
}

/** The key in a file. Errors do not repeat it. */
async function readKey(path: string): Promise<string> {
  if (/^hk_(test|live)_/.test(path))
    throw new Mistyped(
      '/key-file',
      'invalid_value',
      '--key-file takes the name of a file that holds the key, not the key: others can see what is typed.',
    );
  const key = (await readText(path, 'key-file')).trim();
  if (/^[!-~]{1,200}$/.test(key)) return key;
  throw invalidDetail('/key-file', 'invalid_value', `The file ${path} must hold an API key and nothing else.`);
}

async function readMap(path: string) {
  const text = await readText(path, 'map');
  return { mapping: parseMapping(text, path), sha256: sha256(text) };
}

const readText = (path: string, option: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    throw invalidDetail(`/${option}`, 'invalid_value', `The file ${path} cannot be read: ${asError(error).message}.`);
  });

/** The output must not be an input, nor may a file be sent twice in one go: its state would be ambiguous. */
async function refuseSameFile({
  files,
  state,
  rejects,
}: {
  files: readonly string[];
  state: string | undefined;
  rejects: string;
}) {
  const files_seen = new Set<string>();
  for (const path of [...files, ...(state === undefined ? [] : [state]), rejects]) {
    const there = await stat(path).catch(() => null);
    const name = there?.isFile() ? `${there.dev} ${there.ino}` : resolve(path);
    if (files_seen.has(name))
      throw new Mistyped('', 'duplicate', `${path} is named twice: files, --state and --rejects have to be different.`);
    files_seen.add(name);
  }
}

function describe(
  { totals, seconds, refused, was_finished }: SendResult,
  { rejects, state }: { rejects: string; state: string | undefined },
): string {
  if (was_finished) return `Nothing is left to send: ${state} says that all of it was answered.`;
  const { accepted, duplicates, conflicts, rejected } = totals;
  const all = accepted + duplicates + conflicts + rejected;
  const parts = [
    all === 1 ? '1 event has' : `All ${all.toLocaleString('en-US')} events have`,
    ` been answered in ${formatDuration(Math.round(seconds) * SECOND)}: ${describeTotals(totals)}.`,
    (refused > 0 || conflicts + rejected > 0) && ` ${rejects} says which were refused, and why.`,
  ];
  return parts.filter(Boolean).join('');
}
