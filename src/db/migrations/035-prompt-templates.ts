import type { Migration } from '../ddl.ts'

/** B17: prompts under a name, of a person or of an agent group. */
export const promptTemplates: Migration = {
  version: 35,
  name: 'prompt templates',
  up: ({ text }) => [
    `create table prompt_templates (
       id ${text} primary key,
       name ${text} not null,
       owner_user_id ${text} references users(id),
       agent_group_id ${text} references agent_groups(id),
       description text not null,
       content text not null,
       revision integer not null,
       created_at ${text} not null,
       updated_at ${text} not null,
       check ((owner_user_id is null) <> (agent_group_id is null)))`,
    `create unique index idx_prompt_templates_owner on prompt_templates(owner_user_id, name)
       where owner_user_id is not null`,
    `create unique index idx_prompt_templates_group on prompt_templates(agent_group_id, name)
       where agent_group_id is not null`,
  ],
  down: () => ['drop table prompt_templates'],
}
