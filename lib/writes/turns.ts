import { AsyncLocalStorage } from 'node:async_hooks'
import { Unavailable } from '../core/errors.js'

/** A write that runs while no other does at the same place, or waits for that. */
interface Turn {
  readonly object: object
  readonly key: string
  /** The turn within which it was asked for, where that was not over. */
  outer: Turn | undefined
  /** The one before it at its place, and those that were asked for within it. */
  readonly waitsFor: Set<Turn>
  isOver: boolean
}

const currentTurn = new AsyncLocalStorage<Turn>()
/** The last turns of objects, and those within other turns at the same place. */
const lastTurns = new WeakMap<object, Map<string, { readonly turn: Turn; readonly end: Promise<unknown> }>>()

/** A turn and those around it that are not over. */
function turnsAround(turn: Turn | undefined): Turn[] {
  if (turn === undefined) return []
  while (turn.outer?.isOver) turn.outer = turn.outer.outer
  return turn.isOver ? turnsAround(turn.outer) : [turn, ...turnsAround(turn.outer)]
}

/** Whether a turn ends only after one of others has. */
function dependsOn(turn: Turn, others: readonly Turn[]): boolean {
  const reached = new Set([turn])
  for (const next of reached) {
    if (others.includes(next)) return true
    for (const further of next.waitsFor) reached.add(further)
  }
  return false
}

/**
 * Runs a write of an object while no other runs there under the same key. What it calls itself at
 * that place is part of it: it waits for the others within it alone, and whoever comes next waits
 * for all of them, awaited or not. At another place it waits there.
 *
 * @throws {Unavailable} where each of several writes would wait for the other: one within the other
 * here, and the other way round there
 */
export async function runAlone<T>(object: object, key: string, run: () => Promise<T>): Promise<T> {
  const around = turnsAround(currentTurn.getStore())
  const place = around.find((turn) => turn.object === object && turn.key === key) ?? object
  const turns = lastTurns.get(place) ?? new Map()
  const before = turns.get(key)
  if (before !== undefined && dependsOn(before.turn, around))
    throw new Unavailable('Another call was busy with the same records: try again', { retryAfter: 1 })
  const [outer] = around
  const turn: Turn = { object, key, outer, waitsFor: new Set(before && [before.turn]), isOver: false }
  lastTurns.set(place, turns)
  outer?.waitsFor.add(turn)
  const begin = () => {
    turn.waitsFor.clear()
    return currentTurn.run(turn, run)
  }
  const running = Promise.resolve(before?.end)
    .then(begin)
    .finally(() => {
      turn.isOver = true
      // Of what was asked for within it, it lasts for the writes at its own place alone.
      turn.waitsFor.clear()
      const last = lastTurns.get(turn)?.get(key)
      if (last !== undefined) turn.waitsFor.add(last.turn)
    })
  const end = running
    .catch(() => {})
    .then(() => lastTurns.get(turn)?.get(key)?.end)
    .then(() => {
      outer?.waitsFor.delete(turn)
      if (turns.get(key)?.turn === turn) turns.delete(key)
    })
  turns.set(key, { turn, end })
  return running
}
