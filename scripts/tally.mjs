/** Counts what a Vitest run said in its JSON report; anything that went wrong outside a test counts as a failed test. */
import { readFileSync } from 'node:fs'

export function tally(reportPath, exitCode) {
  const counted = { passed: 0, failed: 0, skipped: [], broken: [], brokenFiles: [], hasFinding: false }
  const files = readReport(reportPath)
  for (const file of files) {
    const outcomes = file.assertionResults
    for (const test of outcomes) {
      if (test.status === 'passed') counted.passed += 1
      else if (test.status === 'failed') fail(counted, test.fullName)
      // Begun or waiting when the report was written: its process died.
      else if (test.status === 'pending') fail(counted, `${test.fullName} (did not finish)`)
      else counted.skipped.push(test.fullName)
    }
    // A file that could not be loaded, or whose set-up threw, has no failed test to show for it.
    if (file.status === 'failed' && !outcomes.some(isBroken)) fail(counted, file.name)
  }
  counted.hasFinding = files.some(({ assertionResults }) => assertionResults.some(isFinding))
  counted.brokenFiles = files
    .filter(({ status, assertionResults }) => status === 'failed' || assertionResults.some(isBroken))
    .map(({ name }) => name)
  if ((exitCode !== 0 || counted.passed === 0) && counted.failed === 0)
    fail(counted, 'the test runner ended with an error of its own')
  return counted
}

/** A property test names the input that broke it. A second run would try others, and prove nothing. */
const isFinding = ({ failureMessages = [] }) => failureMessages.some((message) => /Property failed after/.test(message))

const isBroken = (test) => test.status === 'failed' || test.status === 'pending'

function fail(counted, name) {
  counted.failed += 1
  counted.broken.push(name)
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).testResults
  } catch {
    return []
  }
}

/**
 * The count after the broken files were run a second time, alone: what passed then counts as passed, and is named, as
 * a test that needs the machine for itself is a test to mend.
 */
export function afterSecondRun(first, second) {
  return {
    ...first,
    passed: first.passed + Math.max(0, first.failed - second.failed),
    failed: second.failed,
    broken: second.broken,
    brokenFiles: second.brokenFiles,
    passedAlone: first.broken.filter((name) => !second.broken.includes(name)),
  }
}
