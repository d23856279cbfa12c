import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';

/** A file of the dashboard as browsers get it. Its name says what is in it, so that it can be kept for good. */
export type Asset = { name: string; type: 'js' | 'css'; body: Buffer };

export type Bundle = { script: Asset; style: Asset };

let bundled: Promise<Bundle> | undefined;

/**
 * The dashboard for browsers: one script and one style sheet, minified, made once a process (some 200 ms) and kept in memory. Nothing
 * is written, so the code that runs is the code that lies there. Throws esbuild's error where the code does not build.
 */
export function dashboardBundle(): Promise<Bundle> {
  bundled ??= bundle().catch((error: unknown) => {
    // What failed for want of memory is tried again with the next request.
    bundled = undefined;
    throw error;
  });
  return bundled;
}

async function bundle(): Promise<Bundle> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./browser/main.tsx', import.meta.url))],
    outdir: '/',
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'silent',
    charset: 'utf8',
    legalComments: 'none',
  });
  // esbuild's own process would stay, and it is not needed again.
  await stop();
  const asset = (type: Asset['type']): Asset => {
    const file = outputFiles.find(({ path }) => path.endsWith(`.${type}`));
    if (!file) throw new Error(`The bundle of the dashboard has no .${type} file.`);
    const body = Buffer.from(file.contents);
    const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
    return { name: `dashboard-${hash}.${type}`, type, body };
  };
  return { script: asset('js'), style: asset('css') };
}
