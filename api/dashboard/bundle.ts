import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** A file of the dashboard as browsers get it. Its name says what is in it, so that it can be kept for good. */
export type BundleFile = { name: string; type: 'js' | 'css'; body: Buffer };

export type Bundle = { script: BundleFile; style: BundleFile };

let bundled: Promise<Bundle> | undefined;

/**
 * The dashboard for browsers: one script and one style sheet, minified. An earlier start, or `npm run build`, has left it in
 * `node_modules/.cache`; it is used only where every file it was made of is still the same, and made again otherwise (some 200 ms).
 * Where that folder cannot be written, the bundle stays in memory. Throws esbuild's error where the code does not build.
 */
export function dashboardBundle(): Promise<Bundle> {
  bundled ??= (async () => (await readBundle()) ?? bundle())().catch((error: unknown) => {
    // What failed for want of memory is tried again with the next request.
    bundled = undefined;
    throw error;
  });
  return bundled;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const cache_file = resolve(root, 'node_modules/.cache/dashboard.json');

/** What decides besides the sources: the options, here and in the configuration, and the version of esbuild. */
const settings = ['api/dashboard/bundle.ts', 'tsconfig.json', 'package.json', 'node_modules/esbuild/package.json'];

const KeptBundle = z.object({
  /** The SHA-256 of every file the bundle was made of, by its path in the project. */
  made_of: z.record(z.string(), z.string()),
  script: z.string(),
  style: z.string(),
});
type KeptBundle = z.infer<typeof KeptBundle>;

/** The bundle that was kept; null where there is none, or something it was made of has changed. */
async function readBundle(): Promise<Bundle | null> {
  try {
    const { made_of, script, style } = KeptBundle.parse(JSON.parse(await readFile(cache_file, 'utf8')));
    const now = await hashesOf(Object.keys(made_of));
    if (Object.entries(made_of).some(([path, hash]) => now[path] !== hash)) return null;
    return { script: asset('js', script), style: asset('css', style) };
  } catch {
    // Not there, cut off, or made of a file that is gone.
    return null;
  }
}

async function bundle(): Promise<Bundle> {
  const { build, stop } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('./browser/main.tsx', import.meta.url))],
    absWorkingDir: root,
    outdir: '/',
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'silent',
    charset: 'utf8',
    legalComments: 'none',
    // Rules and schemas of mandates ask Node for things; none of them is left in the script, which a test holds.
    external: ['node:*'],
  });
  // esbuild's own process would stay, and it is not needed again.
  await stop();
  const textOf = (type: BundleFile['type']): string => {
    const file = outputFiles.find(({ path }) => path.endsWith(`.${type}`));
    if (!file) throw new Error(`The bundle of the dashboard has no .${type} file.`);
    return file.text;
  };
  const [script, style] = [textOf('js'), textOf('css')];
  await keep(Object.keys(metafile.inputs), script, style);
  return { script: asset('js', script), style: asset('css', style) };
}

/** Whole or not at all: several processes may start at once. */
async function keep(sources: string[], script: string, style: string): Promise<void> {
  const draft = `${cache_file}.${process.pid}`;
  try {
    await mkdir(dirname(cache_file), { recursive: true });
    const bundle: KeptBundle = { made_of: await hashesOf([...settings, ...sources]), script, style };
    await writeFile(draft, JSON.stringify(bundle));
    await rename(draft, cache_file);
  } catch {
    // A folder that cannot be written costs the next start its 200 ms.
  }
}

async function hashesOf(paths: string[]): Promise<Record<string, string>> {
  const hashes = paths.map(async path => [path, sha256(await readFile(resolve(root, path)))] as const);
  return Object.fromEntries(await Promise.all(hashes));
}

function asset(type: BundleFile['type'], text: string): BundleFile {
  const body = Buffer.from(text);
  return { name: `dashboard-${sha256(body).slice(0, 16)}.${type}`, type, body };
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
