import type { Ddl, Migration } from '../ddl.ts'

/** Words of complete messages, for full-text search. */
const search = ({ name, text }: Ddl): readonly string[] =>
  name === 'sqlite'
    ? [
        `create virtual table message_words using fts5(message_id unindexed, session_id unindexed, words,
           tokenize = 'unicode61 remove_diacritics 2')`,
        `insert into message_words (message_id, session_id, words)
           select id, session_id, json_extract(content, '$.text') from messages
           where json_extract(content, '$.text') is not null`,
      ]
    : [
        `create table message_words (
           message_id ${text} primary key references messages(id),
           session_id ${text} not null,
           words ${text} not null,
           found_by tsvector generated always as (to_tsvector('simple', left(words, 200000))) stored)`,
        `create index idx_message_words on message_words using gin (found_by)`,
        `insert into message_words (message_id, session_id, words)
           select id, session_id, content::json->>'text' from messages where content::json->>'text' is not null`,
      ]

/** Hosted agents, the queues of messages to them, and the search index of messages. */
export const agents: Migration = {
  version: 5,
  name: 'agents',
  up: (ddl) => [
    `alter table sessions add column isolation ${ddl.text}`,
    `create table agents (
       session_id ${ddl.text} primary key references sessions(id),
       node_id ${ddl.text} not null,
       read_offset bigint not null default 0,
       about ${ddl.text} not null default '{}',
       state ${ddl.text} not null default '{}',
       held ${ddl.text} not null default '[]',
       stderr ${ddl.text} not null default '',
       updated_at ${ddl.text} not null)`,
    `create index idx_agents_node on agents(node_id)`,
    `create table queue_items (
       seq ${ddl.counter},
       id ${ddl.text} not null unique,
       session_id ${ddl.text} not null references sessions(id),
       words ${ddl.text} not null,
       place ${ddl.text} not null check (place in ('now', 'next', 'later')),
       status ${ddl.text} not null check (status in ('waiting', 'sent', 'delivered', 'dropped')),
       added_by ${ddl.text} not null,
       created_at ${ddl.text} not null,
       delivered_at ${ddl.text})`,
    `create index idx_queue_items_session on queue_items(session_id, status, seq)`,
    ...search(ddl),
  ],
  down: () => [
    'drop table message_words',
    'drop table queue_items',
    'drop table agents',
    'alter table sessions drop column isolation',
  ],
}
