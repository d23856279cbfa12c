import { z } from 'zod';
import { type Parsed, parsed, unparsed } from './parsed.ts';
import { parsePayeeKey } from './payee_key.ts';
import { parseRfc3339 } from './rfc3339.ts';
import { FIRST_TIME, LAST_TIME, timestamp } from './time.ts';

/** Schema of text that a parser takes; out comes what the parser makes of it. 1 to `max` UTF-16 units. */
export const parsedText = (parse: (text: string) => Parsed<string>, max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .superRefine((text, context) => {
      const answer = parse(text);
      if (!answer.ok) context.addIssue({ code: 'custom', message: answer.expected });
    })
    .overwrite(text => {
      const answer = parse(text);
      return answer.ok ? answer.value : text;
    });

/** Schema of a time in a body: RFC 3339 with any offset in, UTC with milliseconds out, in the years 1 to 9999. */
export const TimeInput = parsedText(text => {
  const time = parseRfc3339(text);
  if (!time.ok) return time;
  if (time.value < FIRST_TIME || time.value > LAST_TIME) return unparsed('must lie in the years 0001 to 9999');
  return parsed(timestamp(time.value));
}, 64).meta({ format: 'date-time', examples: ['2026-11-20T09:43:37.123Z'] });

/** Schema of a payee's key where no asset says on which chain a bare EVM address is: any text in, its canonical key out. */
export const PayeeKeyInput = parsedText(text => parsePayeeKey(text), 2_048).meta({
  description: 'as in an event',
  examples: ['iban:DE89370400440532013000'],
  override: { maxLength: 256 },
});
