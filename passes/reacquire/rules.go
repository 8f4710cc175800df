package reacquire

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
)

// reliances are the reasons of candidates.
var reliances = rule.Set[*candidate]{
	{
		ID: valueWritten, Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"client.Index.Grow", "papers.Bank.Close"},
		For:   (*candidate).isWrite, Holds: (*candidate).valueWritten,
	}, {
		ID: valueStillUsed, Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"doubts.plant.Waste", "flow.clerk.Forget"},
		For:   (*candidate).isWrite, Holds: (*candidate).valueStillUsed,
	}, {
		ID: writeDecided, Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"client.Index.Init", "papers.Server.Defaults"},
		For:   (*candidate).isWrite, Holds: (*candidate).writeDecided,
	}, {
		ID: roundsSteered, Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"flow.journal.SyncSome", "papers.Heap.Insert"},
		For:   (*candidate).isLoop, Holds: (*candidate).roundsSteered,
	}, {
		ID: roundsCombined, Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"flow.Loop", "flow.LoopInline"},
		For:   (*candidate).isLoop, Holds: (*candidate).roundsCombined,
	}, {
		ID: valuesCombined, Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"flow.BranchThenBoth", "flow.TwoFirsts"},
		For:   (*candidate).areReads, Holds: (*candidate).valuesCombined,
	}, {
		ID: twoUpdates, Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"flow.clerk.Bounds"},
		For:   (*candidate).areReads, Holds: (*candidate).updatesTwice,
	}, {
		ID: readDecided, Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"client.Index.Tail", "client.Index.Last"},
		For:   (*candidate).areReads, Holds: (*candidate).readDecided,
	}, {
		ID: decidedTogether, Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"flow.clerk.Wide"},
		For:   (*candidate).areReads, Holds: (*candidate).decidedTogether,
	},
}

// allRules decide about candidates.
var allRules = rule.Set[*candidate]{
	{
		ID: "end-asked-again", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"idiom.desk.CloseOnce"},
		Holds: (*candidate).endAskedAgain,
	}, {
		ID: "witness-guards", Kind: rule.Requires, Mechanism: rule.Definition,
		Cases: []string{"idiom.desk.Rate"},
		Holds: (*candidate).witnessGuards,
	}, {
		ID: "own-step", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"idiom.desk.DrainBack", "idiom.desk.TwoIDs"},
		Holds: (*candidate).ownStep,
	}, {
		ID: "takes-off", Kind: rule.Excludes, Mechanism: rule.RelativeUpdate,
		Cases: []string{"idiom.desk.WriteOff"},
		Holds: (*candidate).takesOff,
	}, {
		ID: "same-element", Kind: rule.Requires, Mechanism: rule.Unrelated,
		Cases: []string{"idiom.desk.Copy", "idiom.desk.Sum"},
		For:   (*candidate).areTwo, Holds: (*candidate).sameElement,
	}, {
		ID: "error-second", Kind: rule.Excludes, Mechanism: rule.ErrorPath,
		Cases: []string{"idiom.desk.TakeKnown"},
		For:   (*candidate).areReads, Holds: (*candidate).errorSecond,
	}, {
		ID: "forward", Kind: rule.Requires, Mechanism: rule.Definition,
		Cases: []string{"client.Index.Find"},
		For:   (*candidate).areTwo, Holds: (*candidate).forward,
	}, {
		ID: "presence-tested", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"idiom.desk.First"},
		For:   (*candidate).areTwo, Holds: (*candidate).presenceTested,
	}, {
		ID: "values-compared", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"idiom.desk.Forget"},
		For:   (*candidate).areTwo, Holds: (*candidate).valuesCompared,
	}, {
		ID: "looked-in-callee", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"idiom.desk.PopIfAny", "idiom.desk.Entry"},
		For:   (*candidate).isWrite, Holds: (*candidate).lookedInCallee,
	}, {
		ID: "insert-only", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"idiom.desk.Entry", "idiom.desk.Pair"},
		Holds: (*candidate).insertOnly,
	}, {
		ID: "fixed-element", Kind: rule.Requires, Mechanism: rule.Unrelated,
		Cases: []string{"idiom.desk.End"},
		For:   (*candidate).isLoop, Holds: (*candidate).fixedElement,
	}, {
		ID: "relies", Kind: rule.Requires, Mechanism: rule.NoDependency,
		Cases: []string{"idiom.desk.End", "flow.journal.Sync"},
		Holds: (*candidate).relies,
	}, {
		ID: "own-arguments", Kind: rule.Excludes, Mechanism: rule.Unrelated,
		Cases: []string{"known.panel.Total"},
		For:   (*candidate).isLoop, Holds: (*candidate).ownArguments,
	}, {
		ID: "reads-again", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"idiom.desk.Shown"},
		For:   (*candidate).areReads, Holds: (*candidate).readsAgain,
	}, {
		ID: "unused-answer", Kind: rule.Excludes, Mechanism: rule.NoDependency,
		Cases: []string{"idiom.desk.PopIfAny", "benign.Runner.Discard"},
		For:   (*candidate).areReads, Holds: (*candidate).unusedAnswer,
	}, {
		ID: "some-callers", Kind: rule.Excludes, Mechanism: rule.Definition,
		Cases: []string{"calls.plant.maybe", "benign.Station.rise"},
		Holds: (*candidate).someCallers,
	}, {
		ID: "alone", Kind: rule.Excludes, Mechanism: rule.Lifecycle,
		Cases: []string{"doubts.left"},
		Holds: (*candidate).alone,
	}, {
		ID: rivalRule, Kind: rule.Requires, Mechanism: rule.OuterLock,
		Cases: []string{"idiom.writer.Trim", "messages.Dam.Own"},
		Holds: (*candidate).hasRival,
	}, {
		ID: "deep", Kind: rule.DoubtsStrongly, Mechanism: rule.Distance, Doubt: finding.Deep,
		Cases: []string{"doubts.plant.Deep", "calls.plant.Called"},
		Holds: (*candidate).deep,
	}, {
		ID: "unprotected", Kind: rule.DoubtsStrongly, Mechanism: rule.NoDependency,
		Doubt: "the outer lock protects nothing that comes of the two",
		Cases: []string{"doubts.plant.show", "flow.Loop"},
		Holds: (*candidate).unprotected,
	}, {
		ID: "serializer", Kind: rule.DoubtsStrongly, Mechanism: rule.OuterLock,
		Doubt: "the outer lock guards no variable",
		Cases: []string{"doubts.List.Flush"},
		Holds: (*candidate).serializes,
	}, {
		ID: "rounds", Kind: rule.DoubtsStrongly, Mechanism: rule.NoDependency,
		Doubt: "each round may be a step of its own",
		Cases: []string{"flow.journal.SyncSome"},
		For:   (*candidate).isLoop, Holds: (*candidate).roundsSteered,
	}, {
		ID: "only-decides", Kind: rule.DoubtsStrongly, Mechanism: rule.NoDependency,
		Doubt: "the first only decides that there is a second, about another variable",
		Cases: []string{"doubts.plant.Top", "flow.clerk.Wide"},
		Holds: (*candidate).onlyDecides,
	}, {
		ID: "undecided", Kind: rule.DoubtsStrongly, Mechanism: rule.NoDependency,
		Doubt: "the second does not go by what the first has found",
		Cases: []string{"doubts.plant.Waste", "flow.clerk.Forget"},
		For:   (*candidate).isWrite, Holds: (*candidate).undecided,
	},
}

const rivalRule = "rival"

// rules returns those that the flags ask for: without a rival a finding is of style.
func rules() rule.Set[*candidate] {
	if !stylistic && !pattern {
		return allRules
	}
	return slices.DeleteFunc(slices.Clone(allRules), func(r rule.Rule[*candidate]) bool { return r.ID == rivalRule })
}
