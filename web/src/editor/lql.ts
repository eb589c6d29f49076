/** LQL in the editor: its colours, what can be typed next, and what is wrong where. The service knows; the editor asks it. */
import {
  acceptCompletion,
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionStatus,
  moveCompletionSelection,
  selectedCompletion,
  startCompletion,
} from '@codemirror/autocomplete'
import { StreamLanguage } from '@codemirror/language'
import { type Diagnostic, linter } from '@codemirror/lint'
import { type Extension, Prec } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'

type Where = 'clause' | 'value'

const FIELD = /^-?(?:[A-Za-z_][\w.]*)(?=:)/
const OPERATOR = /^:(?:@>~|@>|>=|<=|>|<|~)?/
const KEYWORD_FIELD = /^-?(?:c|chart|s|select|f|from|t|timestamp)(?=:)/
const STRING = /^"(?:[^"\\]|\\.)*"?/
const NUMBER = /^-?\d+(?:\.\d+)?(?=[\s),]|$)/

/** Colours only: it need not be right about what is a query, and is never wrong about where a clause ends. */
const language = StreamLanguage.define<{ at: Where }>({
  name: 'lql',
  startState: () => ({ at: 'clause' }),
  token(stream, state) {
    if (stream.eatSpace()) {
      state.at = 'clause'
      return null
    }
    if (stream.match(/^[(),]/)) return 'punctuation'
    if (stream.match(STRING)) return 'string'
    if (state.at === 'clause') {
      if (stream.match(/^(?:OR|AND|NOT)(?=[\s()]|$)/)) return 'keyword'
      if (stream.match(KEYWORD_FIELD)) return 'keyword'
      if (stream.match(FIELD)) return 'propertyName'
      if (stream.match(OPERATOR)) {
        state.at = 'value'
        return 'operator'
      }
      if (stream.match(/^~/)) return 'operator'
      if (stream.match(/^[^\s()"]+/)) return null
    }
    if (stream.match(NUMBER)) return 'number'
    if (stream.match(/^(?:NULL|true|false)(?=[\s),]|$)/)) return 'bool'
    if (stream.match(/^[^\s(),"]+/)) return 'string'
    stream.next()
    return null
  },
})

export type Suggestions = { from: number; to: number; items: { kind: string; text: string; detail: string | null }[] }

export type LqlProblem = { message: string; position: number; found: string }

export type LqlSource = {
  suggest(text: string, position: number, signal: AbortSignal): Promise<Suggestions>
  /** What is wrong with a text; null when it is a query. */
  problem(text: string): Promise<LqlProblem | null>
  submit?(text: string): void
}

const CHECK_AFTER_MS = 500
const ICONS: Record<string, string> = {
  field: 'property',
  value: 'constant',
  operator: 'keyword',
  keyword: 'keyword',
  time: 'constant',
  'saved search': 'text',
}

export function lql(source: LqlSource): Extension {
  return [
    language,
    EditorView.lineWrapping,
    autocompletion({
      override: [(context) => complete(context, source)],
      // Nothing is chosen before somebody chooses, so no key needs to be guarded against being pressed too early.
      selectOnOpen: false,
      interactionDelay: 0,
      icons: false,
    }),
    linter(async ({ state }) => diagnose(state.doc.toString(), source), { delay: CHECK_AFTER_MS }),
    Prec.high(
      keymap.of([
        { key: 'Tab', run: acceptFirst },
        {
          key: 'Mod-Enter',
          run({ state }) {
            source.submit?.(state.doc.toString())
            return source.submit !== undefined
          },
        },
      ]),
    ),
  ]
}

/** Enter belongs to the search until a suggestion was chosen with the arrows; Tab takes the first at once. */
function acceptFirst(view: EditorView): boolean {
  if (completionStatus(view.state) !== 'active') return false
  if (selectedCompletion(view.state) === null) moveCompletionSelection(true)(view)
  return acceptCompletion(view)
}

async function complete(context: CompletionContext, source: LqlSource): Promise<CompletionResult | null> {
  const abort = new AbortController()
  context.addEventListener('abort', () => abort.abort())
  const text = context.state.doc.toString()
  const found = await source.suggest(text, context.pos, abort.signal).catch(() => null)
  if (!found || found.items.length === 0) return null
  return {
    from: found.from,
    filter: false,
    options: found.items.map(({ kind, text: typed, detail }) => ({
      label: kind === 'saved search' ? (detail ?? typed) : typed,
      detail: kind === 'saved search' ? `saved: ${typed}` : (detail ?? ''),
      type: ICONS[kind] ?? 'text',
      apply(view: EditorView, _completion: unknown, from: number, to: number) {
        view.dispatch({ changes: { from, to, insert: typed }, selection: { anchor: from + typed.length } })
        // A field wants its operator and value next.
        if (/[:(@>=<~]$/.test(typed)) startCompletion(view)
      },
    })),
  }
}

async function diagnose(text: string, source: LqlSource): Promise<Diagnostic[]> {
  if (text.trim() === '') return []
  const problem = await source.problem(text).catch(() => null)
  return problem ? [diagnosticOf(text, problem)] : []
}

/** Marks at least one character, also at the end of the text, where nothing stands. */
export function diagnosticOf(text: string, { message, position, found }: LqlProblem): Diagnostic {
  const from = Math.max(0, Math.min(position, text.length - 1))
  const to = text.startsWith(found, position) && found !== '' ? position + found.length : from + 1
  return { from, to: Math.min(Math.max(to, from + 1), text.length), severity: 'error', message }
}
