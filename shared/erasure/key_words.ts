import type { StoredInput } from '#shared/events/input/erased_input.ts';
import { asDisplayed, isVisible, shownName, withoutDirections } from '#shared/values/shown_name.ts';

/** The words that identify a payee's key: the key itself, and its distinctive part, such as the address, the account or the host. */
export function wordsOfKey(key: string): string[] {
  if (key.startsWith('erased:')) return [];
  const particular = /^(?:eip155:\d+|solana(?::[^:]+)?|domain|iban|account:[^:]+):(.+)$/.exec(key)?.[1];
  return particular === undefined ? [key] : [key, particular];
}

/** The names in an event of its parties, by kind of party. */
export const namesIn = ({ agent, owner, payment: { payee } }: StoredInput) => ({
  agent: present([agent?.external_id, ...written(agent?.name)]),
  owner: present([owner?.external_id, ...written(owner?.name)]),
  payee: present([...written(payee.name), ...wordsOfKey(payee.key)]),
});

/** A name as it was sent, and as texts repeat it. */
const written = (name: string | undefined) =>
  name === undefined ? [] : [name, shownName(name) ?? undefined, asDisplayed(name), withoutDirections(name)];

/** The other words of an event, as far as an alert may repeat them. */
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

/** The spellings of a word, in JSON too; the database ignores the case of ASCII letters only. */
export function spellings(word: string): string[] {
  const escaped = JSON.stringify(word).slice(1, -1);
  const plain = escaped.replace(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [
    ...new Map(
      [word, escaped, plain, word.toLowerCase(), word.toUpperCase()].map(each => [lowered(each), each]),
    ).values(),
  ];
}

const lowered = (word: string) => word.replace(/[A-Z]/g, letter => letter.toLowerCase());

/** A shorter word would be found everywhere, and so would blanks. */
export const isFindable = (word: string): boolean => [...word].length >= 4 && isVisible(word);

/** Whether a name is a single word of letters, such as `Payment`, which people also write with another meaning. */
export const isOneWord = (word: string): boolean => /^\p{L}+$/u.test(word);

/** How many characters are searched at once: a longer pattern takes too long. */
const AT_ONCE = 8_000;

type Part = { seqs: Set<number>; words: Set<string>; size: number };

/** The words of events, split into parts that can be searched at once, each with the events they come from. */
export function inParts(events: readonly { chain_seq: number; words: readonly string[] }[]) {
  const parts: Part[] = [];
  for (const { chain_seq, words } of events)
    for (const word of words.filter(isFindable)) {
      const open = parts.at(-1);
      const part: Part =
        open && open.size + word.length <= AT_ONCE ? open : { seqs: new Set(), words: new Set(), size: 0 };
      if (part !== open) parts.push(part);
      if (!part.words.has(word)) part.size += word.length;
      part.words.add(word);
      part.seqs.add(chain_seq);
    }
  return parts.map(({ seqs, words }) => ({ seqs: [...seqs], words: [...words] }));
}

const present = (words: readonly (string | undefined)[]) => words.filter(word => word !== undefined);
