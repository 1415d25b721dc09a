import { SqliteQueryCompiler, ValueNode, type LimitNode } from 'kysely'

/**
 * Limits are part of the text. If a limit is a parameter, SQLite plans the statement again each time the parameter is
 * bound, which takes longer than most statements.
 */
export class LiteralLimitCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node
    if (ValueNode.is(limit) && Number.isSafeInteger(limit.value)) this.append(`limit ${String(limit.value)}`)
    else super.visitLimit(node)
  }
}
