import { spawn } from 'node:child_process';
import { buffer, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { SECOND } from '#shared/values/time.ts';
import type { PackReport } from './report.ts';

/** The largest report takes some seconds. */
const LONGEST = 120 * SECOND;

/**
 * A report as PDF/A-2a, made for archiving and for screen readers. The same report gives the same bytes. It is typeset in a separate
 * process, which frees its memory when it ends and blocks nobody. Throws an Error if it fails.
 */
export async function reportPdf(report: PackReport): Promise<Buffer> {
  const child = spawn(process.execPath, [program], { env, timeout: LONGEST, killSignal: 'SIGKILL' });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // If it ends before it has read everything, its exit code says so.
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(report));
  const [pdf, complaint, exit] = await Promise.all([buffer(child.stdout), text(child.stderr), ended]);
  if (exit !== 0) throw new Error(`the PDF of a report could not be made (${exit}): ${complaint.slice(0, 2_000)}`);
  return pdf;
}

/** Nothing of this process's environment. One thread with one heap took 225 MB for 45 pages, several took 250, in the same second. */
const env = { RAYON_NUM_THREADS: '1', MALLOC_ARENA_MAX: '1' };

const program = fileURLToPath(new URL('./pdf_process.ts', import.meta.url));
