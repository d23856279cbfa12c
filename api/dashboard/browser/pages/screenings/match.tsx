import { matchSentence } from '#shared/screening/store/match_sentence.ts';
import type { ScreeningMatch } from '#shared/screening/store/screening_matches.ts';
import type { Screening } from '#shared/screening/store/screenings.ts';
import { Badge } from '#api/dashboard/browser/parts/badge.tsx';
import { countryText, percentText, wordsOf } from '#api/dashboard/browser/parts/format.ts';
import { Table } from '#api/dashboard/browser/parts/table.tsx';
import { Copy } from '#api/dashboard/browser/parts/values.tsx';
import { matchTypeText, modifierText, pointsText, reasonText, unmatchedTexts } from './match_words.ts';

type MatchFeatures = ScreeningMatch['features'];

/** An entry of a list that somebody may be: what the list says of it, and how its score came about. */
export const Match = ({ match, query }: { match: ScreeningMatch; query: Screening['query'] }) => {
  const { name, matched_name, list, entry_id, score, match_type, features, programs, countries, decision } = match;
  return (
    <article class="card match" aria-label={name}>
      <header>
        <h3>{name}</h3>
        <span class="totals">
          <strong>{percentText(score, 1)}</strong>
          {decision && (
            <Badge
              of={decision === 'true_match' ? 'confirmed_match' : 'false_positive'}
              label={decision === 'true_match' ? 'True match' : 'False positive'}
            />
          )}
        </span>
      </header>
      <p>
        <strong>{asSentence(matchSentence(match, query))}</strong>
      </p>
      <p>
        {matchTypeText(match_type)}
        {matched_name !== name && `: “${matched_name}”`}.
      </p>
      <dl class="entry">
        <div>
          <dt>Entry</dt>
          <dd>
            {entry_id} · {list}, version {features.list_version}
          </dd>
        </div>
        {features.entry_type !== 'unknown' && (
          <div>
            <dt>Type</dt>
            <dd>{wordsOf(features.entry_type)}</dd>
          </div>
        )}
        {countries.length > 0 && (
          <div>
            <dt>Countries</dt>
            <dd>{countries.map(countryText).join(', ')}</dd>
          </div>
        )}
        {features.birth_dates.length > 0 && (
          <div>
            <dt>Date of birth</dt>
            <dd>{features.birth_dates.join(', ')}</dd>
          </div>
        )}
        {programs.length > 0 && (
          <div>
            <dt>Programs</dt>
            <dd>{programs.join(', ')}</dd>
          </div>
        )}
      </dl>
      <Why features={features} />
    </article>
  );
};

const asSentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** The score, step by step: word for word, then what speaks for or against it. */
function Why({ features }: { features: MatchFeatures }) {
  const { key, tokens, modifiers, name_score, weak_alias } = features;
  return (
    <>
      {key && (
        <p>
          Exact match: the {key.type} is listed for this entry{key.label && ` (${key.label})`}:{' '}
          <Copy text={key.value} whole />
        </p>
      )}
      {tokens.length > 0 && (
        <Table
          caption="Word-by-word match"
          rows={tokens}
          idOf={({ query, entry }) => `${query}-${entry}`}
          columns={[
            {
              name: 'Payee / list',
              show: ({ query, entry }) => (
                <span class="two-lines">
                  <code>{query}</code>
                  <code>{entry}</code>
                </span>
              ),
            },
            { name: 'Reason', show: ({ reason }) => reasonText(reason) },
            {
              name: 'Similarity',
              align: 'end',
              show: ({ similarity }) => percentText(similarity),
            },
            {
              name: 'Weight',
              align: 'end',
              from: 'middle',
              show: ({ weight }) => percentText(weight),
            },
          ]}
        />
      )}
      {unmatchedTexts(features).map(text => (
        <p key={text}>{text}</p>
      ))}
      {(name_score !== null || modifiers.length > 0) && (
        <ul class="lines">
          {name_score !== null && (
            <li>
              <strong>{percentText(name_score, 1)}</strong> name similarity
            </li>
          )}
          {modifiers.map(({ name, points, detail }) => (
            <li key={name}>
              <strong>{pointsText(points)}</strong> {modifierText(name)}: {detail}
            </li>
          ))}
        </ul>
      )}
      {weak_alias && <p class="quiet">The publisher marks this alias as weak: broad or of low quality.</p>}
    </>
  );
}
