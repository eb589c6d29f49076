/**
 * The text editor of queries: CodeMirror in the looks of the design language. What makes it an LQL or SQL editor comes in
 * as `extensions` (language, completion, checks); the one who hands them in keeps them stable between renders.
 * Loaded with the pages that use it, never with the first page.
 */
import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap, placeholder as placeholderOf } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { classes } from '../design/classes.ts'
import { styleNonce } from '../design/nonce.ts'
import { highlightStyle, looks } from './looks.ts'

type Props = {
  /** Its name for screen readers. */
  label: string
  value: string
  onChange(value: string): void
  /** Enter in a single line, Ctrl/Cmd-Enter in several. */
  onSubmit?(value: string): void
  isSingleLine?: boolean
  placeholder?: string
  extensions?: Extension
  className?: string
}

const NONE: Extension = []

export function Editor({
  label,
  value,
  onChange,
  onSubmit,
  isSingleLine = false,
  placeholder = '',
  extensions = NONE,
  className,
}: Props) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const own = useRef(new Compartment())
  const handlers = useRef({ onChange, onSubmit })
  handlers.current = { onChange, onSubmit }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; later changes are handed to it below
  useEffect(() => {
    if (!place.current) return
    const submit = (editor: EditorView): boolean => {
      handlers.current.onSubmit?.(editor.state.doc.toString())
      return handlers.current.onSubmit !== undefined
    }
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(styleNonce()),
          // Before the others, so that Enter submits; an open list of completions takes it first.
          keymap.of([...completionKeymap, { key: isSingleLine ? 'Enter' : 'Mod-Enter', run: submit }]),
          own.current.of(extensions),
          history(),
          bracketMatching(),
          closeBrackets(),
          keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap]),
          isSingleLine ? singleLine : EditorView.lineWrapping,
          placeholderOf(placeholder),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) handlers.current.onChange(state.doc.toString())
          }),
          looks,
          syntaxHighlighting(highlightStyle),
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [])

  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])
  useEffect(() => {
    view.current?.dispatch({ effects: own.current.reconfigure(extensions) })
  }, [extensions])

  return (
    <div
      ref={place}
      className={classes(
        'min-w-0 overflow-hidden rounded-base border border-line-strong/60 bg-surface shadow-low',
        'focus-within:border-accent focus-within:outline-1 focus-within:outline-accent hover:border-line-strong',
        className,
      )}
    />
  )
}

/** Line breaks of what is pasted become spaces. */
const singleLine = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.newDoc.lines === 1) return transaction
  const text = transaction.newDoc.toString().replaceAll(/\s*\n\s*/g, ' ')
  return [
    { changes: { from: 0, to: transaction.startState.doc.length, insert: text }, selection: { anchor: text.length } },
  ]
})
