/** Something to go to. */
export type Destination = { path: string; title: string; detail: string };

const STORED = 'recent_searches';
const MOST = 8;

type Stored = { of: string; entries: Destination[] };

/** What somebody opened from the search last, the latest first; `of` names the person and the organization, and nobody else's is shown. */
export const recentOf = (of: string): Destination[] => {
  const stored = readStored();
  return stored?.of === of ? stored.entries : [];
};

/** Remembers in this browser that a record was opened, until its reader signs out. */
export function rememberOpened(of: string, opened: Destination): void {
  const others = recentOf(of).filter(({ path }) => path !== opened.path);
  localStorage.setItem(STORED, JSON.stringify({ of, entries: [opened, ...others].slice(0, MOST) } satisfies Stored));
}

/** Forgets what was opened: its reader has signed out. */
export const forgetRecent = (): void => localStorage.removeItem(STORED);

function readStored(): Stored | null {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? 'null') as Stored | null;
  } catch {
    return null;
  }
}
