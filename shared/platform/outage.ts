import type { Logger } from './log.ts';

/**
 * Whether what a process needs can be used. Each of those that use it, such as its connections, notes what keeps it from that; the log hears of the
 * first and of the end, however many there are.
 */
export type Outage = {
  /** Notes why `user` cannot use it; without an error it has lost its connection, and what it noted before says more. */
  note(user: object, error?: Error & { code?: unknown }): void;
  /** What is wrong, as a sentence, which the log has then; null where nothing is known to be. */
  tell(): string | null;
  /** `user` can use it again. */
  end(user: object): void;
  /** `user` is no more. */
  forget(user: object): void;
};

/** What a process needs cannot be used, which the message says and the log has. */
export class Away extends Error {}

/** `name` is what people know it by, with its setting. */
export function createOutage(log: Logger, name: string): Outage {
  const reasons = new Map<object, string>();
  let isTold = false;
  return {
    note(user, error) {
      // Of a host whose addresses all refuse, Node says no more than a code.
      const reason = error && (error.message || String(error.code));
      reasons.set(user, reason ?? reasons.get(user) ?? 'the connection was lost');
    },
    tell() {
      const [reason] = reasons.values();
      if (reason === undefined) return null;
      const sentence = `${name} cannot be used: ${reason}`;
      if (!isTold) log.warn(sentence);
      isTold = true;
      return sentence;
    },
    end(user) {
      reasons.delete(user);
      if (!isTold || reasons.size > 0) return;
      log.info(`${name} can be used again`);
      isTold = false;
    },
    forget: user => void reasons.delete(user),
  };
}
