import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OpenApi, operationTypes } from '#bin/client/operation_types.ts';

// `npm run build:client [folder]`: makes the library for TypeScript of `api/client/` in `dist/client` (or another folder), a package of its
// own: JavaScript and types, with a manifest that depends on nothing, so that whoever installs it does not install the service.
const root = fileURLToPath(new URL('../', import.meta.url));
const target = resolve(process.argv[2] ?? join(root, 'dist/client'));

/** What Node 20.3 and browsers of its time know, and nothing of Node's own. */
const compilerOptions = {
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  types: [],
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
  declaration: true,
  rootDir: 'client',
};

const staging = await mkdtemp(join(tmpdir(), 'oversight-client-'));
try {
  const openapi = JSON.parse(await readFile(join(root, 'api/openapi.json'), 'utf8')) as OpenApi;
  await cp(join(root, 'api/client'), join(staging, 'client'), { recursive: true });
  await writeFile(join(staging, 'client/operations.ts'), operationTypes(openapi));
  await writeFile(join(staging, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['client'] }));
  await writeFile(join(staging, 'package.json'), JSON.stringify({ type: 'module' }));
  await rm(join(target, 'client'), { recursive: true, force: true });
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', staging, '--outDir', join(target, 'client')],
    {
      stdio: 'inherit',
    },
  );
  const { name, version, license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const entry = { types: './client/index.d.ts', default: './client/index.js' };
  const manifest = {
    name,
    version,
    license,
    description: 'The client of the agent payment oversight service.',
    type: 'module',
    sideEffects: false,
    exports: { './client': entry, './package.json': './package.json' },
    files: ['client'],
    engines: { node: '>=20.3' },
  };
  await writeFile(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await cp(join(root, 'LICENSE'), join(target, 'LICENSE'));
} finally {
  await rm(staging, { recursive: true, force: true });
}
