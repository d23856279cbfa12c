/**
 * The subject of an alert that tells of conduct from `at` on, where an alert on earlier conduct has the plain one: both live, each to be acted on
 * by itself. `at`: RFC 3339.
 */
export const subjectFrom = (subject: string, at: string): string => `${plainSubject(subject)} from ${at}`.trim();

/** The subject without the time from which on an alert tells of it. */
export const plainSubject = (subject: string): string => subject.replace(/ ?from \d{4}-\d\d-\d\dT[\d:.]+Z$/, '');
