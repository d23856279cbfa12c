import type { StoredInput } from '#shared/events/input/erased_input.ts';

/** The words that a payee's key is known by: the key, and what is particular in it, such as the address, the account or the host. */
export function wordsOfKey(key: string): string[] {
  if (key.startsWith('erased:')) return [];
  const particular = /^(?:eip155:\d+|solana(?::[^:]+)?|domain|iban|account:[^:]+):(.+)$/.exec(key)?.[1];
  return particular === undefined ? [key] : [key, particular];
}

/** What an event says of its parties in words, by kind of party. */
export const namesIn = ({ agent, owner, payment: { payee } }: StoredInput) => ({
  agent: present([agent?.external_id, agent?.name]),
  owner: present([owner?.external_id, owner?.name]),
  payee: present([payee.name, ...wordsOfKey(payee.key)]),
});

/** What an event says in words beside its parties, as far as an alert may repeat it. */
export function wordsIn(normal: StoredInput): string[] {
  const { resource_url, description, failure, context, instrument } = normal;
  const url = resource_url === undefined ? null : URL.parse(resource_url);
  const { run_id, conversation_id, tool_name, tool_call_id } = context ?? {};
  return present([
    resource_url,
    url?.hostname,
    url?.pathname === '/' ? undefined : url?.pathname,
    description,
    failure?.message,
    instrument?.id,
    run_id,
    conversation_id,
    tool_name,
    tool_call_id,
  ]);
}

/** A word as it may stand in JSON, too, where it has other characters than plain ones. */
export function spellings(word: string): string[] {
  const escaped = JSON.stringify(word).slice(1, -1);
  const plain = escaped.replace(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [...new Set([word, word.toLowerCase(), escaped, plain])];
}

const present = (words: readonly (string | undefined)[]) => words.filter(word => word !== undefined);
