package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
)

// dependences make candidates of a read and a write that depends on it. The first one
// that holds is the link.
var dependences = rule.Set[*pair]{
	{
		ID: "update-of-cell", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"mechanisms.gauge.grow", "atomics.List.Count"},
		Holds: (*pair).updates,
	},
	{
		ID: "decision-on-cell", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"mechanisms.dial.LimitAndTell", "mechanisms.dial.TurnAndTell"},
		Holds: (*pair).decidesOnCell,
	},
	{
		ID: "wait-on-cell", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"reach.fork.TakeIf", "locks.Queue.Count"},
		Holds: (*pair).waitsOnCell,
	},
	{
		ID: "sum-of-elements", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"mechanisms.ledger.SinceOpening"},
		Holds: (*pair).sums,
	},
	{
		ID: "tally-of-elements", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"skew.Fleet.Drain", "skew.Purse.Pay"},
		Holds: (*pair).isTally,
	},
	{
		ID: "removed-element", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"handoff.Grants.Sweep"},
		Holds: (*pair).removesChosen,
	},
	{
		ID: "made-element", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"keys.desk.Issue"},
		Holds: (*pair).insertsMade,
	},
	{
		ID: "revivable-object", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"pools.Items.Put"},
		Holds: (*pair).isRevivable,
	},
	{
		ID: "abandoned-object", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"pools.Tails.Remove"},
		Holds: (*pair).abandons,
	},
	{
		ID: "outdated-removal", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"keys.Lessor.Check"},
		Holds: (*pair).removesOutdated,
	},
	{
		ID: "crossed-transition", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"counters.Roster.Leave", "counters.Relay.Leave"},
		Holds: (*pair).crossesTransition,
	},
	{
		ID: "joint-location", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"mechanisms.crew.Idle", "mechanisms.playlist.Copy"},
		Holds: (*pair).isJoint,
	},
	{
		ID: "value-in-section", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"mechanisms.journal.Save", "doubts.gate.Note"},
		Holds: (*pair).valueIsHandled,
	},
	{
		ID: "choice-in-section", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"mechanisms.journal.Start"},
		Holds: (*pair).choiceIsHandled,
	},
	{
		ID: "told-by-flag", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"told.Kiln.Heat"},
		Holds: (*pair).isTold,
	},
	{
		ID: "outlived-pool", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"pools.Pool.Add"},
		Holds: (*pair).outlives,
	},
	{
		ID: "missed-shutdown", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"mechanisms.valve.Open", "mechanisms.radio.Play"},
		Holds: (*pair).missesShutdown,
	},
	{
		ID: "missed-drain", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"shutdowns.Runner.Accept"},
		Holds: (*pair).countsAfterDrain,
	},
	{
		ID: "late-registration", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"published.Hub.Connect"},
		Holds: (*pair).registersLate,
	},
	{
		ID: "written-together", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"mechanisms.office.Call", "mechanisms.catalog.Touch"},
		Holds: (*pair).isWrittenTogether,
	},
	{
		ID: "rebuilt-container", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"mechanisms.directory.Rebuild"},
		Holds: (*pair).rebuilds,
	},
	{
		ID: "disordered-list", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"replies.Feed.Publish", "replies.Feed.PublishDrawn"},
		Holds: (*pair).isDisordered,
	},
	{
		ID: "unordered-store", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"replies.Window.Ack"},
		Holds: (*pair).isUnordered,
	},
	{
		ID: "outdated-result", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"replies.Gateway.apply"},
		Holds: (*pair).isOutdated,
	},
	{
		ID: "cache-of-value", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"syncmap.Router.Lookup"},
		Holds: (*pair).caches,
	},
	{
		ID: "mutual-check", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"skew.Keeper.Backup"},
		Holds: (*pair).isMutual,
	},
}

// effectLinks make candidates of a read and an effect that it decides about.
var effectLinks = rule.Set[*pair]{
	{
		ID: "double-start", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"acts.Syncer.Kick", "acts.Link.Connect", "acts.Monitor.Watch"},
		Holds: (*pair).startsTwice,
	},
	{
		ID: "missed-start", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"acts.Worksite.Submit"},
		Holds: (*pair).startsUncounted,
	},
	{
		ID: "closed-channel", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"acts.Feed.Publish"},
		Holds: (*pair).sendsAfterClose,
	},
	{
		ID: "drained-channel", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"acts.Press.Print"},
		Holds: (*pair).sendsAfterDrain,
	},
	{
		ID: "late-wait", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"acts.Hall.Enter"},
		Holds: (*pair).waitsLate,
	},
	{
		ID: "late-addition", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"acts.Server.Handle"},
		Holds: (*pair).addsAfterWait,
	},
	{
		ID: "ended-object", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"acts.Filter.Write"},
		Holds: (*pair).usesAfterEnd,
	},
}

// drained makes candidates of a look at all that is there, and its removal. That there was something may
// decide about the removal.
var drained = rule.Set[*pair]{
	{
		ID: "drained-late", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"drained.Outbox.Flush", "drained.Outbox.FlushSome"},
		Holds: (*pair).drains,
	},
}

// drops make candidates of the first element of a queue, and its removal.
var drops = rule.Set[*pair]{
	{
		ID: "late-drop", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"drained.Depot.Ship"},
		Holds: (*pair).dropsLate,
	},
}

// discards make candidates of an object that was read, and the removal or replacement of what is in its place, whatever that
// is by then.
var discards = rule.Set[*pair]{
	{
		ID: "other-object", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"discarded.Link.Send", "discarded.Pool.Send"},
		Holds: (*pair).discardsOther,
	},
	{
		ID: "late-exchange", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"discarded.Slots.Set", "discarded.Slots.Reset"},
		Holds: (*pair).exchangesLate,
	},
}

// fills make candidates of a miss and what is put there from a store.
var fills = rule.Set[*pair]{
	{
		ID: "outdated-fill", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"memo.Glossary.Lookup"},
		Holds: (*pair).fillsOutdated,
	},
}

// resets make candidates of what is taken out, and the reset of its count.
var resets = rule.Set[*pair]{
	{
		ID: "late-reset", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"drained.Mailer.run"},
		Holds: (*pair).resetsLate,
	},
	{
		ID: "late-zero", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"drained.Window.roll"},
		Holds: (*pair).zeroesLate,
	},
}

// skews make candidates of a read and a write that does not depend on it.
var skews = rule.Set[*pair]{
	{
		ID: "write-skew", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"mechanisms.tank.Resize", "reach.session.Open"},
		Holds: (*pair).isSkewed,
	},
	{
		ID: "late-seal", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"steps.Auction.Settle"},
		Holds: (*pair).sealsLate,
	},
}

// counts make candidates of the look-up of an object and a later change of what keeps it where it was
// found.
var counts = rule.Set[*pair]{
	{
		ID: "late-count", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"counted.Cabinet.Borrow", "counted.Library.Open"},
		Holds: (*pair).countsLate,
	},
	{
		ID: "late-member", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"counted.Hub.Join"},
		Holds: (*pair).entersLate,
	},
	{
		ID: "late-fill", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"counted.Totals.Observe", "counted.Tables.Put"},
		Holds: (*pair).fillsLate,
	},
}

// lookups make candidates of two look-ups of an element.
var lookups = rule.Set[*pair]{
	{
		ID: "unchecked-lookup", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"mechanisms.shelf.Pages", "mechanisms.team.Score"},
		Holds: (*pair).looksUpAgain,
	},
	{
		ID: "unchecked-member", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"stale.Shares.Filter"},
		Holds: (*pair).looksUpMember,
	},
	{
		ID: "unchecked-reload", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"reload.Line.Send", "reload.Line.Share"},
		Holds: (*pair).readsAgain,
	},
}

// indices make candidates of a read of a list and a use of an index that depends on it.
var indices = rule.Set[*pair]{
	{
		ID: "stale-index", Kind: rule.Reports, Mechanism: rule.Definition,
		Cases: []string{"positions.Stack.Top", "positions.Stack.Drop"},
		Holds: (*pair).usesStaleIndex,
	},
}

// staleRules decide about acts on stale values.
var staleRules = slices.Concat(sectionRules, revalidationRules, outdatedRules, ownershipRules, rivalryRules, decisionRules, idempotent, tallies, memoRules, doubtRules)

var sectionRules = rule.Set[*candidate]{
	{
		ID: "reported-in-callee", Kind: rule.Excludes, Mechanism: rule.Definition,
		Cases: []string{"mechanisms.gauge.Double"},
		Holds: (*candidate).actedOn,
	},
	{
		ID: "outer-section", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"pools.Pool.AddChecked"},
		For:   of(abandonedObject, outlivedPool, uncheckedLookup, uncheckedMember, uncheckedReload, staleIndex),
		Holds: (*candidate).inOneSection,
	},
	{
		ID: "log-line", Kind: rule.Excludes, Mechanism: rule.NoDependency,
		Cases: []string{"precise.Board.Tell"},
		For:   dependent,
		Holds: (*candidate).isLogLine,
	},
	{
		ID: "only-looks", Kind: rule.Requires, Mechanism: rule.NoDependency,
		Cases: []string{"mechanisms.journal.StartCounted"},
		For:   of(choiceInSection),
		Holds: (*candidate).onlyLooks,
	},
	{
		ID: "act-guard-held", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"mechanisms.directory.RebuildLocked"},
		For:   of(writtenTogether, rebuiltContainer, cacheOfValue, mutualCheck),
		Holds: (*candidate).actGuardHeld,
	},
	{
		ID: "only-key", Kind: rule.Excludes, Mechanism: rule.NoDependency,
		Cases: []string{"mechanisms.playlist.Rate"},
		For:   func(c *candidate) bool { return dependent(c) && c.link != drainedLate },
		Holds: (*candidate).onlyKey,
	},
}

var revalidationRules = rule.Set[*candidate]{
	{
		ID: "compare-and-swap", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"atomics.Stats.ScaleLoop", "atomics.Stats.WatchLoop"},
		// What is compared is not what was read, but another variable, or which object is there.
		For: func(c *candidate) bool {
			return c.link != mutualCheck && c.link != revivableObject && c.link != outdatedFill
		},
		Holds: (*candidate).isSwap,
	},
	{
		ID: "once", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"mechanisms.client.Dial"},
		Holds: (*candidate).isOnce,
	},
	{
		ID: "callee-looks", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"idiom.Door.Slam", "reach.registry.Forget"},
		For:   dependentOfWhole,
		Holds: (*candidate).calleeLooks,
	},
	{
		ID: "closed-refused", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"shutdowns.Front.Admit"},
		For:   of(missedShutdown),
		Holds: (*candidate).refusesClosed,
	},
	{
		ID: "context-passed", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"told.Conn.FailIn"},
		For:   dependent,
		Holds: (*candidate).passesContext,
	},
	{
		ID: "insert-if-absent", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"precise.Roll.Enter"},
		For:   dependent,
		Holds: (*candidate).insertsIfAbsent,
	},
	{
		ID: "newer", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"precise.Paper.Append"},
		For:   dependent,
		Holds: (*candidate).takesNewer,
	},
	{
		ID: "extreme", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"callees.larger.Offer"},
		For:   dependent,
		Holds: (*candidate).takesExtreme,
	},
	{
		ID: "empties-object", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"mechanisms.catalog.Remove"},
		For:   dependent,
		Holds: (*candidate).emptiesObject,
	},
	{
		ID: "changes-object", Kind: rule.Excludes, Mechanism: rule.RelativeUpdate,
		Cases: []string{"pools.Tails.Sweep"},
		For:   dependent,
		Holds: (*candidate).changesObject,
	},
	{
		ID: "object-claimed", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"idiom.Phone.Deliver"},
		For:   dependent,
		Holds: (*candidate).objectClaimed,
	},
	{
		ID: "object-locked", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"pools.Streams.Sweep", "programs.Rooms.Enter"},
		For:   func(c *candidate) bool { return dependent(c) || c.link.keeps() },
		Holds: (*candidate).objectLocked,
	},
	{
		ID: "counted-back", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"counted.Scripts.Run"},
		// The count says nothing of what is in the object.
		For:   (*candidate).testsPresence,
		Holds: (*candidate).givesBackCount,
	},
	{
		ID: "receiver-compares", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"handoff.Careful.Halve"},
		// To find the element is no look at what it was chosen by.
		For:   func(c *candidate) bool { return atDistance(c) && c.link != removedElement },
		Holds: (*candidate).receiverCompares,
	},
	{
		ID: "second-look", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"callees.Balance.WithRecheck", "callees.Journal.HeadAgain"},
		For:   dependent,
		Holds: (*candidate).looksAgain,
	},
	{
		ID: "filters-anew", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"mechanisms.market.Expire"},
		For:   decision,
		Holds: (*candidate).filtersAnew,
	},
	{
		ID: "checked-afterwards", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"published.Hub.ConnectAndLook"},
		For:   of(lateRegistration, missedShutdown, missedDrain, outlivedPool, jointLocation),
		Holds: (*candidate).asksAfterwards,
	},
	{
		ID: "serial-key", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"serial.Gateway.Push"},
		For:   decision,
		Holds: (*candidate).removesSerial,
	},
	{
		ID: "version-afterwards", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"presence.Store.Login"},
		For:   dependent,
		Holds: (*candidate).comparesAfterwards,
	},
	{
		ID: "effect-claimed", Kind: rule.Excludes, Mechanism: rule.InProgress,
		Cases: []string{"acts.Monitor.WatchIf"},
		For:   func(c *candidate) bool { return c.effect != nil },
		Holds: (*candidate).claimsEffect,
	},
	{
		ID: "version", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"pools.Source.Refresh", "idiom.Page.Render"},
		For:   func(c *candidate) bool { return (dependent(c) || c.link == outdatedFill) && c.link != tallyOfElements },
		Holds: (*candidate).comparesVersion,
	},
	{
		ID: "section-handles", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"mechanisms.tank.ResizeAnew"},
		For:   of(writeSkew),
		Holds: (*candidate).sectionHandles,
	},
	{
		ID: "asks-again", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"stale.Book.PositionChecked", "stale.Shares.FilterIfThere"},
		For:   of(uncheckedLookup, uncheckedMember, uncheckedReload),
		Holds: (*candidate).asksAgain,
	},
	{
		ID: "puts-there", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"mechanisms.team.ScoreAnyway"},
		For:   of(uncheckedLookup, uncheckedMember, uncheckedReload),
		Holds: (*candidate).putsThere,
	},
}

// outdatedRules are about fills from a store.
var outdatedRules = rule.Set[*candidate]{
	{
		ID: "asks-remover", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"memo.Glossary.LookupUnlessStale"},
		For:   of(outdatedFill),
		Holds: (*candidate).asksRemover,
	},
	{
		ID: "takes-back", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"memo.Glossary.LookupOrDrop"},
		For:   of(outdatedFill),
		Holds: (*candidate).removesFill,
	},
}

var ownershipRules = rule.Set[*candidate]{
	{
		ID: "taken", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"reach.tally.PutBack"},
		// The table may be filled where nothing was found, and who removes takes no part in it.
		For: func(c *candidate) bool {
			return !c.link.keeps() && c.link != lateReset && c.link != otherObject && c.link != outdatedFill && c.link != crossedTransition
		},
		Holds: (*candidate).takes,
	},
	{
		ID: "reserved", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"known.Light.Leave"},
		For: func(c *candidate) bool {
			return dependent(c) && c.link != revivableObject && c.link != crossedTransition && !c.link.orders()
		},
		Holds: (*candidate).reservesOnly,
	},
	{
		ID: "own-registration", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"handoff.Mailbox.Poll"},
		Holds: (*candidate).takesOwnOut,
	},
	{
		ID: "removed-by-order", Kind: rule.Requires, Mechanism: rule.Lifecycle,
		Cases: []string{"keys.Court.Close"},
		For:   of(outdatedRemoval),
		Holds: (*candidate).isOrdered,
	},
	{
		ID: "stays-beyond", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"keys.Court.Blame"},
		For:   of(outdatedRemoval),
		Holds: (*candidate).staysBeyond,
	},
	{
		ID: "marked-dead", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"pools.Tails.RemoveDead"},
		For:   of(abandonedObject, outdatedRemoval),
		Holds: (*candidate).marksDead,
	},
}

var rivalryRules = rule.Set[*candidate]{
	{
		ID: "writers-lock", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"mechanisms.worker.Begin"},
		For:   dependent,
		Holds: (*candidate).underWritersLock,
	},
	{
		ID: "relative", Kind: rule.Excludes, Mechanism: rule.RelativeUpdate,
		Cases: []string{"client.Lower", "client.LowerTo"},
		// To append is to add something, and what it is added behind matters.
		For:   func(c *candidate) bool { return dependentOfWhole(c) && c.link != disorderedList },
		Holds: (*candidate).takesOnlyWhatWasRead,
	},
	{
		ID: "preferred", Kind: rule.Excludes, Mechanism: rule.RelativeUpdate,
		Cases: []string{"claim.Lines.Dial"},
		For:   decision,
		Holds: (*candidate).notesPreferred,
	},
	{
		ID: "receiver-adds", Kind: rule.Excludes, Mechanism: rule.RelativeUpdate,
		Cases: []string{"handoff.Careful.Double"},
		For:   atDistance,
		Holds: (*candidate).receiverAdds,
	},
	{
		ID: "relative-elsewhere", Kind: rule.Excludes, Mechanism: rule.RelativeUpdate,
		Cases: []string{"mechanisms.office.Add"},
		For:   of(writtenTogether, rebuiltContainer, cacheOfValue),
		Holds: (*candidate).isRelativeElsewhere,
	},
	{
		ID: "inserts-only", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"mechanisms.registry.Activate"},
		For:   func(c *candidate) bool { return c.link != writeSkew },
		Holds: (*candidate).insertsOnly,
	},
	{
		ID: "rival", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"claim.Store.save", "covered.Shelf.Follow"},
		Holds: (*candidate).hasRival,
	},
}

// decisionRules are about acts that are decided by what was read.
var decisionRules = rule.Set[*candidate]{
	{
		ID: "comes-around", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"weird.wide.nest"},
		For:   func(c *candidate) bool { return decision(c) || c.link == writeSkew },
		Holds: (*candidate).comesAround,
	},
	{
		ID: "final", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"mechanisms.index.Measure"},
		For:   decision,
		Holds: (*candidate).isFinal,
	},
	{
		ID: "grows-for-next-look", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"precise.Seats.Take"},
		For:   decision,
		Holds: (*candidate).growsForNextLook,
	},
	{
		ID: "flag-cleared", Kind: rule.Excludes, Mechanism: rule.InProgress,
		Cases: []string{"mechanisms.crew.Drain"},
		For:   decision,
		Holds: (*candidate).clears,
	},
	{
		ID: "balanced", Kind: rule.Excludes, Mechanism: rule.RelativeUpdate,
		Cases: []string{"pools.Limiter.Wait"},
		For:   decision,
		Holds: (*candidate).balances,
	},
	{
		ID: "transfers", Kind: rule.Excludes, Mechanism: rule.RelativeUpdate,
		Cases: []string{"precise.Quota.Put"},
		For:   decision,
		Holds: (*candidate).transfers,
	},
	{
		ID: "signed-off", Kind: rule.Excludes, Mechanism: rule.InProgress,
		Cases: []string{"mechanisms.crew.Do"},
		For:   decision,
		Holds: (*candidate).signsOff,
	},
	{
		ID: "claimed", Kind: rule.Excludes, Mechanism: rule.InProgress,
		Cases: []string{"mechanisms.crew.Run", "claim.Kite.Visit"},
		For: func(c *candidate) bool {
			return decision(c) && c.link != crossedTransition || c.link == updateOfCell && c.distant == nil || c.link == staleIndex
		},
		Holds: (*candidate).claims,
	},
	{
		ID: "elements-claimed", Kind: rule.Excludes, Mechanism: rule.InProgress,
		Cases: []string{"claim.Levels.Compact"},
		Holds: (*candidate).claimsElements,
	},
	{
		ID: "beside-idempotent", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"precise.Lease.Renew"},
		For:   decision,
		Holds: (*candidate).goesWithIdempotent,
	},
}

// idempotent are the rules about acts that can as well be done twice.
var idempotent = rule.Set[*candidate]{
	{
		ID: "clock", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"idiom.Server.Touch"},
		For:   onCell,
		Holds: (*candidate).setsClock,
	},
	{
		ID: "refill", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"idiom.Directory.Match"},
		For:   onCell,
		Holds: (*candidate).refills,
	},
	{
		ID: "set-if-different", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"mechanisms.dial.Turn"},
		For:   onCell,
		Holds: (*candidate).setsIfDifferent,
	},
	{
		ID: "remove-present", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"idiom.Cache.Drop", "idiom.Lobby.Broadcast"},
		For:   onCell,
		Holds: (*candidate).removesPresent,
	},
	{
		ID: "set-constant", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"mechanisms.dial.Limit"},
		For:   onCell,
		Holds: (*candidate).setsConstant,
	},
	{
		ID: "latch-on-failure", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"idiom.Fleet.Sail"},
		For:   onCell,
		Holds: (*candidate).latchesOnFailure,
	},
	{
		ID: "slot", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"memo.Sums.Of"},
		For:   onCell,
		Holds: (*candidate).fillsSlot,
	},
	{
		ID: "made-alike", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"keys.shelf.Parsed"},
		For:   of(madeElement),
		Holds: (*candidate).isMadeAlike,
	},
	{
		ID: "put-same", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"known.word.Hash"},
		For:   onCell,
		Holds: (*candidate).putsSame,
	},
}

// tallies are the rules about acts that only count.
var tallies = rule.Set[*candidate]{
	{
		ID: "tally", Kind: rule.Excludes, Mechanism: rule.Statistics,
		Cases: []string{"counters.Rates.Lookup"},
		For:   decision,
		Holds: (*candidate).onlyTallies,
	},
}

// memoRules are about values that are computed from what does not change.
var memoRules = rule.Set[*candidate]{
	{
		ID: "fill-memo", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"memo.Word.Length"},
		For:   dependent,
		Holds: (*candidate).fillsMemo,
	},
	{
		ID: "only-filled", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"memo.Cache.Compile"},
		For:   onCell,
		Holds: (*candidate).onlyFills,
	},
}

// doubtRules say what speaks against a finding. Their order is that of the message.
var doubtRules = rule.Set[*candidate]{
	{
		ID: "contract", Kind: rule.DoubtsStrongly, Mechanism: rule.SingleWriter,
		Doubt: "it is documented not to run beside itself",
		Cases: []string{"confined.Log.write"},
		For:   ofRead,
		Holds: (*candidate).isSerial,
	},
	{
		ID: "decides-itself", Kind: rule.Doubts, Mechanism: rule.Revalidated,
		Doubt: "the act is also decided by what it finds then",
		Cases: []string{"doubts.gate.Put"},
		For:   ofWhole,
		Holds: (*candidate).decidesItself,
	},
	{
		ID: "deep", Kind: rule.DoubtsStrongly, Mechanism: rule.Distance,
		Doubt: finding.Deep,
		Cases: []string{"doubts.store.Deep", "doubts.gate.Open"},
		Holds: (*candidate).isDeep,
	},
	{
		ID: "long-operation", Kind: rule.DoubtsStrongly, Mechanism: rule.SingleWriter,
		Doubt: finding.Assumed,
		Cases: []string{"doubts.Driver.Start"},
		Holds: (*candidate).isLongOperation,
	},
	{
		ID: "foreign-choice", Kind: rule.DoubtsStrongly, Mechanism: rule.Unrelated,
		Doubt: finding.Chosen,
		Cases: []string{"doubts.Open"},
		Holds: (*candidate).isForeignChoice,
	},
	{
		ID: "ends-twice", Kind: rule.DoubtsStrongly, Mechanism: rule.Lifecycle,
		Doubt: "that two close it at once is only assumed of the callers",
		Cases: []string{"doubts.Lamp.Close"},
		Holds: (*candidate).endsTwice,
	},
	{
		ID: "forgetful", Kind: rule.DoubtsStrongly, Mechanism: rule.Idempotent,
		Doubt: "it is a cache of another package, which forgets by itself",
		Cases: []string{"doubts.Pages.Page"},
		Holds: (*candidate).fillsForgetful,
	},
	{
		ID: "atomic-step", Kind: rule.DoubtsStrongly, Mechanism: rule.Definition,
		Doubt: "the atomic variable is changed in a callee, which is a step of its own",
		Cases: []string{"atomics.Service.Run", "doubts.service.Run"},
		Holds: (*candidate).isAtomicStep,
	},
	{
		ID: "elsewhere", Kind: rule.Doubts, Mechanism: rule.Unrelated,
		Doubt: "it is another variable that is written",
		Cases: []string{"doubts.hub.Far", "doubts.gate.Note"},
		For:   ofWhole,
		Holds: (*candidate).isElsewhere,
	},
	{
		ID: "far-away", Kind: rule.DoubtsStrongly, Mechanism: rule.Distance,
		Doubt: "what is written belongs to another object, far from the first",
		Cases: []string{"doubts.hub.Far"},
		Holds: (*candidate).isFarAway,
	},
	{
		ID: "unrelated", Kind: rule.DoubtsStrongly, Mechanism: rule.Unrelated,
		Doubt: "the two are only used together here",
		Cases: []string{"doubts.gate.Note"},
		Holds: (*candidate).isUnrelated,
	},
	{
		ID: "asked-by-some", Kind: rule.DoubtsStrongly, Mechanism: rule.Idempotent,
		Doubt: "others do the same without a look",
		Cases: []string{"doubts.Spindle.Enough"},
		Holds: (*candidate).isAskedBySome,
	},
	{
		ID: "latch", Kind: rule.Doubts, Mechanism: rule.Monotone,
		Doubt: "it only becomes what others make it",
		Cases: []string{"doubts.gate.Open"},
		Holds: (*candidate).becomesLatch,
	},
	{
		ID: "failure", Kind: rule.DoubtsStrongly, Mechanism: rule.ErrorPath,
		Doubt: "what was read is only an error",
		Cases: []string{"detours.Config.Replace", "detours.Config.Flush"},
		For:   func(c *candidate) bool { return !c.asksForEnd() && c.link != drainedLate },
		Holds: (*candidate).isFailure,
	},
}

// rivalRules decide which writers can run in between.
var rivalRules = rule.Set[rival]{
	{
		ID: "lock-held", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"claim.Store.save", "covered.Shelf.Follow"},
		Holds: rival.needsHeld,
	},
	{
		ID: "concurrent", Kind: rule.Requires, Mechanism: rule.Lifecycle,
		Cases: []string{"idiom.Meter.run", "idiom.Scaler.step"},
		Holds: rival.isConcurrent,
	},
	{
		ID: "no-sender", Kind: rule.Excludes, Mechanism: rule.SingleWriter,
		Cases: []string{"handoff.Serial.Add"},
		For:   ofDistant,
		Holds: rival.hasNoSender,
	},
	{
		ID: "claimed-until-act", Kind: rule.Excludes, Mechanism: rule.InProgress,
		Cases: []string{"handoff.Pool.Refresh"},
		For:   ofDistant,
		Holds: rival.waitsForClaim,
	},
	{
		ID: "claimed-since", Kind: rule.Excludes, Mechanism: rule.InProgress,
		Cases: []string{"claim.Vault.Close"},
		For:   ofCandidate,
		Holds: rival.claimedSince,
	},
	{
		ID: "own-variable", Kind: rule.Excludes, Mechanism: rule.NotPublished,
		Cases: []string{"captured.Each"},
		For:   ofCandidate,
		Holds: rival.hasOwnVariable,
	},
	{
		ID: "confined", Kind: rule.Excludes, Mechanism: rule.SingleWriter,
		Cases: []string{"confined.Elector.try"},
		For:   ofCandidate,
		Holds: rival.isConfined,
	},
	{
		ID: "would-race", Kind: rule.Excludes, Mechanism: rule.SingleWriter,
		Cases: []string{"confined.Upload.Commit"},
		For:   ofCandidate,
		Holds: rival.wouldRace,
	},
	{
		ID: "handed-over", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"handed.Pool.Render", "handed.Works.attempt"},
		For:   ofCandidate,
		Holds: rival.isHandedOver,
	},
	{
		ID: "changes-element", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"handoff.Recent.Load"},
		For:   ofCandidate,
		Holds: rival.changesElement,
	},
	{
		ID: "waits-for-act", Kind: rule.Excludes, Mechanism: rule.Join,
		Cases: []string{"shutdowns.Outbox.run"},
		For:   ofCandidate,
		Holds: rival.waitsForAct,
	},
	{
		ID: "frozen", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"drained.Box.Publish"},
		For:   ofCandidate,
		Holds: rival.isFrozen,
	},
	{
		ID: "adds", Kind: rule.Requires, Mechanism: rule.Monotone,
		Cases: []string{"drained.Board.Clear"},
		For:   ofDrain,
		Holds: rival.adds,
	},
	{
		ID: "removes", Kind: rule.Requires, Mechanism: rule.Monotone,
		Cases: []string{"drained.Siding.run"},
		For:   func(r rival) bool { return r.candidate != nil && r.candidate.link == lateDrop },
		Holds: rival.removes,
	},
	{
		ID: "puts-another", Kind: rule.Requires, Mechanism: rule.Monotone,
		Cases: []string{"discarded.Wire.Send"},
		For:   func(r rival) bool { return r.candidate != nil && r.candidate.link == otherObject },
		Holds: rival.putsAnother,
	},
	{
		ID: "sealed", Kind: rule.Excludes, Mechanism: rule.Lifecycle,
		Cases: []string{"drained.Hub.Close"},
		For:   ofDrain,
		Holds: rival.isSealed,
	},
	{
		ID: "undone", Kind: rule.Requires, Mechanism: rule.Monotone,
		Cases: []string{"mechanisms.client.DialAgain"},
		For:   ofChange,
		Holds: rival.undoes,
	},
	{
		ID: "kept-present", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"outcomes.Book.Post"},
		For:   ofCandidate,
		Holds: rival.keepsPresent,
	},
	{
		ID: "kept-absent", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"presence.Files.doom"},
		For:   ofChange,
		Holds: rival.keepsAbsent,
	},
	{
		ID: "own-key", Kind: rule.Excludes, Mechanism: rule.KeyedLock,
		Cases: []string{"pools.Queue.Work"},
		For:   ofCandidate,
		Holds: rival.hasOwnKey,
	},
	{
		ID: "leaves-zero", Kind: rule.Requires, Mechanism: rule.Monotone,
		Cases: []string{"reload.Line.Name"},
		For:   ofReload,
		Holds: rival.leavesZero,
	},
	{
		ID: "moves", Kind: rule.Requires, Mechanism: rule.Monotone,
		Cases: []string{"positions.Log.Last"},
		For:   ofIndex,
		Holds: rival.moves,
	},
	{
		ID: "joint-flag", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"pools.Limited.Add"},
		For:   ofCandidate,
		Holds: rival.setsFlag,
	},
	{
		ID: "computed-anew", Kind: rule.Requires, Mechanism: rule.Definition,
		Cases: []string{"replies.Beacon.show"},
		For:   func(r rival) bool { return ofCandidate(r) && r.candidate.link == outdatedResult },
		Holds: rival.hasItComputed,
	},
	{
		ID: "remade", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"syncmap.Renderer.Sweep"},
		For:   func(r rival) bool { return ofCandidate(r) && r.candidate.link == outdatedRemoval },
		Holds: rival.isRemade,
	},
	{
		ID: "marks-removed", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"counted.Lobby.Enter"},
		For:   ofCandidate,
		Holds: rival.marksRemoved,
	},
	{
		ID: "changes-part", Kind: rule.Requires, Mechanism: rule.Ownership,
		Cases: []string{"escaperef.Peers.Frozen", "known.level.Append"},
		For:   ofReference,
		Holds: rival.changesPart,
	},
	{
		ID: "waits-for-readers", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"precise.Cells.Sum"},
		For:   ofReference,
		Holds: rival.waitsForReaders,
	},
}

// actRules decide which of the acts of a function on one read are reported.
var actRules = rule.Set[*firstAct]{
	{
		ID: "first-act", Kind: rule.Excludes, Mechanism: rule.Definition,
		Cases: []string{"atomics.List.Claim", "atomics.Service.Run"},
		Holds: (*firstAct).follows,
	},
}

// referenceRules decide about containers that escape from their critical section.
var referenceRules = rule.Set[*reference]{
	{
		ID: "guard-known", Kind: rule.Requires, Mechanism: rule.OuterLock,
		Cases: []string{"escaperef.Peers.Dump"},
		Holds: (*reference).knowsGuard,
	},
	{
		ID: "guarded-in-callee", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"params.Inbound"},
		Holds: (*reference).isGuardedInCallee,
	},
	{
		ID: "replaced", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"escaperef.Peers.Drain"},
		Holds: (*reference).isReplaced,
	},
	{
		ID: "element-rival", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"escaperef.Peers.Frozen", "escaperef.Peers.HasAgain"},
		Holds: (*reference).hasRival,
	},
}

// ownLoadRules decide about loads of a counter after an own update.
var ownLoadRules = rule.Set[*ownLoad]{
	{
		ID: "result-told-apart", Kind: rule.Requires, Mechanism: rule.Statistics,
		Cases: []string{"counters.Pool.Serve"},
		Holds: (*ownLoad).isIdentity,
	},
	{
		ID: "awaited", Kind: rule.Excludes, Mechanism: rule.Monotone,
		Cases: []string{"counters.Pool.Arrive"},
		Holds: (*ownLoad).comesAround,
	},
	{
		ID: "updater", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"counters.Pool.round"},
		Holds: (*ownLoad).hasRival,
	},
}

// lengthRules decide about operations on a channel whose length was asked.
var lengthRules = rule.Set[*askedLength]{
	{
		ID: "length-competes", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"lengths.Mailbox.PostAlone"},
		Holds: (*askedLength).competes,
	},
	{
		ID: "length-locked", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"lengths.Mailbox.PostAlone"},
		Holds: (*askedLength).excludes,
	},
	{
		ID: "length-rival", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"lengths.Worker.run"},
		Holds: (*askedLength).hasRival,
	},
}

// closeRules decide about closes of channels to which goroutines send.
var closeRules = rule.Set[*earlyClose]{
	{
		ID: "close-own", Kind: rule.Requires, Mechanism: rule.Ownership,
		Cases: []string{"closes.Hub.Drop", "closes.Ward.Cancel"},
		Holds: (*earlyClose).isOwn,
	},
	{
		ID: "close-replaced", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"closes.Gate.Close"},
		Holds: (*earlyClose).isReplaced,
	},
	{
		ID: "close-asked", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"closes.Gate.Stop"},
		Holds: (*earlyClose).isAsked,
	},
	{
		ID: "close-runs", Kind: rule.Requires, Mechanism: rule.Join,
		Cases: []string{"closes.Pump.StopAwaited", "closes.Pump.StopIfAny", "closes.Crew.Close", "closes.Desk.Close", "closes.Pair.end"},
		Holds: (*earlyClose).stillRuns,
	},
}

// secondCloseRules decide about closes of channels to which two goroutines may come.
var secondCloseRules = rule.Set[*secondClose]{
	{
		ID: "second-own", Kind: rule.Requires, Mechanism: rule.Ownership,
		Cases: []string{"closes.Dealer.end"},
		Holds: (*secondClose).isOwn,
	},
	{
		ID: "second-kept", Kind: rule.Requires, Mechanism: rule.Ownership,
		Cases: []string{"closes.Board.Close"},
		Holds: (*secondClose).isKept,
	},
	{
		ID: "second-asked", Kind: rule.Excludes, Mechanism: rule.InProgress,
		Cases: []string{"closes.Cast.CloseOnce"},
		Holds: (*secondClose).isAsked,
	},
	{
		ID: "second-flag", Kind: rule.Requires, Mechanism: rule.Lifecycle,
		Cases: []string{"closes.Cast.Quiet"},
		Holds: (*secondClose).setsFlag,
	},
	{
		ID: "second-comes", Kind: rule.Requires, Mechanism: rule.Join,
		Cases: []string{"closes.Cast.closeAlone"},
		Holds: (*secondClose).comesTwice,
	},
}

// ownStoreRules decide about reads of a variable after an own store.
var ownStoreRules = rule.Set[*ownStore]{
	{
		ID: "cleared", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"reload.Joined.Start"},
		Holds: (*ownStore).hasRival,
	},
}

// loadRules decide about second loads of atomic pointers.
var loadRules = rule.Set[*secondLoad]{
	{
		ID: "load-under-lock", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"escaperef.Journal.AppendTwice"},
		Holds: (*secondLoad).isUnderLock,
	},
	{
		ID: "pointer-rival", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"program.journal.write"},
		Holds: (*secondLoad).hasRival,
	},
}

// entryRules decide about late entries into tables.
var entryRules = rule.Set[*lateEntry]{
	{
		ID: "asks-for-mark", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"pools.Groups.JoinAndAsk"},
		Holds: (*lateEntry).asksForMark,
	},
	{
		ID: "closer", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"pools.Club.Enter"},
		Holds: (*lateEntry).hasRival,
	},
	{
		ID: "entry-deep", Kind: rule.DoubtsStrongly, Mechanism: rule.Distance,
		Doubt: finding.Deep,
		Cases: []string{"doubts.Club.Enter"},
		Holds: (*lateEntry).isDeep,
	},
}

// replyRules decide about entries that are made after the request was sent.
var replyRules = rule.Set[*lateReply]{
	{
		ID: "settler", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"replies.Locked.Call"},
		Holds: (*lateReply).hasRival,
	}, {
		ID: "named-by-user", Kind: rule.Excludes, Mechanism: rule.NoDependency,
		Cases: []string{"replies.Boxes.Make"},
		Holds: (*lateReply).isAskedByUser,
	}, {
		ID: "early-answer", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"replies.Shim.StartKept"},
		Holds: (*lateReply).looksForEarly,
	},
}

// timerRules decide about functions of timers that end what has been renewed.
var timerRules = rule.Set[*lateTimer]{
	{
		ID: "timer-locked", Kind: rule.Requires, Mechanism: rule.Definition,
		Cases: []string{"timed.Apart.expireApart"},
		Holds: (*lateTimer).sharesLock,
	},
	{
		ID: "looks-at-renewal", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"timed.Late.expireLate"},
		Holds: (*lateTimer).looksAtRenewal,
	},
}

// markRules decide about what is noted of a goroutine after it was started.
var markRules = rule.Set[*lateMark]{
	{
		ID: "ends-first", Kind: rule.Requires, Mechanism: rule.Lifecycle,
		Cases: []string{"marks.Jobs.SubmitLocked"},
		Holds: (*lateMark).hasRival,
	},
	{
		ID: "looks-at-mark", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"marks.Jobs.SubmitLooking"},
		Holds: (*lateMark).looksFirst,
	},
	{
		ID: "waits-before-mark", Kind: rule.Excludes, Mechanism: rule.Join,
		Cases: []string{"marks.Jobs.Run"},
		Holds: (*lateMark).waits,
	},
	{
		ID: "marks-again", Kind: rule.Excludes, Mechanism: rule.Idempotent,
		Cases: []string{"marks.Buffer.Write"},
		Holds: (*lateMark).repeats,
	},
	{
		ID: "waits-for-starter", Kind: rule.Excludes, Mechanism: rule.Lifecycle,
		Cases: []string{"marks.Jobs.SubmitHeld"},
		Holds: (*lateMark).waitsForStarter,
	},
	{
		ID: "mark-deep", Kind: rule.DoubtsStrongly, Mechanism: rule.Distance,
		Doubt: finding.Deep,
		Cases: []string{"doubts.Tasks.Submit"},
		Holds: (*lateMark).isDeep,
	},
}

// poolRules decide about uses of objects that have been given back to a pool.
var poolRules = rule.Set[*givenBack]{
	{
		ID: "used-later", Kind: rule.Requires, Mechanism: rule.Definition,
		Cases: []string{"pooled.Rounds", "pooled.Branches", "pooled.Some"},
		Holds: (*givenBack).comesLater,
	},
}

// wakeUpRules decide about removals after a wait for a time.
var wakeUpRules = rule.Set[*lateWake]{
	{
		ID: "puts-off", Kind: rule.Requires, Mechanism: rule.Definition,
		Cases: []string{"timed.Fixed.add"},
		Holds: (*lateWake).putsOff,
	},
	{
		ID: "time-of-removed", Kind: rule.Requires, Mechanism: rule.Unrelated,
		Cases: []string{"timed.Paced.add"},
		Holds: (*lateWake).isOfRemoved,
	},
	{
		ID: "time-read-again", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"timed.Careful.add", "timed.Careful.addSame"},
		Holds: (*lateWake).looksAfterwards,
	},
	{
		ID: "wake-rival", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"timed.Alone.run"},
		Holds: (*lateWake).hasRival,
	},
}

// notificationRules decide about lost notifications.
var notificationRules = rule.Set[*lostNotification]{
	{
		ID: "snapshot-taken", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"pools.Stream.Read"},
		Holds: (*lostNotification).isTaken,
	},
	{
		ID: "reads-again", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"pools.Feed.ListenAgain"},
		Holds: (*lostNotification).readsAgain,
	},
	{
		ID: "subscription-revalidated", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"told.Index.Wait"},
		For:   (*lostNotification).isAwaited,
		Holds: (*lostNotification).asksAgain,
	},
	{
		ID: "subscriber-polls", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"told.Parcels.Poll"},
		For:   (*lostNotification).isAwaited,
		Holds: (*lostNotification).polls,
	},
	{
		ID: "notifier", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"pools.Feed.ListenLocked"},
		Holds: (*lostNotification).hasRival,
	},
	{
		ID: "snapshot-deep", Kind: rule.DoubtsStrongly, Mechanism: rule.Distance,
		Doubt: finding.Deep,
		Cases: []string{"doubts.Feed.Listen"},
		Holds: (*lostNotification).isDeep,
	},
}

// wakeRules decide about lost wake-ups.
var wakeRules = rule.Set[*lostWakeup]{
	{
		ID: "waker", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"program.gate.pass"},
		Holds: (*lostWakeup).hasRival,
	},
}

// outlivedRules decide about uses of objects that may have ended.
var outlivedRules = rule.Set[*outlived]{
	{
		ID: "object-taken-out", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"lifetimes.Agency.Dismiss"},
		Holds: (*outlived).isTakenOut,
	},
	{
		ID: "claimed-alike", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"lifetimes.Club.LeaveBySwap"},
		Holds: (*outlived).isClaimed,
	},
	{
		ID: "ender-told", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"lifetimes.Radio.Start"},
		Holds: (*outlived).tellsEnder,
	},
	{
		ID: "pinned", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"lifetimes.Pier.Send"},
		Holds: (*outlived).isPinned,
	},
	{
		ID: "asks-for-end", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"lifetimes.Ring.Send"},
		Holds: (*outlived).asks,
	},
	{
		ID: "looks-afterwards", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"lifetimes.Press.AddAgain"},
		Holds: (*outlived).looksAfterwards,
	},
	{
		ID: "tries-again", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"lifetimes.Depot.PutAnyway"},
		Holds: (*outlived).triesAgain,
	},
	{
		ID: "calls-ender", Kind: rule.Excludes, Mechanism: rule.ErrorPath,
		Cases: []string{"lifetimes.Depot.PutOrMove"},
		Holds: (*outlived).callsEnder,
	},
	{
		ID: "recovers", Kind: rule.Excludes, Mechanism: rule.ErrorPath,
		Cases: []string{"lifetimes.Hub.SendRecovered"},
		Holds: (*outlived).recovers,
	},
	{
		ID: "ender-waits", Kind: rule.Excludes, Mechanism: rule.Join,
		Cases: []string{"lifetimes.Tally.PutCounted"},
		Holds: (*outlived).enderWaits,
	},
	{
		ID: "ender-joins", Kind: rule.Excludes, Mechanism: rule.Join,
		Cases: []string{"lifetimes.Radio.Say"},
		Holds: (*outlived).enderJoins,
	},
	{
		ID: "ender", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"lifetimes.Harbour.pilot"},
		Holds: (*outlived).hasRival,
	},
	{
		ID: "outlived-deep", Kind: rule.DoubtsStrongly, Mechanism: rule.Distance,
		Doubt: finding.Deep,
		Cases: []string{"lifetimes.Batcher.PutAll"},
		Holds: (*outlived).isDeep,
	},
}

// escapeRules decide about values that escape from their critical section (-strict).
var escapeRules = rule.Set[*escapedValue]{
	{
		ID: "value-used-after-section", Kind: rule.Requires, Mechanism: rule.Definition,
		Cases: []string{"mechanisms.catalog.Drop", "mechanisms.catalog.Put"},
		Holds: (*escapedValue).isUsedAfter,
	},
}
