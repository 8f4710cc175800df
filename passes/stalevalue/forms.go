package stalevalue

import (
	"fmt"
	"slices"
	"strings"
)

// A form is what a candidate of the detector can be, by the name that -why gives.
type form struct{ id, means string }

// otherForms are those of candidates that are no read and act with a link.
var otherForms = []form{
	{"asked-length", "the length of a channel is asked, and a send or a receive waits, as another goroutine has made the same meanwhile"},
	{"early-close", "a channel is closed, and a goroutine that nobody waits for may still send to it, which panics"},
	{"second-close", "a channel is closed, and another goroutine may close it again, as nobody asks whether it has been closed"},
	{"second-load", "an atomic pointer is loaded again, without the lock under which it is changed, as if its object were the one that was loaded first"},
	{"own-load", "what was changed by an atomic operation, or in a section, is loaded again to learn the result"},
	{"own-store", "what was stored is read in a later section, and used as if nobody could have taken it away"},
	{"late-entry", "an object gets a reference to a table, and is put into it in a later section: closed in between, it is never removed"},
	{"late-reply", "a waiter is registered after its request was sent: the answer may be looked up before, and dropped"},
	{"late-mark", "what is noted of a goroutine after its start overwrites what the goroutine has noted"},
	{"late-timer", "the function of a timer has waited for the lock while the timer was set anew, or stopped"},
	{"late-wake", "a goroutine that has slept until the deadline of an object removes it, while others have put the deadline off"},
	{"takeover", "who has inserted an object under a key removes later what is there, which may be the object of another goroutine"},
	{"lost-notification", "a subscriber gets a snapshot of the state, and is added to the list in a later section: a change in between is in neither"},
	{"lost-wake-up", "a wait is decided by what others change, and signal, without the mutex of the condition variable"},
	{"late-clear", "a flag that says that there is work to do is cleared after the work, when others may have set it again"},
	{"stranded-work", "a goroutine finds its queue empty, and clears later the flag that keeps others from starting it again"},
	{"outlived-object", "an object that was found in a variable is used, after another function may have taken it out and ended it"},
	{"given-back", "an object is used, or given back once more, after it was given back to a sync.Pool"},
	{"escaped-reference", "a map or slice that was taken out of its section is used while others change it in place"},
	{"escaped-value", "any value is used after its section (only with -strict)"},
}

// describeForms lists the forms, for the documentation.
func describeForms() string {
	all := slices.Clone(otherForms)
	for _, l := range links {
		all = append(all, form{l.id, l.means})
	}
	slices.SortFunc(all, func(a, b form) int { return strings.Compare(a.id, b.id) })
	var b strings.Builder
	b.WriteString("What is reported, by the names that -why gives:\n")
	for _, f := range all {
		fmt.Fprintf(&b, "\n  - %s: %s", f.id, f.means)
	}
	return b.String()
}
