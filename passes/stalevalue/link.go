package stalevalue

import "slices"

// A link is why a read and a later access belong together: the act goes wrong if what
// was read has changed.
type link uint8

const (
	// The act is on what was read.
	updateOfCell    link = iota // the value written to a cell is computed from what was read there
	decisionOnCell              // whether a cell is written is decided by what was read there
	waitOnCell                  // what was read decides to wait for a change of the cell before it is written
	sumOfElements               // an element is computed from an earlier and a present one of the same container
	chosenElements              // the elements that are put in are chosen by those that were there
	drainedLate                 // what was collected is removed after it has been read and used
	removedElement              // the elements that are removed are chosen by what was read of them
	tallyOfElements             // an element is changed by what was found in all of the container
	madeElement                 // an element is put in that was made with the key under which there was none

	// The act is on something else.
	revivableObject  // an object is removed when its reference count has come to zero, and others may find it yet
	abandonedObject  // an object is removed from a table because it was empty, and others may fill it
	jointLocation    // the two locations are written together by others
	valueInSection   // the value goes where the section of the act also handles what was read
	choiceInSection  // the decision is made where the section of the act also handles what was read
	toldByFlag       // whoever sets the flag that was checked also writes what the act writes
	outlivedPool     // something is put into what is emptied by the function that sets the flag that was checked
	missedShutdown   // something is put where the function that sets the flag that was checked has already been
	missedDrain      // a user is counted after the function that sets the flag that was checked has asked for users
	lateRegistration // an object is put into a table that it may have left when the flag that was checked was set
	writtenTogether  // a function writes both, the second under another guard
	rebuiltContainer // a container is replaced by one that was built from what was read
	mutualCheck      // each of two functions checks what the other one writes
	disorderedList   // what has a number that was drawn is appended to a list, maybe after what has a greater one
	unorderedStore   // the next value of a variable is put in place of an older one
	cacheOfValue     // what was computed is kept in a cache that is dropped when the value changes

	// The act is no write.
	doubleStart   // a goroutine is started, and what was read is changed too late to keep others from the same
	missedStart   // a goroutine that counts itself is started after the function that sets the flag that was checked has asked for the count
	closedChannel // something is sent to a channel that is closed by the function that sets the flag that was checked
	lateWait      // a condition variable is waited on, and its mutex was released after the check
	lateAddition  // something is added to a group after the function that sets the flag that was checked has waited for it

	// The act does not depend on the read.
	writeSkew // each of two functions reads what the other one writes

	lateSeal  // the flag that stops the writers of what was read is set after that was used
	lateReset // the count of what was taken out is set to zero after that was used
	lateZero  // a count is set to zero after those who go by another variable have been told to count anew
	lateDrop  // the first element is removed after the one that was the first has been used

	lateExchange // something is put in the place of what was read, which is then ended as what has been replaced

	otherObject // what is there is removed after an operation on what was there has failed

	lateCount  // an object that was found is counted, and others remove it by its count
	lateMember // an element is put into an object that was found, and others remove it if it has none
	lateFill   // something is added to an object that was found, and others take it out and use what is in it

	// The act is a read.
	uncheckedLookup // an element that was found is looked up again, and used unchecked
	uncheckedMember // the same in another container, that the element is removed from as well
	uncheckedReload // a variable that was usable is read again, and used unchecked

	staleIndex // an element is accessed at an index that depends on what was read

	// No rule knows why the two belong together.
	harmfulRun // a run shows that a rival in between does harm
)

var links = [...]string{
	drainedLate: "drained-late", updateOfCell: "update-of-cell", decisionOnCell: "decision-on-cell", waitOnCell: "wait-on-cell",
	sumOfElements: "sum-of-elements", chosenElements: "chosen-elements", madeElement: "made-element", removedElement: "removed-element", tallyOfElements: "tally-of-elements",
	revivableObject: "revivable-object", abandonedObject: "abandoned-object", jointLocation: "joint-location",
	valueInSection: "value-in-section", choiceInSection: "choice-in-section", toldByFlag: "told-by-flag", outlivedPool: "outlived-pool",
	missedShutdown: "missed-shutdown", missedDrain: "missed-drain", lateRegistration: "late-registration",
	writtenTogether: "written-together", rebuiltContainer: "rebuilt-container", cacheOfValue: "cache-of-value",
	mutualCheck: "mutual-check", unorderedStore: "unordered-store", disorderedList: "disordered-list",
	doubleStart: "double-start", missedStart: "missed-start", closedChannel: "closed-channel", lateWait: "late-wait", lateAddition: "late-addition",
	writeSkew:       "write-skew",
	lateSeal:        "late-seal",
	lateReset:       "late-reset",
	lateZero:        "late-zero",
	lateDrop:        "late-drop",
	lateExchange:    "late-exchange",
	otherObject:     "other-object",
	lateCount:       "late-count",
	lateMember:      "late-member",
	lateFill:        "late-fill",
	uncheckedLookup: "unchecked-lookup", uncheckedMember: "unchecked-member",
	uncheckedReload: "unchecked-reload",
	staleIndex:      "stale-index",
	harmfulRun:      "harmful-run",
}

// String returns the ID of the rule that makes candidates with the link.
func (l link) String() string { return links[l] }

// keeps reports whether the act is what keeps the object where it was found.
func (l link) keeps() bool { return l == lateCount || l == lateMember || l == lateFill }

// orders reports whether the rival is another run of the function that has drawn a later value of the same sequence.
func (l link) orders() bool { return l == unorderedStore || l == disorderedList }

func linkOf(id string) link { return link(slices.Index(links[:], id)) }

// category returns the category of a finding.
func (c *candidate) category() string {
	switch {
	case c.link == updateOfCell, c.link == drainedLate, c.link == lateSeal, c.link == lateReset, c.link == lateZero, c.link == lateDrop, c.link == lateExchange:
		return lostUpdate
	case c.decides || c.link >= writeSkew:
		return checkThenAct
	}
	return staleUse
}

// dependent limits a rule to candidates whose act depends on the read.
func dependent(c *candidate) bool { return c.link < writeSkew }

// ofWhole limits a rule to candidates whose section of the act may look at all that was read. That an element which was
// chosen is there says nothing of what it contains, and the state of one element nothing of the others.
func ofWhole(c *candidate) bool { return c.link != removedElement && c.link != tallyOfElements }

func dependentOfWhole(c *candidate) bool { return dependent(c) && ofWhole(c) }

// decision limits a rule to those that are decided by what was read.
func decision(c *candidate) bool {
	return dependent(c) && c.category() == checkThenAct && c.link != revivableObject
}

// of limits a rule to candidates with one of the links.
func of(kinds ...link) func(*candidate) bool {
	return func(c *candidate) bool { return slices.Contains(kinds, c.link) }
}
