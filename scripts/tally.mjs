/** Counts what a Vitest run said in its JSON report; anything that went wrong outside a test counts as a failed test. */
import { readFileSync } from 'node:fs'

export function tally(reportPath, exitCode) {
  const counted = { passed: 0, failed: 0, skipped: [], broken: [] }
  for (const file of readReport(reportPath)) {
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
  if ((exitCode !== 0 || counted.passed === 0) && counted.failed === 0)
    fail(counted, 'the test runner ended with an error of its own')
  return counted
}

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
