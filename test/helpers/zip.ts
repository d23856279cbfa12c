import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import ZipStream from 'zip-stream';

/** A ZIP archive of these files, compressed. */
export async function zipOf(files: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipStream({});
  const bytes = buffer(zip);
  for (const [name, content] of Object.entries(files))
    await new Promise<void>((resolve, reject) =>
      zip.entry(Readable.from([Buffer.from(content)]), { name, date: new Date(0) }, error =>
        error ? reject(error) : resolve(),
      ),
    );
  zip.finish();
  return bytes;
}
