/**
 * Scripts for shells, made from the commands: the name of a command first, then what its usage says (words to choose from,
 * names of records, other things left to the shell), and its options after a dash. Names of records are asked for when they
 * are needed, by `millrace completion names <kind>`.
 */
import { type Command, type Option, optionsOf } from './command.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

export const NAMED = ['sources', 'endpoints', 'backends'] as const
type Named = (typeof NAMED)[number]

/** What may stand at a place of the command line; null is left to the shell, which offers files. */
type Offer = { words: string[] } | { names: Named } | null

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const optionsList = (command: Command): [string, Option][] => Object.entries(optionsOf(command))
const optionWords = (command: Command): string => quoted(namesOf(optionsList(command)).join(' '))
const namesOf = (options: [string, Option][]): string[] => options.map(([name]) => `--${name}`)

/** Options whose next word is their value, of all commands: no name means both. */
const withValue = (commands: Command[]): string[] => [
  ...new Set(
    commands.flatMap((command) =>
      optionsList(command)
        .filter(([, { type }]) => type === 'string')
        .flatMap(([name, { short }]) => [`--${name}`, ...(short ? [`-${short}`] : [])]),
    ),
  ),
]

/** The offers for the arguments of a command, read from its usage: `[list | show] [name]`, `<source> [lql]`. */
export function offersOf({ name, usage, arguments: { max } }: Command, commands: Command[]): Offer[] {
  if (max === 0) return []
  const named = (kind: string): Named | undefined => NAMED.find((one) => one === kind)
  if (!/[[<]/.test(usage)) return [{ words: choicesIn(usage) }]
  return [...usage.matchAll(/[[<]([^\]>]+)[\]>]/g)].map(([, place = ''], i) => {
    if (i === 0 && place.includes('|')) return { words: choicesIn(place) }
    if (place === 'command') return { words: commands.map((command) => command.name) }
    const kind = place === 'source' ? 'sources' : place === 'name' ? named(name) : undefined
    return kind ? { names: kind } : null
  })
}

const choicesIn = (text: string): string[] => text.split('|').map((word) => word.trim())

/** The offers that a script has to know of, by the command and the number of arguments before. */
function places(commands: Command[]): { at: string; offer: NonNullable<Offer> }[] {
  return commands.flatMap((command) =>
    offersOf(command, commands).flatMap((offer, i) => (offer ? [{ at: `${command.name} ${i}`, offer }] : [])),
  )
}

const SCRIPTS: Record<Shell, (commands: Command[]) => string> = {
  bash: (commands) => `_millrace_names() {
  local name
  while IFS= read -r name; do
    [[ $name == "$word"* ]] && COMPREPLY+=("$(printf %q "$name")")
  done < <(millrace completion names "$1" 2> /dev/null)
}
_millrace() {
  local word="\${COMP_WORDS[COMP_CWORD]}" place=0 i
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted(commands.map(({ name }) => name).join(' '))} -- "$word"))
    return
  fi
  for ((i = 2; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      ${withValue(commands).join('|')}) i=$((i + 1)) ;;
      -*) ;;
      *) place=$((place + 1)) ;;
    esac
  done
  if ((i > COMP_CWORD)); then return; fi
  if [[ $word == -* ]]; then
    case "\${COMP_WORDS[1]}" in
${commands.map((command) => `      ${command.name}) COMPREPLY=($(compgen -W ${optionWords(command)} -- "$word")) ;;`).join('\n')}
    esac
    return
  fi
  case "\${COMP_WORDS[1]} $place" in
${places(commands)
  .map(({ at, offer }) =>
    'names' in offer
      ? `    '${at}') _millrace_names ${offer.names} ;;`
      : `    '${at}') COMPREPLY=($(compgen -W ${quoted(offer.words.join(' '))} -- "$word")) ;;`,
  )
  .join('\n')}
  esac
}
complete -o default -F _millrace millrace
`,
  zsh: (commands) => `#compdef millrace
_millrace() {
  local -a names
  local place=0 i
  if (( CURRENT == 2 )); then
    names=(${commands.map(({ name, summary }) => quoted(`${name}:${summary}`)).join(' ')})
    _describe command names
    return
  fi
  for ((i = 3; i < CURRENT; i++)); do
    case "$words[i]" in
      ${withValue(commands).join('|')}) i=$((i + 1)) ;;
      -*) ;;
      *) place=$((place + 1)) ;;
    esac
  done
  if (( i > CURRENT )); then _files; return; fi
  if [[ "$words[CURRENT]" == -* ]]; then
    case "$words[2]" in
${commands.map((command) => `      ${command.name}) compadd -- ${namesOf(optionsList(command)).join(' ')} ;;`).join('\n')}
    esac
    return
  fi
  case "$words[2] $place" in
${places(commands)
  .map(({ at, offer }) =>
    'names' in offer
      ? `    '${at}') names=("\${(@f)$(millrace completion names ${offer.names} 2> /dev/null)}"); compadd -- $names ;;`
      : `    '${at}') compadd -- ${offer.words.join(' ')} ;;`,
  )
  .join('\n')}
    *) _files ;;
  esac
}
compdef _millrace millrace
`,
  fish: (commands) => `function __millrace_first
  test (count (commandline -opc)) = 1
end
function __millrace_is
  set -l before (commandline -opc)
  test "$before[2]" = $argv[1]
end
function __millrace_at
  set -l place 0
  set -l skips no
  set -l before (commandline -opc)
  __millrace_is $argv[1]; or return 1
  for word in $before[3..]
    if test $skips = yes
      set skips no
    else if contains -- $word ${withValue(commands).join(' ')}
      set skips yes
    else if not string match -q -- '-*' $word
      set place (math $place + 1)
    end
  end
  test $skips = no; and test $place = $argv[2]
end
complete -c millrace -n __millrace_first -f
${commands
  .flatMap((command) => [
    `complete -c millrace -n __millrace_first -a ${command.name} -d ${quoted(command.summary)}`,
    ...optionsList(command).map(
      ([name, { summary, type, short }]) =>
        `complete -c millrace -n '__millrace_is ${command.name}' -l ${name}` +
        `${short ? ` -s ${short}` : ''}${type === 'string' ? ' -r' : ''} -d ${quoted(summary)}`,
    ),
  ])
  .join('\n')}
${places(commands)
  .map(
    ({ at, offer }) =>
      `complete -c millrace -n '__millrace_at ${at}' -f -a ` +
      ('names' in offer ? `'(millrace completion names ${offer.names} 2> /dev/null)'` : quoted(offer.words.join(' '))),
  )
  .join('\n')}
`,
}

export const completionFor = (shell: Shell, commands: Command[]): string => SCRIPTS[shell](commands)
