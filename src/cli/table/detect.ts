import { command, text } from '../command.ts'

export const detectFlags = { corpus: text('DIR', 'Directory of recorded cases: DIR/*.json or DIR/cases/*.json') }

export const detectCommands = [
  command({
    name: 'detect',
    summary: 'Detect in recorded terminals whether a program is waiting, for what, and whether an answer is dangerous',
    group: 'Maintenance',
    more: 'Prints one line of JSON per case: id, waiting, type, prompt_text, dangerous, confidence. Labels in the files are not read.',
    flags: detectFlags,
    examples: ['signalbox detect --corpus recordings', 'signalbox detect --corpus recordings > predictions.jsonl'],
    load: async () => (await import('../commands/detect.ts')).detectCorpus,
  }),
]
