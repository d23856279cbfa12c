import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Tenant } from '#shared/interface/schemas.ts';
import { readCheckpointText, type LogStatement } from './checkpoint_text.ts';

/** Appends a note and an empty line to a file; both are on disk when this returns. Throws the errors of the file system. */
export async function appendNote(path: string, note: string): Promise<void> {
  const file = await open(path, 'a+');
  try {
    // A process killed while writing may have left part of a note.
    const gap = (await endsWithEmptyLine(file)) ? '' : '\n\n';
    await file.writeFile(`${gap}${note}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function endsWithEmptyLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return true;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, Math.max(0, size - 2));
  return buffer.subarray(0, bytesRead).toString() === '\n\n';
}

/**
 * The statements in a file about the log of an organization, in order; everything else is skipped. The organization is identified by the
 * name alone, since the database is what is in doubt.
 */
export async function* readStatements(path: string, { org_id, environment }: Tenant): AsyncGenerator<LogStatement> {
  let paragraph = '';
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (line !== '') {
      paragraph = paragraph.length < LONGEST ? `${paragraph}${line}\n` : paragraph;
      continue;
    }
    const statement = readCheckpointText(paragraph);
    if (statement?.origin.endsWith(`/${org_id}/${environment}`)) yield statement;
    paragraph = '';
  }
}

const LONGEST = 10_000;
