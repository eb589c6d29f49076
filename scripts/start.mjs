/**
 * `npm start`: from a fresh clone to a running service in one command. Installs what is missing, builds what changed,
 * then runs `millrace serve` on the project's own Node and ends with its exit code. Words after `--` go to `serve`.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { buildIfStale, installPackages, projectNode, root, say } from './prepare.mjs'

function fail(text) {
  say(text)
  process.exit(1)
}

if (!installPackages()) fail('the packages could not be installed; what npm said stands above.')
if (!buildIfStale()) fail('the build failed; what the compiler said stands above.')

say('starting …')
const service = spawn(projectNode, [join(root, 'dist/main.js'), 'serve', ...process.argv.slice(2)], {
  stdio: 'inherit',
})

for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
  process.on(signal, () => {
    // Ctrl-C in a terminal reaches the service by itself; passing it on as well would look like a second, impatient one.
    if (signal === 'SIGINT' && process.stdin.isTTY) return
    service.kill(signal)
  })
}

service.on('error', (error) => fail(`the service could not be started: ${error.message}`))
service.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
