import { accountWarnings, type ListAccount } from '#shared/screening/account.ts';

/** What was read of a list and what was not understood, in lines for a person. '' where that is not known. */
export function accountText(account: ListAccount | null, heading: string): string {
  if (!account) return '';
  const { read, of_no_use, not_understood } = account;
  const counts = Object.entries(read).map(([kind, count]) => `${count} ${kind}`);
  const lines = [
    `${heading} read: ${counts.join(', ')}; ${of_no_use} items of no use.`,
    ...(not_understood.length > 0 ? ['Not understood, so it cannot be matched:'] : []),
    ...not_understood.map(({ label, items, examples }) => `  ${items}  ${label}: ${examples.join(' | ')}`),
    ...accountWarnings(account).map(warning => `WARNING: ${warning}`),
  ];
  return `\n${lines.join('\n')}\n`;
}
