/** Why one event is not stored, in words that follow its number: "event 3: metadata.tags mixes scalars and objects". */
export class Refusal {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}
