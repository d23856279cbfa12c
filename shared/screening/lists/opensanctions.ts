import { basename } from 'node:path';
import { readEntities } from './ftm_entities.ts';
import { ListError } from './list_error.ts';
import { oneFile } from './list_files.ts';
import type { ListFormat, TextSource } from './list_format.ts';
import { readTargets } from './simple_targets.ts';

/**
 * OpenSanctions, or any other source in its forms: entities in FollowTheMoney as JSON lines (`entities.ftm.json`), or the table
 * `targets.simple.csv`, told apart by the first character.
 * Layouts: https://www.opensanctions.org/docs/bulk/, https://followthemoney.tech/explorer/.
 */
export const openSanctions: ListFormat = {
  about: 'OpenSanctions: entities.ftm.json (FollowTheMoney, JSON lines) or targets.simple.csv',
  files: path => oneFile(path, [/^entities\.ftm\.json$/i, /^targets\.simple\.csv$/i, /\.ftm\.jsonl?$/i, /\.csv$/i]),
  async *read(input) {
    for (const path of input.files) {
      const { first, source } = await peek(input.open(path));
      if (first === '[')
        throw new ListError(basename(path), 1, 'is one JSON array; JSON lines has an object on every line');
      yield* first === '{'
        ? readEntities(source, () => input.open(path), input.account)
        : readTargets(source, input.account);
    }
  },
};

/** The first character of a file that is no space, and the file still whole. */
async function peek({ name, chunks }: TextSource): Promise<{ first: string; source: TextSource }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const { value, done } = await iterator.next();
  async function* whole() {
    if (done) return;
    yield value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { first: (value ?? '').trimStart().charAt(0), source: { name, chunks: whole() } };
}
