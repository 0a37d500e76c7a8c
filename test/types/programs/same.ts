type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles where both types are the same. */
export const same = <A, B>(_is: Same<A, B>): void => {}

/** Compiles where a type is `any`. */
export const untyped = <A>(_is: 0 extends 1 & A ? true : false): void => {}
