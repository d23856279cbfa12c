import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler';
import { SECOND } from '#shared/values/time.ts';
import { fontsFor } from './fonts.ts';
import type { PackReport } from './report.ts';
import { charactersOf, readyToSet } from './typeset.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const template = fileURLToPath(new URL('./report.typ', import.meta.url));
const data = fileURLToPath(new URL('./report.json', import.meta.url));

/**
 * Typesets a report by `report.typ`, which reads it as JSON: nothing of it is ever markup. Blocks while it does, and keeps its memory. Throws
 * what the compiler throws.
 */
async function typeset(report: PackReport): Promise<Buffer> {
  const { files, families, has } = await fontsFor(charactersOf(report));
  const compiler = NodeCompiler.create({ workspace: folder, fontArgs: [{ fontBlobs: files }] });
  compiler.mapShadow(data, Buffer.from(JSON.stringify({ report: readyToSet(report, has), families })));
  // The date of the document is that of the report, so that its bytes are the same at any time.
  const creationTimestamp = Math.floor(Date.parse(report.created_at) / SECOND);
  return compiler.pdf({ mainFilePath: template }, { pdfStandard: 'a-2a', creationTimestamp });
}

// A process's whole life: it is given a report as JSON, and writes its PDF.
process.stdout.end(await typeset((await json(process.stdin)) as PackReport));
