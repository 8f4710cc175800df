package viewconsistency

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
)

// viewRules are those of the first paper, which tells nothing apart: -rw=false asks
// no others.
var viewRules = rule.Set[*candidate]{
	{
		ID: "read-of-written", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"doubts.gauge.Range", "doubts.index.Deep"},
		Holds: func(c *candidate) bool { return c.relation == readsOfWritten },
	}, {
		ID: "read-of-nested", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"objects.club.Snapshot"},
		Holds: func(c *candidate) bool { return c.relation == readsOfNested },
	}, {
		ID: "read-of-stored", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"nearmiss.dataset.Cells", "atomics.Enabled"},
		Holds: func(c *candidate) bool { return c.relation == readsOfStored },
	}, {
		ID: "read-of-published", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"publication.Shop.Order", "publication.Shop.Look"},
		Holds: (*candidate).readsPublished,
	}, {
		ID: "read-of-replaced", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"parts.Badge", "parts.Desk.Label"},
		Holds: (*candidate).replaces,
	}, {
		ID: "read-of-one", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"twice.Scheduler.Handle"},
		Holds: func(c *candidate) bool { return c.relation == readsOfOne },
	}, {
		ID: "read-of-moved", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"total.Ferry.Sheet"},
		Holds: (*candidate).movesElements,
	}, {
		ID: "write-of-joined", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"nearmiss.NewSession", "nearmiss.Wipe"},
		Holds: func(c *candidate) bool { return c.relation == writesOfJoined },
	}, {
		ID: "write-of-written", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"nearmiss.rover.Go"},
		Holds: func(c *candidate) bool { return c.relation == writesOfWritten },
	}, {
		ID: "write-of-read", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"uncorrelated.pair.Fill"},
		Holds: func(c *candidate) bool { return c.relation == writesOfRead },
	}, {
		ID: "use-of-used", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"tables.controls.claimUp", "tables.controls.claimDown"},
		Holds: func(c *candidate) bool { return c.relation == usesOfUsed },
	}, {
		ID: "one-instruction", Kind: rule.Excludes, Mechanism: rule.Definition, Scope: rule.Accesses,
		Cases: []string{"tables.controls.lift"},
		Holds: (*candidate).oneInstruction,
	}, {
		ID: "concurrent", Kind: rule.Requires, Mechanism: rule.Join,
		Cases: []string{"tables.ex7.c", "tables.ex7.d"},
		Holds: (*candidate).concurrent,
	}, {
		ID: "lock-of-view-held", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"nearmiss.schema.Check"},
		Holds: (*candidate).lockOfViewHeld,
	}, {
		ID: "confined", Kind: rule.Excludes, Mechanism: rule.SingleWriter,
		Cases: []string{"confined.window.shift"},
		Holds: (*candidate).confined,
	}, {
		ID: "handed-over", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"confined.Press.Print"},
		Holds: (*candidate).handedOver,
	}, {
		ID: "frozen", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"confined.Box.Share"},
		Holds: (*candidate).frozen,
	},
}

// orderRules are added to them where reads and writes are distinguished; -correlation=false
// asks no others.
var orderRules = rule.Set[*candidate]{
	{
		ID: "section-ends", Kind: rule.Requires, Mechanism: rule.Definition, Scope: rule.Accesses,
		Cases: []string{"known.pages.Anew"},
		Holds: (*candidate).sectionEnds,
	},
}

// correlationRules are what the papers do not have: whether the two belong together,
// and whether a change in between does harm.
var correlationRules = rule.Set[*candidate]{
	{
		ID: "setting-up", Kind: rule.Excludes, Mechanism: rule.Lifecycle, Scope: rule.Accesses,
		Cases: []string{"program.main"},
		For:   (*candidate).isWrite, Holds: (*candidate).settingUp,
	}, {
		ID: "kept-consistent", Kind: rule.Requires, Mechanism: rule.Unrelated, Scope: rule.Locations,
		Cases: []string{"idiom.client.Settings", "writes.prices.Add"},
		Holds: (*candidate).keptConsistent,
	}, {
		ID: "whole-step", Kind: rule.Excludes, Mechanism: rule.Definition, Scope: rule.Accesses,
		Cases: []string{"idiom.lease.Finish"},
		Holds: (*candidate).wholeStep,
	}, {
		ID: "blind-writes", Kind: rule.Requires, Mechanism: rule.NoDependency, Scope: rule.Accesses,
		Cases: []string{"idiom.rover.Go"},
		For:   (*candidate).isWrite, Holds: (*candidate).blindWrites,
	}, {
		ID: "latches", Kind: rule.Excludes, Mechanism: rule.Monotone, Scope: rule.Locations,
		Cases: []string{"idiom.lifecycle.Stop", "writes.door.Shut"},
		For:   (*candidate).isWrite, Holds: (*candidate).latches,
	}, {
		ID: "shut-off", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"toggle.Booth.Shut"},
		For:   (*candidate).isWrite, Holds: (*candidate).shutOff,
	}, {
		ID: "freed-last", Kind: rule.Excludes, Mechanism: rule.InProgress,
		Cases: []string{"toggle.Wall.paint"},
		For:   (*candidate).isWrite, Holds: (*candidate).freedLast,
	}, {
		ID: "rest-asked-for", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"writes.sandboxes.Launch"},
		For:   (*candidate).isWrite, Holds: (*candidate).restAskedFor,
	}, {
		ID: "one-source", Kind: rule.Requires, Mechanism: rule.NoDependency, Scope: rule.Accesses,
		Cases: []string{"writes.prices.AddTwo", "writes.prices.WipeTwo"},
		For:   (*candidate).isWrite, Holds: (*candidate).oneSource,
	}, {
		ID: "subscription", Kind: rule.Excludes, Mechanism: rule.Revalidated, Scope: rule.Accesses,
		Cases: []string{"idiom.topic.Watch"},
		For:   (*candidate).isRead, Holds: (*candidate).subscription,
	}, {
		ID: "published-last", Kind: rule.Excludes, Mechanism: rule.NotPublished,
		Cases: []string{"idiom.dataset.Cells"},
		For:   (*candidate).isRead, Holds: (*candidate).publishedLast,
	}, {
		ID: "with-the-movement", Kind: rule.Excludes, Mechanism: rule.NoDependency,
		Cases: []string{"idiom.jobs.Find"},
		For:   (*candidate).isContent, Holds: (*candidate).withTheMovement,
	}, {
		ID: "kept-parts", Kind: rule.Excludes, Mechanism: rule.Unrelated,
		Cases: []string{"parts.Plan.Greeting"},
		For:   (*candidate).replaces, Holds: (*candidate).keptParts,
	}, {
		ID: "keyed-by-first", Kind: rule.Excludes, Mechanism: rule.Unrelated, Scope: rule.Accesses,
		Cases: []string{"idiom.ledger.Head"},
		For:   (*candidate).isRead, Holds: (*candidate).keyedByFirst,
	}, {
		ID: "part-of-first", Kind: rule.Excludes, Mechanism: rule.Unrelated, Scope: rule.Accesses,
		Cases: []string{"idiom.sender.Next"},
		For:   (*candidate).isRead, Holds: (*candidate).partOfFirst,
	}, {
		ID: "joined", Kind: rule.Requires, Mechanism: rule.NoDependency, Scope: rule.Accesses,
		Cases: []string{"idiom.jobs.Find", "idiom.jobs.Has"},
		For:   (*candidate).isRead, Holds: (*candidate).joined,
	}, {
		ID: "counters", Kind: rule.Excludes, Mechanism: rule.Statistics, Scope: rule.Accesses,
		Cases: []string{"idiom.traffic.Report"},
		For:   (*candidate).isRead, Holds: (*candidate).counters,
	}, {
		ID: "only-added-to", Kind: rule.Excludes, Mechanism: rule.RelativeUpdate,
		Cases: []string{"idiom.shipper.Flush"},
		For:   (*candidate).isRead, Holds: (*candidate).onlyAddedTo,
	}, {
		ID: "memoized", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"client.Fees"},
		For:   (*candidate).isRead, Holds: (*candidate).memoized,
	}, {
		ID: "version-compared", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"idiom.pages.Both", "idiom.pages.InLine"},
		For:   (*candidate).isRead, Holds: (*candidate).versionCompared,
	}, {
		ID: "version-first", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"idiom.rollout.Enabled", "versions.Locked.Enabled"},
		For:   (*candidate).isRead, Holds: (*candidate).versionFirst,
	}, {
		ID: "deep", Kind: rule.DoubtsStrongly, Mechanism: rule.Distance, Doubt: finding.Deep,
		Cases: []string{"doubts.index.Deep"},
		Holds: (*candidate).deep,
	}, {
		ID: "long-operation", Kind: rule.DoubtsStrongly, Mechanism: rule.SingleWriter,
		Doubt: finding.Assumed,
		Cases: []string{"doubts.Plant.Report"},
		For:   (*candidate).isRead, Holds: (*candidate).longOperation,
	}, {
		ID: "foreign-choice", Kind: rule.DoubtsStrongly, Mechanism: rule.Unrelated,
		Doubt: finding.Chosen,
		Cases: []string{"doubts.Span"},
		Holds: (*candidate).chosen,
	}, {
		ID: "many-variables", Kind: rule.DoubtsStrongly, Mechanism: rule.Unrelated,
		Doubt: "the two are together in one that has many",
		Cases: []string{"doubts.state.Sum"},
		Holds: (*candidate).manyVariables,
	}, {
		ID: "mostly-apart", Kind: rule.DoubtsStrongly, Mechanism: rule.Unrelated,
		Doubt: "most others write only one of the two",
		Cases: []string{"doubts.gauge.Range", "doubts.span"},
		For:   (*candidate).isContent, Holds: (*candidate).mostlyApart,
	}, {
		ID: "lock-free", Kind: rule.DoubtsStrongly, Mechanism: rule.NoDependency,
		Doubt: "both are read without the lock of the writers, and each decides for itself",
		Cases: []string{"doubts.booth.Free"},
		For:   (*candidate).isRead, Holds: (*candidate).lockFree,
	}, {
		ID: "only-removed", Kind: rule.DoubtsStrongly, Mechanism: rule.Lifecycle,
		Doubt: "what they tell of is only removed",
		Cases: []string{"doubts.registry.Sum"},
		For:   (*candidate).isRead, Holds: (*candidate).onlyRemoved,
	}, {
		ID: "presence-asked", Kind: rule.DoubtsStrongly, Mechanism: rule.Revalidated,
		Doubt: "the second is asked whether it is there",
		Cases: []string{"doubts.driver.Size", "doubts.index.Ends"},
		For:   (*candidate).isRead, Holds: (*candidate).presenceAsked,
	}, {
		ID: "of-many", Kind: rule.DoubtsStrongly, Mechanism: rule.Statistics,
		Doubt: "both are computed over many objects, and others change one of them",
		Cases: []string{"doubts.fleet.Range"},
		For:   (*candidate).isRead, Holds: (*candidate).ofMany,
	}, {
		ID: "two-properties", Kind: rule.DoubtsStrongly, Mechanism: rule.Statistics,
		Doubt: "the two are only told together",
		Cases: []string{"twice.Journal.At"},
		Holds: (*candidate).toldTogether,
	}, {
		ID: "uncombined", Kind: rule.Doubts, Mechanism: rule.NoDependency,
		Doubt: "nothing is computed from the two",
		Cases: []string{"doubts.driver.Size", "doubts.index.Ends"},
		For:   (*candidate).isRead, Holds: (*candidate).uncombined,
	},
}

// rules returns those that the flags ask for.
func rules() scopedRules {
	set := viewRules
	if readWrite {
		set = slices.Concat(set, orderRules)
	}
	if readWrite && correlation {
		set = slices.Concat(set, correlationRules)
	}
	return scopedRules{set, set.Within(rule.Locations), set.Within(rule.Accesses)}
}
