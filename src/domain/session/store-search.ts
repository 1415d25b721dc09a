import { sql, type RawBuilder } from 'kysely'

type Flavor = 'sqlite' | 'postgres'

/** Condition on `sessions`: part of any of its names, ignoring case. */
export function namedLike(flavor: Flavor, q: string): RawBuilder<boolean> {
  const forms = casesOf(q)
  const like = (value: RawBuilder<unknown>, pattern: (form: string) => string) => {
    const word = flavor === 'sqlite' ? sql`like` : sql`ilike`
    const each = forms.map((form) => sql<boolean>`${value} ${word} ${pattern(escaped(form))} escape '!'`)
    return sql<boolean>`(${sql.join(each, sql` or `)})`
  }
  const holds = (value: RawBuilder<unknown>) => like(value, (form) => `%${form}%`)
  return sql<boolean>`(
    ${like(sql`sessions.id`, (form) => `${form}%`)}
    or ${holds(sql`sessions.prompt`)}
    or ${holds(sql`sessions.agent`)}
    or ${holds(sql`sessions.workspace_root`)}
    or sessions.repo_id in (select repos.id from repos where ${holds(sql`repos.name`)})
    or sessions.id in (select agents.session_id from agents where ${holds(title(flavor))})
    or sessions.id in (select terminals.session_id from terminals
      where ${holds(sql`terminals.name`)} or ${holds(sql`terminals.command`)}))`
}

/** Some databases fold only ASCII case, so other letters are searched in their usual cases. */
const casesOf = (q: string): string[] => {
  if (/^\p{ASCII}*$/u.test(q)) return [q]
  const lower = q.toLowerCase()
  const named = lower.replace(/^\p{L}/u, (first) => first.toUpperCase())
  return [...new Set([q, lower, named, q.toUpperCase()])]
}

const escaped = (text: string): string => text.replaceAll(/[!%_]/g, '!$&')

/** The agent's own title. PostgreSQL can't parse JSON that contains characters it can't store as text. */
const title = (flavor: Flavor): RawBuilder<unknown> =>
  flavor === 'sqlite'
    ? sql`json_extract(agents.about, '$.title')`
    : sql`case when position(${'\\u0000'} in agents.about) > 0 or position(${'\\ud'} in agents.about) > 0 then null
        else agents.about::json ->> 'title' end`
