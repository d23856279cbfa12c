import type { ComponentChildren } from 'preact';
import { ExportButton, type Exported } from './export_button.tsx';
import { Pop } from './pop.tsx';
import { SavedViews } from './saved_views.tsx';
import type { ChosenColumns } from './use_columns.ts';

/** What a list offers beside its filters. `exports`: the kind of records that it can be exported as, and what narrows them. */
export type ListTools = { totals?: ComponentChildren; exports?: Exported };

/** The line over a list: what it comes to, what has arrived since, and its saved views, columns and export. */
export const ListBar = ({
  count,
  arrived,
  tools: { totals, exports },
  columns,
}: {
  count: string;
  arrived: ComponentChildren;
  tools: ListTools;
  columns: ChosenColumns;
}) => (
  <div class="list-bar">
    <p class="quiet totals-line">{totals ?? count}</p>
    {arrived}
    <div class="actions">
      <SavedViews />
      <Pop icon="columns" label="Columns">
        <fieldset class="pop-list">
          <legend class="unseen">Columns</legend>
          {columns.choosable.map(name => (
            <label key={name} class="tick">
              <input type="checkbox" checked={columns.isShown(name)} onChange={() => columns.toggle(name)} />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
        {!columns.isAll && (
          <button type="button" class="plain" onClick={columns.showAll}>
            Show all
          </button>
        )}
      </Pop>
      {exports && <ExportButton {...exports} />}
    </div>
  </div>
);
