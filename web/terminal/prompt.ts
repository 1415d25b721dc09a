import { Refused, type Input, type TerminalApi, type TerminalView, type Typed } from './api.ts'
import { createConfirm } from './confirm.ts'
import { element, elementOrNone, say } from './element.ts'

type Detection = NonNullable<TerminalView['detection']>
export type PromptPanel = { show(view: TerminalView): void }

const outcomes: Record<Typed['status'], { words: string; isGood: boolean }> = {
  delivered: { words: 'Typed, and the program took it.', isGood: true },
  refused_stale: { words: 'Not typed: the question changed meanwhile. Look again.', isGood: false },
  refused_unreadable: { words: 'Not typed: the program does not read anything now.', isGood: false },
  unverified: { words: 'Typed, but whether the program took it is not certain. Look at the terminal.', isGood: false },
}

/** What the terminal asks, and the ways to answer it. */
export function createPromptPanel(api: TerminalApi, changed: () => void): PromptPanel {
  const asks = element('asks', HTMLParagraphElement)
  const question = element('question', HTMLParagraphElement)
  const danger = element('danger', HTMLParagraphElement)
  const form = elementOrNone('answer', HTMLFormElement)
  let prompt: Detection | null = null
  let drawn = ''

  const showQuestion = (view: TerminalView, asked: Detection | null) => {
    say(asks, stateWords(view, asked))
    say(question, asked?.promptText ?? '')
    say(danger, asked?.isDangerous ? `Dangerous: ${asked.dangerReason ?? 'the answer can do harm'}.` : '')
  }
  if (!form) return { show: (view) => showQuestion(view, askedBy(view)) }

  const text = element('text', HTMLInputElement)
  const label = element('label', HTMLLabelElement)
  const submit = element('send', HTMLButtonElement)
  const choices = element('choices', HTMLDivElement)
  const outcome = element('outcome', HTMLParagraphElement)
  const keys = element('keys', HTMLDetailsElement)
  const confirm = createConfirm()
  let isSending = false

  const enable = (isOver: boolean) => {
    const isOpen = prompt !== null && !isSending
    text.disabled = !isOpen
    submit.disabled = !isOpen
    for (const button of choices.querySelectorAll('button')) button.disabled = !isOpen
    for (const button of keys.querySelectorAll('button')) button.disabled = isSending
    form.hidden = isOver
    keys.hidden = isOver
  }

  const send = async (input: Omit<Input, 'secret' | 'expectPrompt'>) => {
    const meant = prompt
    isSending = true
    enable(false)
    say(outcome, 'Typing …')
    outcome.className = 'soft'
    try {
      const id = meant?.promptId
      const { status } = await api.type({
        ...input,
        secret: meant?.secret ?? false,
        ...(typeof id === 'string' && { expectPrompt: id }),
      })
      say(outcome, outcomes[status].words)
      outcome.className = outcomes[status].isGood ? 'good' : 'bad'
      if (outcomes[status].isGood) text.value = ''
    } catch (error) {
      say(
        outcome,
        error instanceof Refused ? error.message : 'The server was not reached; whether it was typed is not known.',
      )
      outcome.className = 'bad'
    } finally {
      isSending = false
      enable(false)
      changed()
    }
  }

  const answer = (given: string) => send(given === '' ? { text: '', keys: ['enter'] } : { text: given, keys: [] })
  const guarded = (button: HTMLButtonElement, act: () => void) =>
    prompt?.isDangerous ? confirm.tap(button, act) : act()

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (prompt && !isSending) guarded(submit, () => void answer(text.value))
  })
  text.addEventListener('input', () => confirm.forget())
  for (const button of keys.querySelectorAll('button')) {
    const key = button.dataset['key'] ?? ''
    const press = () => void send({ text: '', keys: [key] })
    button.addEventListener('click', () => (key === 'enter' ? guarded(button, press) : press()))
  }

  const offer = (asked: Detection | null) => {
    confirm.forget()
    choices.replaceChildren(
      ...(asked?.suggestedInputs ?? []).map((given, index) => {
        const button = document.createElement('button')
        button.type = 'button'
        button.textContent = labelOf(asked, given)
        if (index > 0) button.className = 'quiet'
        button.addEventListener('click', () => guarded(button, () => void answer(given)))
        return button
      }),
    )
    // An answer is meant for the question it was written under.
    if (text.value !== '' && drawn !== '' && !isSending) {
      say(outcome, 'The question changed; what you had written was not sent.')
      outcome.className = 'soft'
    }
    text.value = ''
    text.type = asked?.secret ? 'password' : 'text'
    label.textContent = asked?.secret ? 'Secret (not stored)' : 'Answer'
    text.placeholder = typeof asked?.default === 'string' ? `Enter: ${asked.default}` : ''
  }

  return {
    show(view) {
      const asked = askedBy(view)
      showQuestion(view, asked)
      prompt = asked
      const key = asked === null ? 'none' : `${asked.promptId} ${asked.secret} ${asked.suggestedInputs.join('\n')}`
      if (key !== drawn) offer(asked)
      drawn = key
      enable(view.state === 'stopped')
    },
  }
}

const askedBy = ({ state, detection }: TerminalView): Detection | null =>
  state === 'active' && detection?.waiting ? detection : null

function stateWords({ state }: TerminalView, asked: Detection | null): string {
  if (state === 'stopped') return 'It is over; nothing can be typed any more.'
  if (asked === null) return 'It asks nothing now.'
  return asked.secret
    ? 'It asks for a secret:'
    : asked.promptType === 'command'
      ? 'It waits for a command:'
      : 'It asks:'
}

function labelOf(asked: Detection | null, given: string): string {
  const choice = asked?.choices.find(({ key, selected }) => (given === '' ? selected : key === given))
  const word = given === '' ? 'Enter' : given
  const whole = choice && choice.label !== '' && choice.label !== given ? `${word} · ${choice.label}` : word
  return whole.length > 60 ? `${whole.slice(0, 60)} …` : whole
}
