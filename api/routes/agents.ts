import { z } from 'zod';
import { route } from '#api/route.ts';
import { notFound, orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import { PageOf, pageQuery, pageRequest } from '#shared/interface/page.ts';
import { changeLabels, LabelChange } from '#shared/events/parties/agent_labels.ts';
import { Agent, findAgent, listAgents, AgentFilters } from '#shared/events/parties/agent_records.ts';
import { AgentSummary, summarizeAgent } from '#shared/events/parties/agent_summary.ts';
import { HOUR } from '#shared/values/time.ts';

// With the passing of days, agents become dormant without an event.
const version = { of: ['agents', 'alerts', 'analysis'], every: HOUR } as const;

export const agents = [
  route({
    method: 'get',
    path: '/v1/agents',
    operation_id: 'listAgents',
    tag: 'Agents',
    summary: 'List agents, newest first or by spend',
    access: { scopes: ['agents:read'], session: 'read' },
    version,
    query: AgentFilters.extend(pageQuery),
    responses: [[200, 'A page of agents', PageOf(Agent).meta({ id: 'AgentPage' })]],
    handle: ({ query, caller }, { db, config, now }) =>
      listAgents(db, caller, query, pageRequest(config.secret_key, 'agents', caller, query), now()),
  }),

  route({
    method: 'get',
    path: '/v1/agents/{id}',
    operation_id: 'getAgent',
    tag: 'Agents',
    summary: 'Read one agent',
    access: { scopes: ['agents:read'], session: 'read' },
    version,
    params: z.object({ id: Id('agt') }),
    responses: [[200, 'The agent', Agent]],
    handle: async ({ params, caller }, { db, now }) =>
      orNotFound('agent', await findAgent(db, caller, params.id, now())),
  }),

  route({
    method: 'get',
    path: '/v1/agents/{id}/summary',
    operation_id: 'summarizeAgent',
    tag: 'Agents',
    summary: 'Read an agent’s last 30 days by day, rail, and payee',
    access: { scopes: ['agents:read'], session: 'read' },
    version: { of: ['agents', 'payees', 'analysis', 'verdicts'], every: HOUR },
    params: z.object({ id: Id('agt') }),
    responses: [[200, 'The summary', AgentSummary]],
    handle: async ({ params, caller }, { db, now }) =>
      orNotFound('agent', await summarizeAgent(db, caller, params.id, now())),
  }),

  route({
    method: 'post',
    path: '/v1/agents/{id}/labels',
    operation_id: 'labelAgent',
    tag: 'Agents',
    summary: 'Add or remove labels of an agent',
    description: 'What is there already, or is not there, stays as it is. An agent has at most 20 labels.',
    access: { session: 'act' },
    changes: ['agents'],
    params: z.object({ id: Id('agt') }),
    body: LabelChange,
    responses: [[200, 'The agent', Agent]],
    handle: async ({ params, body, caller, audit }, { db, now }) => {
      const labels = await changeLabels(db, caller, params.id, body);
      const agent = await findAgent(db, caller, params.id, now());
      if (!labels || !agent) throw notFound('agent');
      audit({
        action: 'agent.labeled',
        target_id: agent.id,
        before: { labels: labels.before },
        after: { labels: labels.after },
      });
      return agent;
    },
  }),
];
