import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type PackResult, verifyPack } from '#shared/packs/verify.mjs';
import { type TestPack, zipped } from './pack_zip.ts';

/** A folder of this test's own. */
export async function desk(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'oversight-verify-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** What the verifier finds in these bytes. */
export async function verified(t: ExecutionContext, zip: Buffer, keys?: unknown): Promise<PackResult> {
  const path = join(await desk(t), 'pack.zip');
  await writeFile(path, zip);
  return verifyPack(path, { keys });
}

/** What it finds in a pack whose signer is trusted. */
export const checked = async (t: ExecutionContext, { files, keys }: TestPack) => verified(t, await zipped(files), keys);

/** Each failure as `check: file line: message`. */
export const failuresOf = ({ checks }: PackResult): string[] =>
  checks.flatMap(({ name, failures }) =>
    failures.map(({ file, line, message }) => `${name}: ${[file, line].filter(Boolean).join(' ')}: ${message}`),
  );

/** The pack unpacked into a folder. */
export async function unpacked(t: ExecutionContext, files: Map<string, Buffer>): Promise<string> {
  const folder = await desk(t);
  for (const [name, bytes] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
  return folder;
}

type Run = { code: number; stdout: string; stderr: string };

/** Runs a program on Node, as a person would. */
export const run = (args: string[], { cwd, node = process.execPath }: { cwd?: string; node?: string } = {}) =>
  new Promise<Run>(resolve => {
    execFile(node, args, { cwd }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    );
  });
