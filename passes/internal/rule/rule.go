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
//			Cases: []string{"stalevalue/idiom.Recheck"},
//			Holds: (*candidate).looksAgain,
//		},
//	}
//
// A predicate reads the candidate and writes nothing. The order of the rules is
// the order in which they are asked: the first one that rejects a candidate has
// silenced it, so that cheap rules stand before expensive ones. What a rule
// changes does not depend on that order, and is measured by leaving it out.
package rule

import "slices"

// A Kind says what a rule does to a candidate.
type Kind uint8

const (
	// Requires: there is no finding unless the predicate holds.
	Requires Kind = iota
	// Excludes: there is no finding if the predicate holds.
	Excludes
	// Doubts: the finding has a slight doubt if the predicate holds. One or two
	// of these leave the confidence high.
	Doubts
	// DoubtsStrongly: the finding has a doubt that weighs as much as three slight ones.
	DoubtsStrongly
)

var kinds = [...]string{"requires", "excludes", "doubts", "doubts strongly"}

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
	// Cases are the places of the test data that fail without the rule, as
	// directory or directory.Function, below the detector's testdata/src, or
	// kernels/ID, idioms/ID, papers/PROGRAM.
	Cases []string
	Holds func(C) bool
}

// rejects reports whether the rule keeps a candidate from becoming a finding.
func (r *Rule[C]) rejects(c C) bool {
	switch r.Kind {
	case Requires:
		return !r.Holds(c)
	case Excludes:
		return r.Holds(c)
	}
	return false
}

// A Set is the rules of a detector, in the order in which they are asked.
type Set[C any] []Rule[C]

// Without returns the set without the rules with the given names.
func (s Set[C]) Without(ids ...string) Set[C] {
	return slices.DeleteFunc(slices.Clone(s), func(r Rule[C]) bool { return slices.Contains(ids, r.ID) })
}

// Rejected returns the first rule that rejects the candidate, or nil.
func (s Set[C]) Rejected(c C) *Rule[C] {
	for i := range s {
		if s[i].rejects(c) {
			return &s[i]
		}
	}
	return nil
}

// Doubting returns the rules that doubt the candidate, in order.
func (s Set[C]) Doubting(c C) []*Rule[C] {
	var out []*Rule[C]
	for i := range s {
		if (s[i].Kind == Doubts || s[i].Kind == DoubtsStrongly) && s[i].Holds(c) {
			out = append(out, &s[i])
		}
	}
	return out
}
