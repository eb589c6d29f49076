/** Scripts for shells, made from the commands: the name of a command first, then its options. */
import { type Command, optionsOf } from './command.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

const optionNames = (command: Command): string[] => Object.keys(optionsOf(command)).map((name) => `--${name}`)

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const SCRIPTS: Record<Shell, (commands: Command[]) => string> = {
  bash: (commands) => `_millrace() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted(commands.map(({ name }) => name).join(' '))} -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands.map((command) => `    ${command.name}) COMPREPLY=($(compgen -W ${quoted(optionNames(command).join(' '))} -- "$word")) ;;`).join('\n')}
  esac
}
complete -o default -F _millrace millrace
`,
  zsh: (commands) => `#compdef millrace
_millrace() {
  if (( CURRENT == 2 )); then
    local -a names=(${commands.map(({ name, summary }) => quoted(`${name}:${summary}`)).join(' ')})
    _describe command names
    return
  fi
  case "$words[2]" in
${commands.map((command) => `    ${command.name}) compadd -- ${optionNames(command).join(' ')}; _files ;;`).join('\n')}
  esac
}
compdef _millrace millrace
`,
  fish: (commands) =>
    `complete -c millrace -n __fish_use_subcommand -f\n${commands
      .flatMap((command) => [
        `complete -c millrace -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.summary)}`,
        ...Object.entries(optionsOf(command)).map(
          ([name, { summary, type, short }]) =>
            `complete -c millrace -n '__fish_seen_subcommand_from ${command.name}' -l ${name}` +
            `${short ? ` -s ${short}` : ''}${type === 'string' ? ' -r' : ''} -d ${quoted(summary)}`,
        ),
      ])
      .join('\n')}\n`,
}

export const completionFor = (shell: Shell, commands: Command[]): string => SCRIPTS[shell](commands)
