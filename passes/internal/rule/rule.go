// Package rule makes values of the decisions of a detector.
//
// A detector has candidates: two accesses of one unit in different critical
// sections, and the reason why they belong together. What it decides about a
// candidate is a list of rules, each a value with a name, the mechanism of
// concurrent programming that it stands for, the test cases that fail without
// it, and a predicate on the candidate:
//
//	var rules = rule.Set[*candidate]{
//		{
//			ID: "second-look", Kind: rule.Excludes, Mechanism: rule.Revalidated,
//			Cases: []string{"idiom"},
//			Holds: (*candidate).looksAgain,
//		},
//	}
//
// A predicate reads the candidate and writes nothing; it must be able to say
// something of any candidate, as each rule can be left out. The order of the
// rules is the order in which they are asked: the first one that rejects a
// candidate has silenced it, so that cheap rules stand before expensive ones.
// What a rule changes does not depend on that order, and is measured by leaving
// it out.
//
// Candidates, too, come from rules: those of kind [Reports] say why two
// accesses belong together, and the first one that holds makes the candidate.
//
// Every detector has two flags to look at its rules with, see [Flags].
package rule

import (
	"github.com/atomvet/atomvet/passes/internal/finding"
)

// A Kind says what a rule does to a candidate.
type Kind uint8

const (
	// Reports: the predicate is a reason to make a candidate of two accesses.
	Reports Kind = iota
	// Requires: there is no finding unless the predicate holds.
	Requires
	// Excludes: there is no finding if the predicate holds.
	Excludes
	// Doubts: the finding has a slight doubt if the predicate holds. One or two
	// of these leave the confidence high.
	Doubts
	// DoubtsStrongly: the finding has a doubt that weighs as much as three slight ones.
	DoubtsStrongly
)

var kinds = [...]string{"reports", "requires", "excludes", "doubts", "doubts strongly"}

func (k Kind) String() string { return kinds[k] }

// A Mechanism is why a rule exists, in the words of the labels of real code.
type Mechanism string

// The mechanisms. A split is harmless by the first ones; by the others there is no
// split, or nothing that ties the two accesses together.
const (
	Revalidated    Mechanism = "re-validated"     // the act looks again before it acts
	Idempotent     Mechanism = "idempotent"       // to act twice is to act once
	Monotone       Mechanism = "monotone"         // what was read cannot be undone
	RelativeUpdate Mechanism = "relative-update"  // the act changes what is there by some amount
	SingleWriter   Mechanism = "single-writer"    // one goroutine alone writes
	OuterLock      Mechanism = "outer-lock"       // a lock that all rivals need is held throughout
	KeyedLock      Mechanism = "keyed-lock"       // the same, for one element
	NotPublished   Mechanism = "not-published"    // no other goroutine has the object yet
	Ownership      Mechanism = "ownership"        // what was read has been taken out or claimed
	Join           Mechanism = "join"             // the rival has ended
	Lifecycle      Mechanism = "lifecycle"        // the rival runs at another time
	InProgress     Mechanism = "in-progress flag" // a flag keeps the others out meanwhile
	NoDependency   Mechanism = "no-dependency"    // the second access does not depend on the first
	Unrelated      Mechanism = "unrelated-fields" // nothing keeps the two locations consistent
	Statistics     Mechanism = "statistics"       // a count that nothing is decided by
	Hint           Mechanism = "hint"             // a value that may be out of date
	ErrorPath      Mechanism = "error-path"       // it is only about a failure
	Definition     Mechanism = "definition"       // a part of what the category means
	Distance       Mechanism = "distance"         // much can be decided between the two, unseen
)

// A Rule is one decision about candidates of type C.
type Rule[C any] struct {
	// ID is unique in the detector.
	ID        string
	Kind      Kind
	Mechanism Mechanism
	// Doubt is the text that a rule of a doubting kind adds to the message.
	Doubt string
	// Cases are the places of the test data whose reports change without the
	// rule: packages below the detector's testdata/src, or kernels/ID,
	// idioms/ID, papers/PROGRAM.
	Cases []string
	// For says which candidates the rule is about. Nil is all of them.
	For   func(C) bool
	Holds func(C) bool
}

// speaks reports whether the rule has its effect on a candidate.
func (r *Rule[C]) speaks(c C) bool {
	if r.For != nil && !r.For(c) {
		return false
	}
	return r.Holds(c) == (r.Kind != Requires)
}

// A Set is the rules of a detector about one type of candidates, in the order in
// which they are asked.
type Set[C any] []Rule[C]

// first returns the first rule of one of two kinds that speaks.
func (s Set[C]) first(j *Judge, c C, kind, or Kind) *Rule[C] {
	for i := range s {
		if r := &s[i]; (r.Kind == kind || r.Kind == or) && !j.leavesOut(r.ID) && r.speaks(c) {
			return r
		}
	}
	return nil
}

// Reporting returns the first rule that makes a candidate of c, or nil.
func (s Set[C]) Reporting(j *Judge, c C) *Rule[C] { return s.first(j, c, Reports, Reports) }

// Rejecting returns the first rule that rejects the candidate, or nil.
func (s Set[C]) Rejecting(j *Judge, c C) *Rule[C] { return s.first(j, c, Requires, Excludes) }

// Doubts returns what the rules doubt about the candidate, in order.
func (s Set[C]) Doubts(j *Judge, c C) finding.Doubts {
	var out finding.Doubts
	for i := range s {
		if r := &s[i]; r.Kind >= Doubts && !j.leavesOut(r.ID) && r.speaks(c) {
			out = append(out, finding.Doubt{Text: r.Doubt, Strong: r.Kind == DoubtsStrongly})
		}
	}
	return out
}

// Info is what is said of a rule, without the type of its candidates.
type Info struct {
	ID        string
	Kind      Kind
	Mechanism Mechanism
	Doubt     string
	Cases     []string
}

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
