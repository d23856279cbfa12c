import { json } from 'node:stream/consumers';
import { typeset } from './typst.ts';
import type { Report } from './report.ts';

// A process's whole life: it is given a report as JSON, and answers with its PDF.
const report = (await json(process.stdin)) as Report;
process.stdout.end(await typeset(report));
