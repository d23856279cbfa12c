import type { DataOf } from '#api/client/call.ts';
import { amountText, shortTime, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import type { IconName } from '#api/dashboard/browser/parts/icon.tsx';
import { places } from '#api/dashboard/browser/places.ts';
import type { SignedIn } from '#api/dashboard/browser/session.tsx';
import type { Destination } from './recent.ts';

type Answer = DataOf<'GET /v1/search'>;
type Kind = Answer['groups'][number]['kind'];
type Found = Answer['groups'][number]['results'][number];

/** Something in the list that can be chosen. `remembered`: a record, which is offered again later. */
export type Choice = Destination & { icon: IconName; remembered?: true };
export type Group = { name: string; choices: Choice[] };

/** How each kind of record is called, and where it is shown; null: it has no page of its own. */
const kinds: Record<Kind, { name: string; icon: IconName; path: ((id: string) => string) | null }> = {
  event: { name: 'Payments', icon: 'receipt', path: id => `/events/${id}` },
  incident: { name: 'Incidents', icon: 'siren', path: id => `/incidents/${id}` },
  alert: { name: 'Alerts', icon: 'bell', path: id => `/alerts/${id}` },
  case: { name: 'Cases', icon: 'folder', path: id => `/cases/${id}` },
  agent: { name: 'Agents', icon: 'bot', path: id => `/agents/${id}` },
  payee: { name: 'Payees', icon: 'store', path: id => `/payees/${id}` },
  owner: { name: 'Owners', icon: 'building', path: id => `/owners/${id}` },
  mandate: { name: 'Mandates', icon: 'scroll', path: id => `/mandates/${id}` },
  screening: { name: 'Screenings', icon: 'search_check', path: id => `/screenings/${id}` },
  pack: { name: 'Packs', icon: 'archive', path: id => `/packs/${id}` },
  source: { name: 'Sources', icon: 'plug', path: id => `/sources/${id}` },
  backtest: { name: 'Backtests', icon: 'radar', path: id => `/backtests/${id}` },
  api_key: { name: 'API keys', icon: 'key', path: () => '/api-keys' },
  trusted_key: { name: 'Trusted keys', icon: 'fingerprint', path: () => '/trusted-keys' },
  webhook_endpoint: { name: 'Webhook endpoints', icon: 'webhook', path: id => `/webhooks?endpoint_id=${id}` },
  webhook_delivery: { name: 'Webhook deliveries', icon: 'webhook', path: () => '/webhooks' },
  member: { name: 'Members', icon: 'users', path: null },
  export: { name: 'Exports', icon: 'archive', path: null },
};

/** What was found, as groups of choices. */
export const foundGroups = ({ groups }: Answer): Group[] =>
  groups.flatMap(({ kind, results }) => {
    const { name, icon, path } = kinds[kind];
    return path === null
      ? []
      : [
          {
            name,
            choices: results.map(result => ({
              ...shownOf(kind, result),
              icon,
              path: path(result.id),
              remembered: true as const,
            })),
          },
        ];
  });

/** What tells these apart is how severe or how urgent they are, which the API has a word for. */
const inWords = new Set<Kind>(['incident', 'alert', 'case']);

/** How a record that was found is told: `$35.77 to Name`, and what else is known of it. */
export function shownOf(kind: Kind, { title, detail, state, amount, at, chain_seq }: Found) {
  const facts = [
    chain_seq !== null ? `#${chain_seq} ${detail ?? ''}` : detail && inWords.has(kind) ? wordsOf(detail) : detail,
    state && wordsOf(state),
    at && shortTime(at),
  ];
  return {
    title: amount ? `${amountText(amount)} to ${title}` : title,
    detail: facts.filter(fact => fact && fact !== title).join(' · '),
  };
}

/** Pages and actions whose name has a word that begins like each word of the text; all of them for an empty text. */
export function placeGroups({ me, may }: SignedIn, text: string): Group[] {
  const isMeant = ({ title, detail }: Choice) => {
    const words = `${title} ${detail}`.toLowerCase().split(/\s+/);
    return text
      .toLowerCase()
      .split(/\s+/)
      .every(part => words.some(word => word.startsWith(part)));
  };
  const pages = places
    .flatMap(({ name, of }) => of.map(place => ({ ...place, detail: name })))
    .filter(place => (!place.for || may(place.for)) && !place.until?.(me.organization.id))
    .map(({ path, name, icon, detail }): Choice => ({ path, title: name, detail, icon }));
  const actions: (Choice & { may: boolean })[] = [
    { path: '/mandates/new', title: 'Create mandate', detail: '', icon: 'scroll', may: may('configure') },
    { path: '/incidents', title: 'Review open incidents', detail: '', icon: 'siren', may: true },
    {
      path: '/screenings?state=potential_match',
      title: 'Review screening matches',
      detail: '',
      icon: 'search_check',
      may: true,
    },
    { path: '/account', title: 'Manage your account', detail: 'Security and sessions', icon: 'fingerprint', may: true },
  ];
  return [
    { name: 'Pages', choices: pages.filter(isMeant) },
    { name: 'Actions', choices: [...worthOf(text), ...actions.filter(action => action.may && isMeant(action))] },
  ].filter(({ choices }) => choices.length > 0);
}

/**
 * The payments that came to an amount of dollars, in whatever currency they were made: half a cent more or less, or half a dollar where no
 * cents are said. The search finds amounts as they were reported.
 */
function worthOf(text: string): Choice[] {
  const [, sign, digits = '', cents, name] =
    /^(\$)? ?((?:\d{1,3}(?:,\d{3}){1,3}|\d{1,12}))(\.\d{2})?( ?usd)?$/i.exec(text) ?? [];
  if (digits === '' || (!sign && !cents && !name)) return [];
  const micro = Number(digits.replaceAll(',', '')) * 1_000_000 + Number(cents ?? 0) * 1_000_000;
  const slack = cents ? 5_000 : 500_000;
  const [from, to] = [Math.max(micro - slack, 0), micro + slack].map(
    bound => `$${Number((bound / 1_000_000).toFixed(3))}`,
  );
  const path = `/events?amount=${encodeURIComponent(`${from}–${to}`)}`;
  return [{ path, title: `Payments worth $${digits}${cents ?? ''} in any currency`, detail: '', icon: 'receipt' }];
}
