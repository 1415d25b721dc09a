// An agent that offers models and efforts: `node agents-choices.mjs LOG [options|models]` writes what it hears to LOG, and
// reports as many dollars as a prompt "spend N" says.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , log = '', offers = 'options'] = process.argv

/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const current = { model: 'small', effort: 'low' }
/** @param {'model' | 'effort'} id @param {string} category @param {string[]} values */
const option = (id, category, values) => ({
  id,
  name: id,
  category,
  type: 'select',
  currentValue: current[id],
  options: values.map((value) => ({ value, name: `The ${value} one` })),
})
const configOptions = () => [
  option('model', 'model', ['small', 'large', 'huge']),
  option('effort', 'thought_level', ['low', 'high', 'most']),
]
const models = () => ({
  currentModelId: current.model,
  availableModels: ['small', 'large', 'huge'].map((modelId) => ({ modelId, name: modelId })),
})

createInterface({ input: process.stdin })
  .on('line', (line) => {
    appendFileSync(log, `${line}\n`)
    const { id, method, params } = JSON.parse(line)
    if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } })
    if (method === 'session/new')
      send({
        id,
        result: {
          sessionId: 'one',
          ...(offers === 'models' ? { models: models() } : { configOptions: configOptions() }),
        },
      })
    if (method === 'session/set_config_option') {
      current[/** @type {'model' | 'effort'} */ (params.configId)] = params.value
      send({ id, result: { configOptions: configOptions() } })
    }
    if (method === 'session/set_model') {
      current.model = params.modelId
      send({ id, result: {} })
    }
    if (method !== 'session/prompt') return
    const spent = /spend ([\d.]+)/.exec(params.prompt[0].text)?.[1]
    if (spent !== undefined)
      send({
        method: 'session/update',
        params: {
          sessionId: 'one',
          update: {
            sessionUpdate: 'usage_update',
            used: 10,
            size: 100,
            cost: { amount: Number(spent), currency: 'USD' },
          },
        },
      })
    send({ id, result: { stopReason: 'end_turn' } })
  })
  .on('close', () => process.exit(0))
