/** 0 done, 1 failed, 2 wrong use, 3 the service cannot be reached, 4 not allowed, 130 interrupted. See docs/reference/cli.md. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 130
