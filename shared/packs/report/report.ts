/**
 * The content of a report, before it becomes HTML or PDF. All texts are ready to show and all numbers are text already, so that the
 * renderers decide nothing. It is plain JSON.
 */
export type PackReport = {
  /** The kind of document, for people. */
  kind: string;
  title: Text;
  /** The title and the owner as plain text: for the window, the bookmark and the metadata of the PDF. */
  name: string;
  pack_id: string;
  /** RFC 3339; also the date of the PDF. */
  created_at: string;
  facts: ReportFact[];
  figures: Figure[];
  sections: ReportSection[];
};

export type ReportSection = { id: string; title: string; blocks: ReportBlock[] };

export type ReportBlock = Paragraph | Note | Facts | ReportTable | Bars | Series | ReportRecords | Timeline | Steps;

/** A key figure: its value, the rule and the file it was computed from, and the events behind it. */
export type Figure = { label: string; value: string; tone: Tone | null; rule: string; events: Text };

export type ReportFact = { label: string; text: Text };

type Paragraph = { type: 'paragraph'; text: Text };
/** A sentence about how the content next to it was computed, or what is not shown. */
type Note = { type: 'note'; text: Text };
type Facts = { type: 'facts'; facts: ReportFact[] };

/** `seq` is the event that a row shows, as a target for links; at most one row of a table shows it. */
export type ReportTable = {
  type: 'table';
  caption: string;
  columns: ReportColumn[];
  rows: { seq: number | null; cells: Text[] }[];
  /** The last line, if there are more rows than are shown. */
  more: string | null;
};
/** `width` is the column's share of the whole, in any unit. */
export type ReportColumn = { title: string; width: number; align: 'start' | 'end' };

/** Bars next to their numbers. `share` is that of `value`, in thousandths of the longest bar; `also` is another number. */
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
  /** The unit of a point: `Day (UTC)`. */
  unit: string;
  charts: { title: string; top: string }[];
  points: { label: string; shares: number[]; texts: string[]; events: Text }[];
};

/** Items too tall for a row: a heading, facts, paragraphs, a table, a list. */
export type ReportRecords = { type: 'records'; records: ReportRecord[]; more: string | null };
export type ReportRecord = {
  title: Text;
  facts: ReportFact[];
  paragraphs: Text[];
  table: ReportTable | null;
  list: ReportList | null;
};
export type ReportList = { title: string; items: Text[]; more: string | null };

export type Timeline = {
  type: 'timeline';
  caption: string;
  items: { at: ReportTime; text: Text }[];
  more: string | null;
};

/** What to do, step by step. */
type Steps = { type: 'steps'; steps: Text[] };

/** A text, or the pieces of one in order. */
export type Text = TextSpan | readonly TextSpan[];

/** The report's own words, or something shown differently. */
export type TextSpan = string | Outside | Code | ReportTime | EventRefs | VerdictText;
/** What somebody else wrote, made safe by `outside`; it has its own text direction. `minor`: secondary to what it stands next to. */
export type Outside = { outside: string; minor?: true };
/** An id, a hash, a name used by programs. */
export type Code = { code: string };
/** A moment: RFC 3339, and for people. */
export type ReportTime = { time: string; text: string };
/** Events by their `chain_seq`, the first of them named; `more` says where to find the rest, empty when there is none. */
export type EventRefs = { seqs: number[]; more: string };
export type VerdictText = { verdict: string; tone: Tone };

export type Tone = 'good' | 'bad' | 'open';
