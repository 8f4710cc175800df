package stalevalue

import "slices"

// A link is why a read and a later access belong together: the act goes wrong if what
// was read has changed.
type link struct {
	id    string // of the rule that makes candidates with the link
	means string // what the act has to do with the read, for the documentation
	// category is the category of the findings. Without one it follows from the dependence of the act on the read.
	category string
	// free is set if the act need not depend on the read.
	free bool
	// seen is what was done with the value that was read; by default it follows from the category.
	seen string
	// harm says what a rival does meanwhile, in words about $name, which the act is on, and $act, or $effect if it is no
	// write. Of an act in a callee, and of a read of a variable that is no element, byCall and ofVariable say more. Without
	// any, the rival changes what was read.
	harm, byCall, ofVariable string
}

var (
	// The act is on what was read.
	updateOfCell = &link{
		id: "update-of-cell", category: lostUpdate,
		means: "the value written to a cell is computed from what was read there",
	}
	decisionOnCell = &link{
		id:    "decision-on-cell",
		means: "whether a cell is written is decided by what was read there",
	}
	waitOnCell = &link{
		id:    "wait-on-cell",
		means: "what was read decides to wait for a change of the cell before it is written",
	}
	sumOfElements = &link{
		id:    "sum-of-elements",
		means: "an element is computed from an earlier and a present one of the same container",
	}
	drainedLate = &link{
		id: "drained-late", category: lostUpdate,
		means: "what was collected is removed after it has been read and used",
	}
	removedElement = &link{
		id:    "removed-element",
		means: "the elements that are removed are chosen by what was read of them",
	}
	tallyOfElements = &link{
		id:    "tally-of-elements",
		means: "an element is changed by what was found in all of the container",
	}
	madeElement = &link{
		id:    "made-element",
		means: "an element is put in that was made with the key under which there was none",
	}

	// The act is on something else.
	revivableObject = &link{
		id:    "revivable-object",
		means: "an object is removed when its reference count has come to zero, and others may find it yet",
	}
	abandonedObject = &link{
		id:    "abandoned-object",
		means: "an object is removed from a table because it was empty, and others may fill it",
	}
	outdatedRemoval = &link{
		id:    "outdated-removal",
		means: "an element is removed because of what was found in it",
	}
	crossedTransition = &link{
		id:    "crossed-transition",
		means: "what the last one ends, or the first one begins, by a count, another function begins or ends by counting the other way",
	}
	jointLocation = &link{
		id:    "joint-location",
		means: "the two locations are written together by others",
	}
	valueInSection = &link{
		id:    "value-in-section",
		means: "the value goes where the section of the act also handles what was read",
	}
	choiceInSection = &link{
		id:    "choice-in-section",
		means: "the decision is made where the section of the act also handles what was read",
	}
	toldByFlag = &link{
		id:    "told-by-flag",
		means: "whoever sets the flag that was checked also writes what the act writes",
	}
	outlivedPool = &link{
		id:    "outlived-pool",
		means: "something is put into what is emptied by the function that sets the flag that was checked",
	}
	missedShutdown = &link{
		id:    "missed-shutdown",
		means: "something is put where the function that sets the flag that was checked has already been",
	}
	missedDrain = &link{
		id:    "missed-drain",
		means: "a user is counted after the function that sets the flag that was checked has asked for users",
		harm:  "another goroutine may set it, and find that $name is zero, before $act of that",
	}
	lateRegistration = &link{
		id:    "late-registration",
		means: "an object is put into a table that it may have left when the flag that was checked was set",
	}
	writtenTogether = &link{
		id:    "written-together",
		means: "a function writes both, the second under another guard",
	}
	rebuiltContainer = &link{
		id:    "rebuilt-container",
		means: "a container is replaced by one that was built from what was read",
	}
	mutualCheck = &link{
		id:    "mutual-check",
		means: "each of two functions checks what the other one writes",
	}
	disorderedList = &link{
		id: "disordered-list", seen: "drawn",
		means: "what has a number that was drawn is appended to a list, maybe after what has a greater one",
		harm:  "another goroutine may take the next one and come to the list before $act: the numbers in $name are out of order then",
	}
	unorderedStore = &link{
		id:    "unordered-store",
		means: "the next value of a variable is put in place of an older one",
	}
	outdatedResult = &link{
		id:    "outdated-result",
		means: "what was computed is stored where those who change the value have it computed anew",
		harm:  "another goroutine may change it, and have what comes of that stored, before $act puts what comes of the older one in its place",
	}
	cacheOfValue = &link{
		id:    "cache-of-value",
		means: "what was computed is kept in a cache that is dropped when the value changes",
	}

	// The act is no write.
	doubleStart = &link{
		id:    "double-start",
		means: "a goroutine is started, and what was read is changed too late to keep others from the same",
		harm:  "another goroutine may find the same before that, and start a second one",
	}
	missedStart = &link{
		id:    "missed-start",
		means: "a goroutine that counts itself is started after the function that sets the flag that was checked has asked for the count",
		harm:  "another goroutine may set it, and find that nobody is counted, before the goroutine that is started here counts itself",
	}
	closedChannel = &link{
		id:    "closed-channel",
		means: "something is sent to a channel that is closed by the function that sets the flag that was checked",
		harm:  "another goroutine may close $name before $effect, which panics then",
	}
	drainedChannel = &link{
		id:    "drained-channel",
		means: "something is sent to a channel that is emptied for good by the function that sets the flag that was checked",
		harm:  "another goroutine may set it, and have $name emptied for the last time, before $effect",
	}
	lateWait = &link{
		id:    "late-wait",
		means: "a condition variable is waited on, and its mutex was released after the check",
		harm:  "another goroutine may change it and wake all that wait, before $effect begins",
	}
	lateAddition = &link{
		id:    "late-addition",
		means: "something is added to a group after the function that sets the flag that was checked has waited for it",
		harm:  "another goroutine may have waited for $name before this call adds to it",
	}
	endedObject = &link{
		id:    "ended-object",
		means: "an object is used that is ended by the function that sets the flag that was checked",
		harm:  "another goroutine may set it and end $name before $effect",
	}

	// The act does not depend on the read.
	writeSkew = &link{
		id: "write-skew", category: checkThenAct, free: true,
		means: "each of two functions reads what the other one writes",
		harm:  "another goroutine may compute it anew from $name before this write of that",
	}

	lateSeal = &link{
		id: "late-seal", category: lostUpdate, free: true,
		means: "the flag that stops the writers of what was read is set after that was used",
		harm:  "what another goroutine writes to it before $name is set by $act is not in what was used",
	}
	lateReset = &link{
		id: "late-reset", category: lostUpdate, free: true,
		means: "the count of what was taken out is set to zero after that was used",
		harm:  "what another goroutine adds to both before $act is counted no more, as $name becomes zero",
	}
	lateZero = &link{
		id: "late-zero", category: lostUpdate, free: true, seen: "changed",
		means: "a count is set to zero after those who go by another variable have been told to count anew",
		harm:  "what another goroutine, which finds it changed, adds to $name before $act sets it to zero is lost",
	}
	lateDrop = &link{
		id: "late-drop", category: lostUpdate, free: true,
		means: "the first element is removed after the one that was the first has been used",
		harm:  "another goroutine may remove it before $act, which removes the first element, whatever that is then",
	}

	lateExchange = &link{
		id: "late-exchange", category: lostUpdate, free: true,
		means: "something is put in the place of what was read, which is ended as what has been replaced",
		harm:  "another goroutine may put another one there before $act: what was read is then ended again, and the other one never",
	}

	outdatedFill = &link{
		id: "outdated-fill", category: checkThenAct, free: true,
		means: "an element is filled with what a store has answered before, while others change the store and remove the element",
		harm:  "another goroutine may change what $name is filled from, and remove it, before $act puts in what was there before",
	}

	otherObject = &link{
		id: "other-object", category: checkThenAct, free: true, seen: "read",
		means: "what is there is removed after an operation on what was there has failed",
		harm:  "another goroutine may put another one there before $act removes it, though what has failed is an operation on the one that was read",
	}

	lateCount = &link{
		id: "late-count", category: checkThenAct, free: true,
		means:      "an object that was found is counted, and others remove it by its count",
		harm:       "another goroutine may remove it, as it counts no users, before $act of $name",
		ofVariable: "another goroutine may replace it, and end it as it counts no users, before $act of $name",
	}
	lateMember = &link{
		id: "late-member", category: checkThenAct, free: true,
		means: "an element is put into an object that was found, and others remove it if it has none",
		harm:  "another goroutine may remove it, as it is empty, before $act of $name",
	}
	lateFill = &link{
		id: "late-fill", category: checkThenAct, free: true, seen: "found",
		means: "something is added to an object that was found, and others take it out and use what is in it",
		harm:  "another goroutine may take it out of there, and use $name without what $act adds",
	}

	// The act is a read.
	uncheckedLookup = &link{
		id: "unchecked-lookup", category: checkThenAct, free: true,
		means: "an element that was found is looked up again, and used unchecked",
		harm:  "another goroutine may remove it before it is used here unchecked",
	}
	uncheckedMember = &link{
		id: "unchecked-member", category: checkThenAct, free: true,
		means: "an element that was found in one container is used unchecked in another one, from which it is removed together with that",
		harm:  "another goroutine may remove it together with $name before that is used here unchecked",
	}
	uncheckedReload = &link{
		id: "unchecked-reload", category: checkThenAct, free: true,
		means: "a variable that was usable is read again, and used unchecked",
		harm:  "another goroutine may clear it before it is used here unchecked",
	}

	staleIndex = &link{
		id: "stale-index", category: checkThenAct, free: true,
		means:  "an element is accessed at an index that depends on what was read",
		harm:   "another goroutine may remove or move elements before the index is used here",
		byCall: "another goroutine may remove or move elements before $act, which uses the index",
	}

	// No rule knows why the two belong together.
	harmfulRun = &link{
		id: "harmful-run", category: checkThenAct, free: true,
		means: "a run shows that a rival in between does harm",
	}
)

var links = [...]*link{
	updateOfCell, decisionOnCell, waitOnCell, sumOfElements, drainedLate, removedElement, tallyOfElements, madeElement,
	revivableObject, abandonedObject, outdatedRemoval, crossedTransition, jointLocation, valueInSection, choiceInSection, toldByFlag, outlivedPool, missedShutdown, missedDrain, lateRegistration, writtenTogether, rebuiltContainer, mutualCheck, disorderedList, unorderedStore, outdatedResult, cacheOfValue,
	doubleStart, missedStart, closedChannel, drainedChannel, lateWait, lateAddition, endedObject,
	writeSkew,
	lateSeal, lateReset, lateZero, lateDrop,
	lateExchange, outdatedFill,
	otherObject,
	lateCount, lateMember, lateFill,
	uncheckedLookup, uncheckedMember, uncheckedReload,
	staleIndex,
	harmfulRun,
}

// ends reports whether the use of what the act is on is ended by those who set the flag that was read.
func (l *link) ends() bool {
	return l == closedChannel || l == drainedChannel || l == lateAddition || l == endedObject
}

// String returns the ID of the rule that makes candidates with the link.
func (l *link) String() string { return l.id }

// keeps reports whether the act is what keeps the object where it was found.
func (l *link) keeps() bool { return l == lateCount || l == lateMember || l == lateFill }

// orders reports whether the rival is another run of the function that has drawn a later value of the same sequence.
func (l *link) orders() bool { return l == unorderedStore || l == disorderedList }

// linkOf returns the link with the ID of a rule, or nil.
func linkOf(id string) *link {
	if i := slices.IndexFunc(links[:], func(l *link) bool { return l.id == id }); i >= 0 {
		return links[i]
	}
	return nil
}

// category returns the category of a finding.
func (c *candidate) category() string {
	switch {
	case c.link.category != "":
		return c.link.category
	case c.decides:
		return checkThenAct
	}
	return staleUse
}

// dependent limits a rule to candidates whose act depends on the read.
func dependent(c *candidate) bool { return !c.link.free }

// ofWhole limits a rule to candidates whose section of the act may look at all that was read. That an element which was
// chosen is there says nothing of what it contains, and the state of one element nothing of the others.
func ofWhole(c *candidate) bool {
	return c.link != removedElement && c.link != outdatedRemoval && c.link != tallyOfElements
}

func dependentOfWhole(c *candidate) bool { return dependent(c) && ofWhole(c) }

// decision limits a rule to those that are decided by what was read.
func decision(c *candidate) bool {
	return dependent(c) && c.category() == checkThenAct && c.link != revivableObject
}

// of limits a rule to candidates with one of the links.
func of(kinds ...*link) func(*candidate) bool {
	return func(c *candidate) bool { return slices.Contains(kinds, c.link) }
}
