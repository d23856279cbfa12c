/** What a payment says that it is for, by what says so: a member of the metadata, or the words of the description around it. */
export type References = ReadonlyMap<string, string>;

/** The members of an event's metadata that are text or numbers. */
export type Members = Readonly<Record<string, string>>;

const [LONGEST, LONGEST_DESCRIPTION] = [100, 1_000];

/**
 * The references in metadata and a description. Of the metadata, what has a digit or is a web address, and three characters or more, under any name
 * but those of an attempt, its time, the payment itself, or what many payments belong to; and the names of people for whom it is. The description gives
 * one: what in it has a digit, is a single letter, the name of a person that it is for, or a web address; none where it speaks of what is tried again, or numbers the payment itself.
 */
export function referencesOf(description: string, metadata: Members): References {
  const references = new Map<string, string>();
  for (const [name, value] of Object.entries(metadata)) {
    const words = wordsOf(name);
    const reference = namesSomebody(words, value)
      ? nameOf(value)
      : isAttempt(words, value)
        ? null
        : referenceNumber(value);
    if (reference) references.set(words, reference);
  }
  const items: string[] = [];
  const toItem = (found: string) => {
    items.push(found.toLowerCase());
    return '#';
  };
  const text = description.slice(0, LONGEST_DESCRIPTION).replace(named, toItem).replace(located, '*');
  const around = text.replace(/[^\s,;()[\]"“”]+/g, word => {
    if (word.length > LONGEST) return word.toLowerCase();
    const bare = word.replace(/^[^\p{L}\d$€£¥-]+|[^\p{L}\d$€£¥%]+$/gu, '').toLowerCase();
    return isItem(bare) ? toItem(bare) : word.toLowerCase();
  });
  const says = items.length > 0 && !again.test(text) && !ofItself.test(around);
  return says ? references.set(around.trim(), items.join(BETWEEN)) : references;
}

/** Between the items of a description. */
export const BETWEEN = '|';

const isAttempt = (words: string, value: string): boolean =>
  saysNothing.test(words) ||
  (/^crew(?: run)?(?: id)?$/.test(words) && drawn.test(value)) ||
  moment.test(value) ||
  uuid.test(value) ||
  again.test(value);

/** Hexadecimal digits and letters, as a program draws them at random for a run of its agents. */
const drawn = /(?=(?:.*\d){2})(?=(?:.*[a-f]){2})(?<![\da-z])[\da-f]{8,}$/i;

/** The record locator of a booking in a description: whoever books again gets another. */
const located = /(?<=(?<!\p{L})(?:[Bb]ooking|[Rr]eservation|[Tt]icket|[Ll]ocator|PNR|pnr):? )[A-Z]{6}(?!\p{L})/gu;

/** Members that name a person for whom something is bought; and those that do where they are two words or more with capitals. */
const [ofPerson, ofSomebody] = [
  /^(?:passenger|guest|travell?er|attendee|participant|patient|student|employee|tenant|driver)(?: (?:name|full name|id|no|number))?$/u,
  /^(?:(?:pax|beneficiary|claimant|insured|candidate|applicant|filer)(?: name)?|full name)$/u,
];
const namesSomebody = (words: string, value: string): boolean =>
  ofPerson.test(words) || (ofSomebody.test(words) && properName.test(value));

/** The person for whom something is bought, by name or number, where a member names one; null: none does. */
export const personOf = (references: References): string | null =>
  [...references].find(([name]) => ofOnePerson.test(name))?.[1] ?? null;

const ofOnePerson =
  /^(?:passenger|guest|travell?er|attendee|patient|student|employee)(?: (?:name|full name|id|no|number))?$/u;

const nameOf = (text: string): string | null => {
  const name = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/^(?:(?:DR|MRS?|MS|PROF|HERR|FRAU) )+/, '');
  return text.length > LONGEST || name.length < 3 ? null : name;
};

const properName = /^\p{Lu}[\p{L}\p{M}\d'’.&-]*(?: (?:\p{L}{1,3} ){0,2}[\p{Lu}&][\p{L}\p{M}\d'’.-]*){1,5}$/u;

const [word, small] = [
  String.raw`\p{Lu}\p{Ll}+(?:[-'’]\p{Lu}\p{Ll}+)*`,
  String.raw`(?:al|bin|da|de|del|den|der|di|do|du|la|le|van|von)`,
];
/** For whom a description says it is, as in “Ticket for Aisha Chen” or “… for Mr. Omar B. van der Berg”. */
const named = new RegExp(
  String.raw`(?<=(?<!\p{L})(?:for|für|pour|para) (?:(?:Dr|Mrs?|Ms|Prof)\.? )?)${word}(?: \p{Lu}\.)?(?: (?:${small} ){0,2}${word})+(?!\p{L})`,
  'gu',
);

/**
 * Whether two payments name two things, such as seats, phone numbers or domains; or two orders alone: who places again what seems to have failed is
 * given another number. Null where they differ in nothing that both name.
 */
export function namedApart(a: References, b: References): 'things' | 'orders' | null {
  const apart = [...a].flatMap(([name, value]) => (isOneThing(value, b.get(name) ?? value) ? [] : [name]));
  if (apart.length === 0) return null;
  return apart.every(name => ofOrder.test(name)) ? 'orders' : 'things';
}

/** A name may be written with more of its words, or with initials. */
function isOneThing(a: string, b: string): boolean {
  const [ours, theirs] = [a.split(BETWEEN), b.split(BETWEEN)];
  return a === b || (ours.length === theirs.length && ours.every((item, at) => isOneName(item, theirs[at] ?? '')));
}

function isOneName(a: string, b: string): boolean {
  if (a === b) return true;
  if (/\d/.test(a + b)) return false;
  const [few = [], many = []] = [a.split(/[ .]+/), b.split(/[ .]+/)].toSorted(
    (one, other) => one.length - other.length,
  );
  const isIn = (word: string) => many.some(other => word === other || word === other[0] || word[0] === other);
  return few.some(word => word.length > 2 && many.includes(word)) && few.every(isIn);
}

/**
 * A reference as it is compared: in upper case, with one sign between its parts. Null for what is none: it has at most 100 characters, a digit
 * or the dot of a web address, and three characters or more, and is neither an object, nor a fraction, nor nothing but zeros.
 */
export function referenceNumber(text: string): string | null {
  if (text.length > LONGEST || /^\s*(?:[[{]|\d+[.,]\d+\s*$)/.test(text)) return null;
  const number = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return number.length < 3 || !(/\p{N}/u.test(number) || address.test(text)) || /^[0-]+$/.test(number) ? null : number;
}

/** Words of counts that say nothing of what is paid for: attempts, reminders, pages and stars. */
export const again =
  /(?<!\p{L})(?:attempt|retr|tr(?:y|ie)|remind|notice|page|rat(?:ed|ing)|star|top(?!-?\s?up)|versuch|wiederhol|mahnung|seite|essai|tentativ|relance|re?intent|intent)/iu;

/** The name of a member in words, in lower case, however it is spelled: `booking_ref` and `bookingRef`. */
const wordsOf = (name: string): string =>
  name
    .slice(0, LONGEST)
    .replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, ' ')
    .trim();

/** Names of orders and invoices, and of what may be the number of anything. */
const ofOrder =
  /(?:^|\s)(?:order|booking|reservation|purchase|po(?!\p{L})|invoice|bill(?!ing))|^(?:(?:external|client|merchant|internal|our|your) )?(?:id|ref|reference|number|no|nr|code|key|hash|#)$/u;

/**
 * Names that say nothing of what is bought: those of an attempt, which a second one makes anew; of a time; of the payment itself; of a place in a
 * program; of who pays, and what many payments belong to; and of what is measured.
 */
const saysNothing = new RegExp(
  `(?:^|\\s)(?:${[
    'attempts?|retr(?:y|ies|ied)|tr(?:y|ies)|idempoten\\p{L}*|dedup\\p{L}*|nonce|salt|random|secret|req|request|trace\\p{L}*|span|correlation|session|checkout|cart|quote|uuid|guid|signature|confirmation',
    '\\p{L}*time|timestamp|ts|at|date|day|created|updated|sent|started',
    'payments?|pay|payout|transaction|txn?|transfer|charge|authorization|auth|intent|receipt|event|message|log',
    'run|batch|job|task|operation|invocation|action|step|turn|iteration|seq|sequence|index|call|thread|conversation|workflow|execution',
    'worker|host|hostname|pod|container|node|ip|pid|commit|build|release|region|zone|block',
    'agent|bot|model|version|project|cost|budget|team|department|parts?|milestone|instal?lment',
    'tokens?|balance|latency|duration|elapsed|ms|seconds|score|confidence|rate|fee|price|amount|total|usd|eur',
  ].join('|')})(?!\\p{L})`,
  'u',
);

/** A number of the payment or the attempt itself, as in “Transaction no. 4711”. */
const ofItself =
  /(?<!\p{L})(?:payment|transaction|txn?|transfer|request|session|trace|call)(?:\s+(?:id|no\.?|nr\.?|ref|reference|number))?[\s:#-]*#/u;

/** A time of day, or seconds or milliseconds since 1970. */
const moment = /(?<!\d)\d{1,2}:\d\d(?!\d)|^1[5-9]\d{8}(?:\d{3})?$/;

/** What a program draws at random (RFC 9562). */
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** A web address without its scheme, or one of mail. */
const address = /[\p{L}\d]\.\p{L}{2,}$/u;

/** Numbers, single letters and web addresses; no amounts, shares, fractions and times. */
const isItem = (word: string): boolean =>
  address.test(word) ||
  (/\d|^\p{L}$/u.test(word) && !/[$€£¥%]|\d:\d|^\d+(?:[.,]\d+)+$/.test(word) && !moment.test(word) && !uuid.test(word));
