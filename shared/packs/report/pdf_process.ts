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
 * Typesets a report with `report.typ`, which reads it as JSON, so that no part of it becomes markup. Blocks meanwhile, and keeps its
 * memory. Throws the compiler's errors.
 */
async function typeset(report: PackReport): Promise<Buffer> {
  const { files, families, has } = await fontsFor(charactersOf(report));
  const compiler = NodeCompiler.create({ workspace: folder, fontArgs: [{ fontBlobs: files }] });
  compiler.mapShadow(data, Buffer.from(JSON.stringify({ report: readyToSet(report, has), families })));
  // The document has the date of the report, so that its bytes do not depend on the time of typesetting.
  const creationTimestamp = Math.floor(Date.parse(report.created_at) / SECOND);
  return compiler.pdf({ mainFilePath: template }, { pdfStandard: 'a-2a', creationTimestamp });
}

// All that this process does: read a report as JSON and write its PDF.
process.stdout.end(await typeset((await json(process.stdin)) as PackReport));
