/**
 * What a report says, before it is HTML or PDF. Every text in it is ready to be shown, and every number is text already, so that the
 * renderers decide nothing. It is plain JSON.
 */
export type PackReport = {
  /** What kind of document it is, for people. */
  kind: string;
  title: Text;
  /** The title and whose it is without any form: for the window, the bookmark, the metadata of the PDF. */
  name: string;
  pack_id: string;
  /** RFC 3339; also the date of the PDF. */
  created_at: string;
  facts: ReportFact[];
  figures: Figure[];
  sections: Section[];
};

export type Section = { id: string; title: string; blocks: ReportBlock[] };

export type ReportBlock = Paragraph | Note | Facts | Table | Bars | Series | Records | Timeline | Steps;

/** A number that sums up: what it says, by what rule it was computed from which file, and the events behind it. */
export type Figure = { label: string; value: string; tone: Tone | null; rule: string; events: Text };

export type ReportFact = { label: string; text: Text };

type Paragraph = { type: 'paragraph'; text: Text };
/** A sentence on how what is beside it was computed, or what is not shown. */
type Note = { type: 'note'; text: Text };
type Facts = { type: 'facts'; facts: ReportFact[] };

/** `seq` is the event that a row shows, for links to lead to; of the same table at most one row shows it. */
export type Table = {
  type: 'table';
  caption: string;
  columns: ReportColumn[];
  rows: { seq: number | null; cells: Text[] }[];
  /** The last line, where there are more rows than are shown. */
  more: string | null;
};
/** `width` is the column's part of the whole, in any unit. */
export type ReportColumn = { title: string; width: number; align: 'start' | 'end' };

/** Bars beside their numbers. `share`, of the longest bar, is in thousandths, and that of `value`; `also` is another number. */
export type Bars = {
  type: 'bars';
  caption: string;
  columns: [label: string, value: string, also: string, events: string];
  rows: { label: Text; share: number; value: string; also: string; events: Text }[];
  more: string | null;
};

/** Columns over time, one chart for each name, and the same numbers as a table. `shares` are in thousandths of the chart's `top`. */
export type Series = {
  type: 'series';
  caption: string;
  /** What a point is: `Day (UTC)`. */
  unit: string;
  charts: { title: string; top: string }[];
  points: { label: string; shares: number[]; texts: string[]; events: Text }[];
};

/** Things too tall for a row: a heading, facts, paragraphs, a table, a list. */
export type Records = { type: 'records'; records: ReportRecord[]; more: string | null };
export type ReportRecord = {
  title: Text;
  facts: ReportFact[];
  paragraphs: Text[];
  table: Table | null;
  list: List | null;
};
export type List = { title: string; items: Text[]; more: string | null };

export type Timeline = { type: 'timeline'; caption: string; items: { at: Time; text: Text }[]; more: string | null };

/** What to do, one thing after the other. */
type Steps = { type: 'steps'; steps: Text[] };

/** A text, or pieces of one that follow each other. */
export type Text = TextSpan | readonly TextSpan[];

/** The report's own words, or what is told apart from them. */
export type TextSpan = string | Outside | Code | Time | EventRefs | VerdictText;
/** What somebody else wrote, made safe to show by `outside`; it has a direction of its own. `minor`: it stands beside what is read first. */
export type Outside = { outside: string; minor?: true };
/** An id, a hash, a name that programs use. */
export type Code = { code: string };
/** A moment: RFC 3339, and for people. */
export type Time = { time: string; text: string };
/** Events by their `chain_seq`, of which the first are named; `more` says where the others are, empty when there are none. */
export type EventRefs = { seqs: number[]; more: string };
export type VerdictText = { verdict: string; tone: Tone };

export type Tone = 'good' | 'bad' | 'open';
