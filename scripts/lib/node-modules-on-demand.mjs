/**
 * An import of one of Node's modules reads all that it exports: `node:http` alone then loads undici for its WebSocket,
 * which nobody uses, in 20 to 40 ms. Taken this way, a module loads what is used. The statements go to the top, where imports
 * would be evaluated too. @param {string} code a bundle @param {string} script who is asked to read it, for the error @returns {string}
 */
export function nodeModulesOnDemand(code, script) {
  /** @type {string[]} */
  const taken = []
  const rest = code.replace(
    /^import ([^"';]+?) from "(node:[\w/]+)";$/gm,
    (statement, /** @type {string} */ names, /** @type {string} */ name) => {
      const binding = /^\{[^]*\}$/.test(names) ? names.replace(/ as /g, ': ') : /^(?:\* as )?([\w$]+)$/.exec(names)?.[1]
      if (binding === undefined) throw new Error(`${script} can't read: ${statement}`)
      taken.push(`const ${binding.replace(/\s+/g, ' ')} = process.getBuiltinModule("${name}");`)
      return ''
    },
  )
  return taken.length === 0 ? code : `${taken.join('\n')}\n${rest}`
}
