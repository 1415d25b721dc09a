import type { Migration } from '../ddl.ts'

/** People who see an event because it names them. Before, they were found by substring in its data. */
export const eventPeople: Migration = {
  version: 13,
  name: 'event-people',
  up: ({ text, name }) => [
    `create table event_people (
       user_id ${text} not null,
       event_id ${text} not null,
       primary key (user_id, event_id))`,
    `create index idx_event_people_event on event_people(event_id)`,
    name === 'sqlite'
      ? `insert into event_people (user_id, event_id)
           select distinct named.value, events.id from events, json_each(events.data, '$.answerers') as named
           where events.type like 'ask.%'
           union
           select json_extract(data, '$.by'), id from events where type = 'ask.voted'`
      : `insert into event_people (user_id, event_id)
           select distinct named.value, events.id
           from events, jsonb_array_elements_text(coalesce(events.data::jsonb -> 'answerers', '[]')) as named(value)
           where events.type like 'ask.%'
           union
           select data::jsonb ->> 'by', id from events where type = 'ask.voted'`,
  ],
  down: () => ['drop table event_people'],
}
