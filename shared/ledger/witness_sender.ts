import type { CheckpointWitness } from '#shared/settings/checkpoint_witness_setting.ts';
import { asError } from '#shared/interface/errors.ts';
import { createSender } from '#shared/webhooks/send.ts';
import { appendNote } from './witness_file.ts';

/** Hands a note to a witness; answers with why that did not work, or null. It never throws, and never says where the witness is. */
export type SendNote = (note: string) => Promise<string | null>;

/** Adds notes to the file, or posts each to the address as text: any 2xx says that it was taken, redirects are not followed. */
export const createNoteSender = (witness: CheckpointWitness): SendNote =>
  witness.file === undefined ? posting(new URL(witness.url)) : appending(witness.file);

/** The operator named the address, so it may be a private one. */
function posting(url: URL): SendNote {
  const send = createSender({ allow_private: true, https_only: false });
  const { username, password } = url;
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'user-agent': 'agent-payment-oversight',
    ...(username && { authorization: `Basic ${basic}` }),
  };
  const address = Object.assign(new URL(url), { username: '', password: '' }).href;
  return async note => {
    const { outcome, status, error } = await send(address, headers, Buffer.from(note));
    return outcome === 'delivered' ? null : (error ?? `it answered ${status}`);
  };
}

function appending(path: string): SendNote {
  return async note => {
    try {
      await appendNote(path, note);
      return null;
    } catch (thrown) {
      const error: Error & { code?: unknown } = asError(thrown);
      return `the file cannot be written (${String(error.code ?? error.name)})`;
    }
  };
}
