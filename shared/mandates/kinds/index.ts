import { amountRange, amountRangeWords } from './amount_range.ts';
import { approvalRequired, approvalRequiredWords } from './approval_required.ts';
import { allowedAssets, allowedAssetsWords } from './assets.ts';
import { budget, budgetWords } from './budget.ts';
import { allowedCategories, allowedCategoriesWords, blockedCategories, blockedCategoriesWords } from './categories.ts';
import { agentRecurrence, agentRecurrenceWords, velocity, velocityWords } from './counts.ts';
import { allowedCountries, allowedCountriesWords, blockedCountries, blockedCountriesWords } from './countries.ts';
import { allowedCurrencies, allowedCurrenciesWords } from './currencies.ts';
import { executionDate, executionDateWords } from './execution_date.ts';
import { allowedInstruments, allowedInstrumentsWords, allowedPisps, allowedPispsWords } from './instruments.ts';
import { allowedNetworks, allowedNetworksWords } from './networks.ts';
import { allowedPayees, allowedPayeesWords, blockedPayees, blockedPayeesWords } from './payees.ts';
import { allowedRails, allowedRailsWords } from './rails.ts';
import { reference, referenceWords } from './reference.ts';
import { allowedResources, allowedResourcesWords } from './resources.ts';
import { timeOfDay, timeOfDayWords } from './time_of_day.ts';
import type { KindWords } from './words.ts';

/**
 * Every kind of constraint by its name in the API: its schema, which is built on first use, and its rule. To add one: a file, its test, a
 * line here and a line below.
 */
export const kinds = [
  amountRange,
  budget,
  agentRecurrence,
  velocity,
  allowedPayees,
  blockedPayees,
  allowedInstruments,
  allowedPisps,
  allowedCategories,
  blockedCategories,
  allowedRails,
  allowedCurrencies,
  allowedNetworks,
  allowedCountries,
  blockedCountries,
  allowedAssets,
  executionDate,
  timeOfDay,
  allowedResources,
  approvalRequired,
  reference,
] as const;

/** The texts of every kind, most used first. A separate list, so that browsers need not load the schemas. */
export const kindWords: readonly KindWords[] = [
  amountRangeWords,
  budgetWords,
  velocityWords,
  agentRecurrenceWords,
  approvalRequiredWords,
  allowedPayeesWords,
  blockedPayeesWords,
  allowedRailsWords,
  allowedCurrenciesWords,
  allowedCountriesWords,
  blockedCountriesWords,
  allowedCategoriesWords,
  blockedCategoriesWords,
  timeOfDayWords,
  executionDateWords,
  allowedResourcesWords,
  allowedNetworksWords,
  allowedAssetsWords,
  allowedInstrumentsWords,
  allowedPispsWords,
  referenceWords,
];

/** The texts of a kind; undefined for an unknown type. */
export const wordsOfKind = (type: string): KindWords | undefined => kindWords.find(words => words.type === type);
