import { useRoute } from 'preact-iso';
import type { Screening } from '#shared/screening/store/screenings.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countryText, percentText, keyText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { ActorName } from '#api/dashboard/browser/parts/names.tsx';
import { Empty, Facts, Loaded, Page, Section } from '#api/dashboard/browser/parts/page.tsx';
import { Copy, Time } from '#api/dashboard/browser/parts/values.tsx';
import { useReading } from '#api/dashboard/browser/reading/use_reading.ts';
import { Match } from './match.tsx';

import { Review } from './review.tsx';

/** One screening: who was looked for beside what was found, why it matches, and the decision. */
export function ScreeningPage() {
  const { id = '' } = useRoute().params;
  const reading = useReading('GET /v1/screenings/{id}', { params: { id } });
  return reading.data ? (
    <OneScreening key={id} screening={reading.data} />
  ) : (
    <Page title="Screening">
      <Loaded reading={reading}>{() => null}</Loaded>
    </Page>
  );
}

function OneScreening({ screening }: { screening: Screening }) {
  const { state, query, score, threshold, matches, lists, allowed_by, error } = screening;
  return (
    <Page
      title={query.name ?? (query.key ? keyText(query.key) : 'Screening')}
      eyebrow={<a href="/screenings">Screenings</a>}
      actions={state === 'potential_match' && <Review screening={screening} />}
    >
      <p class="totals">
        <Badge of={state} />
        <span>
          Score <strong>{percentText(score, 1)}</strong>, threshold {percentText(threshold, 1)}
        </span>
        <span class="quiet">
          Screened <Time at={screening.created_at} ago /> against{' '}
          {lists.length === 0
            ? 'no list'
            : lists
                .map(({ name, version, stale }) => `${name} (version ${version}${stale ? ', stale' : ''})`)
                .join(', ')}
        </span>
      </p>
      <Outcome screening={screening} />
      {allowed_by && (
        <p class="note">
          On allow list {allowed_by.list} as “{allowed_by.name}” ({allowed_by.entry_id}). Only exact account matches are
          reported.
        </p>
      )}
      {error && <p class="problem">{error} Retrying automatically.</p>}
      <div class="against">
        <Section title="Payee">
          <Asked screening={screening} />
        </Section>
        <Section title={matches.length > 1 ? `List matches (${matches.length})` : 'List match'}>
          {matches.length === 0 ? (
            <Empty title="No matches" />
          ) : (
            matches.map(match => <Match key={match.id} match={match} query={query} />)
          )}
        </Section>
      </div>
    </Page>
  );
}

/** What was decided, by whom and why. */
const Outcome = ({ screening: { decision, reason, reviewed_by, reviewed_at } }: { screening: Screening }) =>
  decision && (
    <div class="note">
      <p>
        {decision === 'true_match' ? 'Confirmed as a true match' : 'Marked as false positive'} by{' '}
        <ActorName id={reviewed_by} />
        {reviewed_at && (
          <>
            , <Time at={reviewed_at} ago />
          </>
        )}
        .
      </p>
      {reason && <p class="said">{reason}</p>}
    </div>
  );

const Asked = ({ screening: { id, payee_id, query, created_by, created_at } }: { screening: Screening }) => (
  <>
    <Facts
      of={[
        ['Name', query.name],
        ['Other names', query.aliases.length > 0 ? query.aliases.join('; ') : null],
        ['Type', query.type && wordsOf(query.type)],
        ['Country', query.country && countryText(query.country)],
        ['Date of birth', query.date_of_birth],
        ['Account', query.key && <Copy text={query.key} whole />],
        [
          'Wallets',
          query.wallets.length > 0
            ? query.wallets.map(({ address }) => <Copy key={address} text={address} whole />)
            : null,
        ],
        [
          'Identifiers',
          query.identifiers.length > 0
            ? query.identifiers.map(({ type, value }) => (
                <span key={type + value}>
                  {type} <Copy text={value} whole />
                </span>
              ))
            : null,
        ],
        [
          'Requested by',
          <>
            <ActorName id={created_by} />, <Time at={created_at} ago />
          </>,
        ],
        ['Screening ID', <Copy text={id} />],
      ]}
    />
    <p class="actions">
      {payee_id ? (
        <>
          <a href={`/payees/${payee_id}`}>View payee</a>
          <a href={`/events?payee_id=${payee_id}`}>View payments</a>
          <a href={`/screenings?state=any&payee_id=${payee_id}`}>View all screenings</a>
        </>
      ) : (
        <span class="quiet">Manual screening, not linked to a payee</span>
      )}
    </p>
  </>
);
