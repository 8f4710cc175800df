// Package rule represents the decisions of a detector as values.
//
// A detector has candidates: two accesses of one unit in different critical sections, and
// the reason why they belong together. The decisions about a candidate are a list of
// rules, each a value with a name, the mechanism of concurrent programming that it stands
// for, the test cases that fail without it, and a predicate on the candidate:
//
//	var rules = rule.Set[*candidate]{
//		{
//			ID: "second-look", Kind: rule.Excludes, Mechanism: rule.Revalidated,
//			Cases: []string{"idiom"},
//			Holds: (*candidate).looksAgain,
//		},
//	}
//
// A predicate reads the candidate and writes nothing; it must be defined for every
// candidate, as each rule can be left out. The rules are evaluated in order: the first
// one that rejects a candidate silences it, so that cheap rules stand before expensive
// ones. The effect of a rule does not depend on that order, and is measured by leaving
// the rule out.
//
// Candidates, too, come from rules: those of kind [Reports] are reasons why two accesses
// belong together, and the first one that holds makes the candidate.
//
// Every detector has two flags for the inspection of its rules, see [Flags].
package rule

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/finding"
)

// A Kind is the effect of a rule on a candidate.
type Kind uint8

const (
	// Reports: the predicate is a reason to make a candidate of two accesses.
	Reports Kind = iota
	// Requires: the candidate is a finding only if the predicate holds.
	Requires
	// Excludes: the candidate is not a finding if the predicate holds.
	Excludes
	// Doubts: the finding has a slight doubt if the predicate holds. One or two slight
	// doubts leave the confidence high.
	Doubts
	// DoubtsStrongly: the finding has a doubt that weighs as much as three slight ones.
	DoubtsStrongly
)

var kinds = [...]string{"reports", "requires", "excludes", "doubts", "doubts strongly"}

// String returns the kind as a word.
func (k Kind) String() string { return kinds[k] }

// A Mechanism is the reason for a rule, in the words of the labels of real code.
type Mechanism string

// The mechanisms. By the first ones the split is harmless; by the others the accesses are
// not split, or do not belong together.
const (
	Revalidated    Mechanism = "re-validated"     // the act repeats the check in its own critical section
	Idempotent     Mechanism = "idempotent"       // the act done twice has the effect of once
	Monotone       Mechanism = "monotone"         // what was read stays true once it is true
	RelativeUpdate Mechanism = "relative-update"  // the act changes the current value by some amount
	SingleWriter   Mechanism = "single-writer"    // only one goroutine writes
	OuterLock      Mechanism = "outer-lock"       // a lock that all rivals take is held throughout
	KeyedLock      Mechanism = "keyed-lock"       // a lock of one element is held throughout
	NotPublished   Mechanism = "not-published"    // the object is not reachable by other goroutines yet
	Ownership      Mechanism = "ownership"        // what was read has been removed from shared memory, or claimed
	Join           Mechanism = "join"             // the rival has ended: happens-before
	Lifecycle      Mechanism = "lifecycle"        // the rival runs in another phase of the object's life
	InProgress     Mechanism = "in-progress flag" // a flag excludes the rivals in between
	NoDependency   Mechanism = "no-dependency"    // the second access does not depend on the first
	Unrelated      Mechanism = "unrelated-fields" // nothing keeps the two locations consistent
	Statistics     Mechanism = "statistics"       // a count on which no decision depends
	Hint           Mechanism = "hint"             // a value that may be out of date
	ErrorPath      Mechanism = "error-path"       // the split affects a failure only
	Definition     Mechanism = "definition"       // a part of the definition of the category
	Distance       Mechanism = "distance"         // the code between the two accesses may decide by other means
)

// A Scope is a part of a candidate. A detector with many candidates asks the rules of a
// narrow scope once for all candidates that have this part in common.
type Scope uint8

const (
	// Whole: the predicate depends on the whole candidate.
	Whole Scope = iota
	// Accesses: the predicate depends on the two accesses, and on why they belong
	// together.
	Accesses
	// Locations: the predicate depends on the locations of the two accesses, and on why
	// they belong together.
	Locations
)

// A Rule is one decision about candidates of type C.
type Rule[C any] struct {
	// ID is unique in the detector.
	ID        string
	Kind      Kind      // effect on a candidate
	Mechanism Mechanism // reason
	// Doubt is the text that a rule of a doubting kind adds to the message.
	Doubt string
	// Cases are the places of the test data whose reports change without the
	// rule: packages below the detector's testdata/src, or kernels/ID,
	// idioms/ID, papers/PROGRAM.
	Cases []string
	// For selects the candidates that the rule is about. Nil selects all.
	For func(C) bool
	// Scope is the part of the candidate that For and Holds depend on.
	Scope Scope
	// Holds is the predicate.
	Holds func(C) bool
}

// speaks reports whether the rule has its effect on a candidate.
func (r *Rule[C]) speaks(c C) bool {
	if r.For != nil && !r.For(c) {
		return false
	}
	return r.Holds(c) == (r.Kind != Requires)
}

// A Set is the rules of a detector about one type of candidates, in the order of
// evaluation.
type Set[C any] []Rule[C]

// first returns the first rule of one of two kinds that has its effect on c.
func (s Set[C]) first(j *Judge, c C, kind, or Kind) *Rule[C] {
	for i := range s {
		if r := &s[i]; (r.Kind == kind || r.Kind == or) && !j.leavesOut(r.ID) && r.speaks(c) {
			return r
		}
	}
	return nil
}

// Within returns the rules that reject and depend on no more than the scope.
func (s Set[C]) Within(scope Scope) Set[C] {
	return slices.DeleteFunc(slices.Clone(s), func(r Rule[C]) bool {
		return r.Scope < scope || r.Kind != Requires && r.Kind != Excludes
	})
}

// Reporting returns the first rule that makes a candidate of c, or nil.
func (s Set[C]) Reporting(j *Judge, c C) *Rule[C] { return s.first(j, c, Reports, Reports) }

// Rejecting returns the first rule that rejects the candidate, or nil.
func (s Set[C]) Rejecting(j *Judge, c C) *Rule[C] { return s.first(j, c, Requires, Excludes) }

// Doubts returns the doubts that the rules add to the candidate, in order.
func (s Set[C]) Doubts(j *Judge, c C) finding.Doubts {
	var out finding.Doubts
	for i := range s {
		if r := &s[i]; r.Kind >= Doubts && !j.leavesOut(r.ID) && r.speaks(c) {
			out = append(out, finding.Doubt{Text: r.Doubt, Strong: r.Kind == DoubtsStrongly})
		}
	}
	return out
}

// Info describes a rule, without the type of its candidates. The fields are those of
// Rule.
type Info struct {
	ID        string
	Kind      Kind
	Mechanism Mechanism
	Doubt     string
	Cases     []string
}

// String returns the rule as an explanation shows it: identifier, kind and mechanism.
func (r *Rule[C]) String() string { return r.info().String() }

func (r *Rule[C]) info() Info {
	return Info{ID: r.ID, Kind: r.Kind, Mechanism: r.Mechanism, Doubt: r.Doubt, Cases: r.Cases}
}

// List describes the rules.
func (s Set[C]) List() []Info {
	out := make([]Info, len(s))
	for i := range s {
		out[i] = s[i].info()
	}
	return out
}
