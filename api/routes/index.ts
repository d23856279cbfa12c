import type { Route } from '#api/route.ts';
import { alerts } from '#api/routes/alerts.ts';
import { description } from '#api/routes/description.ts';
import { events } from '#api/routes/events.ts';
import { sources } from '#api/routes/sources.ts';

/** Every endpoint of the API, in the order of the OpenAPI document. */
export const routes: Route[] = [...events, ...sources, ...alerts, ...description(() => routes)];
