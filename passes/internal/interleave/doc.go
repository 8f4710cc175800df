// Package interleave decides whether a split does harm by executing it: it looks for a schedule
// of two units whose outcome no schedule has in which the split is one step.
//
// A question names a unit T1 with two accesses, the check and the act, which lie in different
// critical sections, and a rival T2 that may run in between. Both are executed, over SSA, on one
// small symbolic state that is chosen lazily, when it is first read (Khurshid, Pasareanu, Visser,
// TACAS 2003): a flag is true or false, a pointer nil or an object, a map has the key or not, an
// integer is a symbol. All choices of a question, those of the schedule included, are explored
// depth first. What is chosen is remembered, so that the interleaved run and the runs that it is
// compared with start from the same state.
//
// T2 runs between two critical sections of T1, after the check and before the act. The outcome is
// the shared state afterwards, the results of both, and the calls and sends that each makes for
// their effect alone. It is compared with the outcomes of T1;T2, of T2;T1, and of the schedules
// that run T2 at another boundary of T1, before the check or after the act: a difference that
// remains when check and act are one step is not a defect of this split. This is the test of
// composed operations against an adversary (Shacham and others, OOPSLA 2011), made on code.
//
// The answer is Harmful with the run, Serializable if no schedule within the bounds is harmful, or
// Unknown. A run that meets what is not modelled gives no answer, and a question with such a run
// is never Serializable. Start states are restricted to what the object can be in, as far as the
// stores of the package tell (see Knowledge); a state from which T1;T2 or T2;T1 crashes proves
// nothing.
//
// Assumptions: functions without a body here (other packages, unresolved interfaces) neither call
// back nor change the objects of this package; the same function of the same arguments has the
// same scalar result, and gives a new object each time. Two objects that are reached by different
// paths are different, except for the parameters of the units. Overflow is ignored.
//
// The files, in reader's order: answer (questions and answers), value, machine (the state of a
// run), types, knowledge, world (choices), start (the start state), heap, step, thread, instr,
// call, container and primitive (execution), schedule, solve, outcome, stale, judge.
package interleave
